import { describe, expect, test } from 'vitest';
import { IntentMatcher } from '../../src/mind/script/intents.ts';
import { languages, phrasesFor } from '../../src/mind/script/phrases-by-language.ts';
import { slowTexts } from './growth.ts';

describe.each(languages)('%s', (language) => {
  const { phrases, locale } = phrasesFor(language);
  const matcher = new IntentMatcher(phrases, locale);

  test.each([...phrases.nameIs, ...phrases.capitalNameIs].map((pattern) => [pattern]))(
    '%s takes linear time on every hostile text',
    (pattern) => {
      expect(slowTexts((text) => pattern.exec(text))).toEqual([]);
    },
  );

  test('matching a name takes linear time on every hostile text', () => {
    expect(slowTexts((text) => matcher.nameIn(text))).toEqual([]);
  });
});

describe('a name', () => {
  const nameIn = (text: string, locale = 'en') =>
    new IntentMatcher(phrasesFor(locale).phrases, locale).nameIn(text);

  test.each([
    ['en', 'My name is Ada', 'Ada'],
    ['en', 'my   name\tis  ada', 'Ada'],
    ['en', "Hi, I'm Ada!", 'Ada'],
    ['en', 'I am Ada', 'Ada'],
    ['en', 'i’m Ada .', 'Ada'],
    ['en', "Call me Jean-Luc O'Neill", 'Jean-Luc'],
    ['en', 'my name is Zoe\u0308', 'Zoë'],
    ['de', 'Hallo, ich bin die Ada.', 'Ada'],
    ['de', 'mein Name ist Jürgen', 'Jürgen'],
    ['es', 'Me llamo Íñigo', 'Íñigo'],
    ['es', 'Hola, soy Ada', 'Ada'],
    ['fr', 'Bonjour, je m’appelle Zoé', 'Zoé'],
    ['fr', 'moi c’est Zoé', 'Zoé'],
    ['it', 'Ciao, sono Ada', 'Ada'],
    ['it', 'il mio nome è Ada', 'Ada'],
    ['pt', 'Olá, eu sou a Inês.', 'Inês'],
    ['pt', 'chamo-me Inês', 'Inês'],
    ['ja', '私の名前は田中です', '田中'],
    ['ja', 'エイダと申します', 'エイダ'],
  ])('%s: is found in “%s”', (locale, text, name) => {
    expect(nameIn(text, locale)).toBe(name);
  });

  test.each([
    ['en', "I'm tired"],
    ['en', "I'm Ada and you?"],
    ['de', 'Ich bin müde'],
    ['fr', 'Je suis fatigué'],
    ['it', 'Sono stanco'],
    ['pt', 'Sou professora'],
  ])('%s: is not found in “%s”', (locale, text) => {
    expect(nameIn(text, locale)).toBeUndefined();
  });

  test('has at most 40 characters', () => {
    expect(nameIn(`My name is ${'A'.repeat(40)}`)).toBe('A'.repeat(40));
    expect(nameIn(`My name is ${'A'.repeat(41)}`)).toBeUndefined();
    expect(nameIn(`My name is ${'A'.repeat(3900)}`)).toBeUndefined();
  });

  test('is only looked for in texts of at most 100 characters, after trimming and collapsing spaces', () => {
    const filler = (length: number) => `${'so '.repeat(length).slice(0, length - 1)} `;
    expect(nameIn(`${filler(86)}my name is Ada`)).toBe('Ada');
    expect(nameIn(`${filler(87)}my name is Ada`)).toBeUndefined();
    expect(nameIn(`${' '.repeat(2000)}my ${' '.repeat(1000)} name is Ada`)).toBe('Ada');
  });
});
