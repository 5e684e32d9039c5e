import type { Setting } from '../mind.ts';
import { pick } from '../script/texts.ts';

/** Delimiters around text in the secondary language. */
export const marks = { open: '[[', close: ']]' } as const;

const languageName = (locale: string) =>
  `${new Intl.DisplayNames(['en'], { type: 'language' }).of(locale) ?? locale} (${locale})`;

/**
 * Builds the system prompt. The text of a `written` answer is read aloud by speech engines, which need to know the speaker and the language
 * of each part. A model that speaks itself gives a `spoken` answer.
 */
export function systemPrompt(
  { mind, mode, locale, secondaryLocale, characters, title, tools }: Setting,
  answer: 'written' | 'spoken' = 'written',
): string {
  const isWritten = answer === 'written';
  const names = characters.map(({ name }) => name);
  return [
    mind.persona ?? `You are ${names.join(' and ')} in “${title}”.`,
    `Speak ${languageName(locale)}. You are heard, not read: short, plain spoken sentences, two or three at a time; no lists, no markup, no emoji.`,
    'When somebody asks whether you are an AI or a person, say honestly that you are an AI character.',
    ...(characters.length > 1
      ? [
          `You play ${names.join(' and ')}. ${isWritten ? 'Begin a sentence with the name and a colon whenever the speaker changes.' : 'Say who speaks whenever the speaker changes.'}`,
        ]
      : []),
    ...(secondaryLocale === undefined
      ? []
      : [
          `The listener is learning ${languageName(secondaryLocale)}: teach phrases, have them repeated, correct kindly.${isWritten ? ` Put everything that is in ${languageName(secondaryLocale)} between ${marks.open} and ${marks.close}.` : ''}`,
        ]),
    ...(mode === 'presenter'
      ? ['You are giving a talk. Answer questions briefly; the talk itself goes on without you.']
      : []),
    ...(tools === undefined
      ? []
      : ['Before you call a tool, say in a few words what you are about to do. Never invent its result.']),
    ...knowledge(mind, locale),
  ].join('\n\n');
}

/** The script's topics as facts for the model. */
function knowledge(mind: Setting['mind'], locale: string): string[] {
  const facts = (mind.topics ?? []).flatMap(({ ask, tell }) => {
    const [question, answer] = [pick(ask, locale) ?? pick(ask, 'en'), pick(tell, locale) ?? pick(tell, 'en')];
    return question === undefined || answer === undefined
      ? []
      : [`${question.variants[0]} ${answer.variants[0]}`];
  });
  return facts.length === 0 ? [] : [`What you know:\n${facts.join('\n')}`];
}
