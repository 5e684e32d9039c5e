import { expect, test } from 'vitest';
import { excessOf, lengthOf } from '../src/parts/length.tsx';

test('characters are counted as code points, as the service counts them', () => {
  expect(lengthOf('Grüße')).toBe(5);
  expect(lengthOf('👋🏽 hi')).toBe([...'👋🏽 hi'].length);
  expect(lengthOf('\ud83d alone')).toBe(7);
});

test('a text is too long by the characters beyond the maximum', () => {
  expect(excessOf('abc', 3)).toBe(0);
  expect(excessOf('abcd', 3)).toBe(1);
  expect(excessOf('👋👋👋', 3)).toBe(0);
  expect(excessOf('👋👋👋👋', 3)).toBe(1);
  expect(excessOf('any length')).toBe(0);
});
