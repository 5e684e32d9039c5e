import { expect, test } from 'vitest';
import { Sentences } from '../../src/sentences.ts';

function pieces(text: string, locale: string): string[] {
  const sentences = new Sentences(locale);
  return [...sentences.push(text), ...sentences.end()];
}

test('a long text without spaces or punctuation is split at the maximum length without losing any of it', () => {
  const text = 'あ'.repeat(600);
  const found = pieces(text, 'ja');
  expect(found.join('')).toBe(text);
  expect(found.map(({ length }) => length)).toEqual([280, 280, 40]);
});

test('a long sentence is split after the last clause that fits, or the last word', () => {
  const clause = `${'word '.repeat(50).trim()}, `;
  expect(pieces(`${clause}${'more '.repeat(20)}`, 'en')[0]).toBe(clause.trim());
  const words = pieces('word '.repeat(100), 'en');
  expect(words[0]).toBe('word '.repeat(56).trim());
});
