import { readFileSync } from 'node:fs';
import type { Mind } from '@session-launch/contract/project-file/mind';
import { editDistance, similarity } from '@session-launch/process/edit-distance';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { spansOf } from '../../src/conversation/character-message.ts';
import type { Character } from '../../src/mind/mind.ts';
import { type Intent, IntentMatcher } from '../../src/mind/script/intents.ts';
import { Lessons } from '../../src/mind/script/lessons.ts';
import { languages, phrasesFor } from '../../src/mind/script/phrases-by-language.ts';
import { unheard } from '../../src/mind/script/presenter.ts';
import { addressed, spokenBy } from '../../src/mind/script/speakers.ts';
import { Spelling } from '../../src/mind/script/spelling.ts';
import { Topics } from '../../src/mind/script/topics.ts';
import { fold, WordIndex, wordsIn } from '../../src/mind/script/words.ts';
import { joined, Sentences } from '../../src/sentences.ts';
import { trimmed } from '../../src/speech/flite/flite.ts';
import { speakable } from '../../src/speech/flite/speakable.ts';
import { readPhones } from '../../src/speech/phones.ts';
import { predict } from '../../src/speech/speech-timing.ts';
import { openDialogue } from '../mind/harbor.ts';
import { slowTexts } from './growth.ts';

interface Demo {
  experiences: { slug: string; runtime: { mind: Mind } }[];
}

const demo = parse(readFileSync(new URL('../../../examples/demo.yaml', import.meta.url), 'utf8')) as Demo;
const topics = demo.experiences.flatMap(({ runtime }) => runtime.mind.topics ?? []);
const everything: Mind = {
  topics,
  lessons: demo.experiences.flatMap(({ runtime }) => runtime.mind.lessons ?? []),
  presentation: demo.experiences.flatMap(({ runtime }) => runtime.mind.presentation ?? []),
};
const wren = { characterId: 'wren', name: 'Wren', voice: {} };
const characters: [Character, Character] = [wren, { characterId: 'pip', name: 'Pip', voice: {} }];
const phones = readPhones('pau:0.1 m:0.2 aa:0.3 p:0.4 pau:0.5');

const never = new AbortController().signal;

const linear = (work: (text: string) => unknown) => expect(slowTexts(work)).toEqual([]);
const cut = (text: string, locale: string) => {
  const sentences = new Sentences(locale);
  return [...sentences.push(text), ...sentences.end()];
};
const said = (text: string, locale: string) => ({ text, locale, characterId: 'wren' });

describe.each(languages)('%s: takes linear time on every hostile text', (language) => {
  const { phrases, locale, stopWords } = phrasesFor(language);

  test('recognising common phrases', () => {
    const intents = Object.keys(phrases.understand) as Intent[];
    linear((text) => {
      const matcher = new IntentMatcher(phrases, locale);
      return intents.map((intent) => matcher.matches(text, intent));
    });
  });

  test('matching a topic', () => {
    const prepared = new Topics(topics, locale, stopWords);
    linear((text) => prepared.find(text, prepared.all[0]));
  });

  test('judging an attempt at a phrase', () => {
    const lesson = { id: 'x', say: { [language]: ['A fery tims x', 'é'.repeat(400)] }, gloss: { en: 'x' } };
    linear((text) => new Lessons([lesson], 'en', language).judge(text));
  });

  test('answering', async () => {
    const character = openDialogue(everything, {
      locale,
      secondaryLocale: 'pt-PT',
      mode: 'presenter',
      characters,
    });
    await character.open();
    // A script chooses its reply before its first sentence is read from the iterator.
    linear((text) => {
      void character.dialogue.answer(text, never)[Symbol.asyncIterator]().next();
    });
  });
});

/** Locales with and without spaces between words. */
describe.each(['en', 'ja'])('%s: takes linear time on every hostile text', (locale) => {
  test('finding words', () => linear((text) => new WordIndex(wordsIn(text, locale))));

  test('splitting a whole text into sentences', () => linear((text) => cut(text, locale)));

  test('splitting a streamed text into sentences', () => {
    linear((text) => {
      const sentences = new Sentences(locale);
      for (let at = 0; at < text.length; at += 200) sentences.push(text.slice(at, at + 200));
      sentences.end();
    });
  });

  test('finding the rest of an interrupted section', () => {
    linear((text) => unheard([said(text, locale)], text.slice(0, text.length / 2)));
  });

  test('joining pieces', () => {
    linear((text) => joined(cut(text, locale)));
    linear((text) => spansOf(cut(text, locale).map((piece) => said(piece, locale))));
  });
});

describe('shared text functions take linear time on every hostile text', () => {
  test('folding accents and case', () => linear(fold));

  test('comparing with words and phrases', () => {
    const spelling = new Spelling(['ferry', 'timetable', 'aaaaaaaaaa']);
    linear((text) => spelling.nearest(text));
    linear((text) => wordsIn(text, 'en').map((word) => spelling.nearest(word)));
    linear((text) => similarity(text, text.toUpperCase(), 0.1));
    linear((text) => editDistance(text, text.slice(1), 3));
  });

  test('finding speaker names', () => {
    linear((text) => spokenBy(text, 'en', characters, wren));
    linear((text) => addressed(text, characters));
  });

  test('preparing a text for the speech engine', () => linear(speakable));

  test('predicting mouth shapes', () => {
    linear((text) => predict(text));
  });

  test('timing words by phones', () => {
    linear((text) => trimmed(text, new Int16Array(16_000), phones));
    linear(readPhones);
  });
});
