import { expect, test } from 'vitest';
import { parsePath, pathText, valueAt, withValue } from '../src/editor/document/path.ts';

const document = { title: 'A', runtime: { characters: [{ name: 'Ada' }, { name: 'Bo' }], mind: {} } };

test('formats and parses paths as the service does', () => {
  const path = ['runtime', 'mind', 'topics', 1, 'ask', 'pt-PT'];
  expect(pathText(path)).toBe('runtime.mind.topics[1].ask.pt-PT');
  expect(parsePath('runtime.mind.topics[1].ask.pt-PT')).toEqual(path);
  expect(parsePath('')).toEqual([]);
});

test('reads a value, or undefined where there is none', () => {
  expect(valueAt(document, ['runtime', 'characters', 1, 'name'])).toBe('Bo');
  expect(valueAt(document, ['runtime', 'characters', 2, 'name'])).toBeUndefined();
  expect(valueAt(document, ['title', 'length', 'x'])).toBeUndefined();
});

test('changes a copy and shares what is beside the path', () => {
  const changed = withValue(document, ['runtime', 'characters', 0, 'name'], 'Eva');
  expect(valueAt(changed, ['runtime', 'characters', 0, 'name'])).toBe('Eva');
  expect(document.runtime.characters[0]!.name).toBe('Ada');
  expect(changed.runtime.characters[1]).toBe(document.runtime.characters[1]);
  expect(changed.runtime.mind).toBe(document.runtime.mind);
});

test('creates missing objects, keeps the order of fields and removes fields and items', () => {
  expect(withValue({}, ['a', 'b', 0], 1)).toEqual({ a: { b: [1] } });
  expect(Object.keys(withValue({ a: 1, b: 2, c: 3 }, ['b'], 4))).toEqual(['a', 'b', 'c']);
  expect(withValue({ a: 1, b: 2 }, ['a'], undefined)).toEqual({ b: 2 });
  expect(withValue({ a: [1, 2, 3] }, ['a', 1], undefined)).toEqual({ a: [1, 3] });
});
