import { expect, test } from 'vitest';
import { keysAfter } from '../src/editor/fields/item-keys.ts';
import { freeId, moved } from '../src/editor/fields/list-changes.ts';
import { renamedTopic, topicPutBack, withoutTopic } from '../src/editor/tabs/mind/topic-changes.ts';

const start = keysAfter({ ids: [], keys: [] }, ['a', 'b', 'c']);

test.each([
  ['renamed', ['a', 'x', 'c'], [0, 1, 2]],
  ['moved', ['c', 'a', 'b'], [2, 0, 1]],
  ['removed', ['a', 'c'], [0, 2]],
])('an item that is %s and the others keep their keys', (_, ids, places) => {
  expect(keysAfter(start, ids).keys).toEqual(places.map((n) => start.keys[n]));
});

test('an added item gets a new key, also with an id that is there already', () => {
  const { keys } = keysAfter(start, ['a', 'b', 'b', 'c']);
  expect(new Set(keys).size).toBe(4);
  expect([keys[0], keys[1], keys[3]]).toEqual(start.keys);
});

test('an item moves up and down', () => {
  expect(moved(['a', 'b', 'c'], 0, 2)).toEqual(['b', 'c', 'a']);
  expect(moved(['a', 'b', 'c'], 2, 0)).toEqual(['c', 'a', 'b']);
});

test('a free id differs from all others and is not longer than 64 characters', () => {
  expect(freeId('tides', ['tides', 'tides-2'])).toBe('tides-3');
  const long = 'x'.repeat(64);
  expect(freeId(long, [long])).toBe(`${'x'.repeat(62)}-2`);
});

// biome-ignore-start lint/suspicious/noThenProperty: a field of the project file
const topics = [{ id: 'a', then: ['b', 'c'] }, { id: 'b', then: ['b'] }, { id: 'c' }];

test('a renamed topic is renamed in all follow-ups', () => {
  expect(renamedTopic(topics, 1, 'x')).toEqual([
    { id: 'a', then: ['x', 'c'] },
    { id: 'x', then: ['x'] },
    { id: 'c' },
  ]);
});

test('a deleted topic is gone from all follow-ups, and undo brings both back', () => {
  const after = withoutTopic(topics, 1);
  expect(after).toEqual([{ id: 'a', then: ['c'] }, { id: 'c' }]);
  expect(topicPutBack(after, topics, 1)).toEqual(topics);
  expect(withoutTopic([{ id: 'a', then: ['b'] }, { id: 'b' }], 1)).toEqual([{ id: 'a' }]);
});

test('undo keeps follow-ups that were changed since the deletion', () => {
  const changed = [{ id: 'c' }, { id: 'a', then: ['a'] }];
  expect(topicPutBack(changed, topics, 1)).toEqual([{ id: 'c' }, topics[1], { id: 'a', then: ['a'] }]);
});
// biome-ignore-end lint/suspicious/noThenProperty: a field of the project file
