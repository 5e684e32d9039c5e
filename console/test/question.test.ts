import { readFileSync } from 'node:fs';
import type { Mind } from '@session-launch/contract/project-file/mind';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { phrasesFor } from '../../runtime/src/mind/script/phrases-by-language.ts';
import { scriptedMind } from '../../runtime/src/mind/script/script.ts';
import { type Conversation, questionCheck, type Reached } from '../src/editor/tabs/mind/question.ts';

interface DemoExperience {
  id: string;
  title: string;
  runtime: {
    mode?: 'conversation' | 'presenter';
    languages: { dual: boolean; paired?: string | { fixed: string } };
    characters: [{ characterId: string; name: string }];
    mind: Mind;
  };
}

const file = new URL('../../examples/demo.yaml', import.meta.url);
const { experiences } = parse(readFileSync(file, 'utf8')) as { experiences: DemoExperience[] };
const listOf = (texts: string | string[] | undefined) => [texts ?? []].flat();

/** What visitors say besides the questions of the topics. */
const remarks = [
  'hello',
  'thank you',
  'are you a robot?',
  'My name is Ada',
  'what is my name',
  'say that again',
  'slower please',
  'tell me more',
  'wait',
  'go on',
  'next',
  'no',
  'Which share price does the bakery on Mars have?',
  'xyzzy plugh',
];

interface Question {
  text: string;
  conversation: Conversation;
  experience: DemoExperience;
}

/** For each experience and language: questions of topics, their words in a sentence, misspelt questions, phrases to learn, and remarks. */
function questionsOf(experience: DemoExperience): Question[] {
  const { mind, mode = 'conversation', languages, characters } = experience.runtime;
  const paired = languages.paired;
  const secondaryLocale = languages.dual ? (typeof paired === 'object' ? paired.fixed : 'es') : undefined;
  return Object.keys(mind.greeting ?? {}).flatMap((locale) => {
    const conversation: Conversation = { mind, mode, locale, secondaryLocale, characters };
    const asked = (mind.topics ?? []).flatMap(({ ask, words }, n) => {
      const question = listOf(ask?.[locale])[0];
      const word = listOf(words?.[locale])[0];
      if (n % 3 === 0) return question ?? [];
      if (n % 3 === 1) return word === undefined ? [] : `Hmm, ${word}, I wonder?`;
      return question?.replace(/(\w)(\w)(\w+)$/u, '$2$1$3').replace(/o/, 'oo') ?? [];
    });
    const phrases = (mind.lessons ?? [])
      .slice(0, 2)
      .flatMap(({ say }) => listOf(Object.values(say)[0])[0] ?? []);
    return [...asked, ...phrases, ...remarks].map((text) => ({ text, conversation, experience }));
  });
}

/** Shared by all conversations, as in a service: each script is prepared once. */
const script = scriptedMind(() => 0);

/** What the runtime answers at the start of a conversation. */
async function answerOf({ text, conversation, experience }: Question): Promise<string> {
  const { signal } = new AbortController();
  const dialogue = script.begin({
    ...conversation,
    characters: experience.runtime.characters.map((one) => ({ ...one, voice: {} })) as never,
    revision: experience.id,
    title: experience.title,
  });
  const said: string[] = [];
  for await (const _ of dialogue.open(signal));
  for await (const one of dialogue.answer(text, signal)) said.push(one.text);
  return said.join(' ');
}

/** The texts with which the answer begins if the check is right. */
function beginningsOf(reached: Reached, { conversation }: Question): readonly string[] {
  const { mind } = conversation;
  const built = phrasesFor(conversation.locale).phrases.say;
  const own = (texts: Record<string, string | string[]> | undefined) => Object.values(texts ?? {}).flat();
  switch (reached.kind) {
    case 'topic':
    case 'step':
      return reached.topic.tell.variants;
    case 'fallback':
      return own(mind.fallback);
    case 'name':
      return built.meet.map((line) => line.replace('{name}', reached.name));
    case 'attempt':
      return reached.attempt === 'right' ? built.praise : built.almost;
    case 'command':
      return reached.command === 'wait' ? built.wait : [...built.goOn, ...own(mind.presentation?.[0]?.title)];
    case 'phrase':
      switch (reached.intent) {
        case 'hello':
          return own(mind.greeting);
        case 'ai':
          return built.ai;
        case 'thanks':
          return built.welcome;
        case 'whoAmI':
          return built.noName;
        case 'whatWasThat':
          return built.nothingYet;
        case 'slower':
        case 'faster':
          return built[reached.intent];
        case 'repeat':
          return own(mind.greeting);
        case 'no':
          return built.allRight;
        case 'next':
          return built.teach;
        case 'yes':
        case 'more':
          return (mind.topics ?? []).flatMap(({ tell }) => own(tell));
        default:
          return [...built.iAm, ...built.suggest, ...built.bye];
      }
  }
}

/** Compares without what differs between texts and speech: names of speakers, line breaks and placeholders. */
function plain(text: string, { conversation }: Question): string {
  const names = conversation.characters.map(({ name }) => name).join('|');
  return text
    .replace(new RegExp(`(^|\\n)(${names}):\\s+`, 'g'), '$1')
    .replace(/\s+/g, ' ')
    .replace(/[“«„]?\{.*$/, '')
    .trim();
}

test('the question check says what the runtime answers, for questions of the demo', async () => {
  const questions = experiences.flatMap(questionsOf).filter((_, n) => n % 2 === 0);
  expect(questions.length).toBeGreaterThan(100);
  const kinds = new Set<string>();
  const checks = new Map<Conversation, ReturnType<typeof questionCheck>>();
  for (const question of questions) {
    const { conversation, text } = question;
    const check = checks.get(conversation) ?? questionCheck(conversation);
    checks.set(conversation, check);
    const reached = check(text);
    kinds.add(reached.kind);
    const answer = plain(await answerOf(question), question);
    const beginnings = beginningsOf(reached, question).map((one) => plain(one, question));
    const isSame = beginnings.some((one) => one !== '' && answer.startsWith(one));
    expect(isSame, `${conversation.locale} ${text} → ${reached.kind}: ${answer}`).toBe(true);
  }
  expect([...kinds].sort()).toEqual(['attempt', 'command', 'fallback', 'name', 'phrase', 'topic']);
});
