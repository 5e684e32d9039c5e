import { expect, test } from 'vitest';
import { compare, decided, retyped, typedSince } from '../src/screens/limits/changes.ts';

const typed = { mintsPerMinute: { text: '500', base: 600 } };

test('saves only the limits that were typed and differ from those of the service', () => {
  const now = { mintsPerMinute: 600, sessionsPerDay: 100, concurrentSessions: null };
  const others = { sessionsPerDay: { text: '', base: 100 }, concurrentSessions: { text: ' ', base: null } };
  expect(compare({ ...typed, ...others }, now)).toEqual({
    changes: { mintsPerMinute: 500, sessionsPerDay: null },
    clashes: [],
  });
});

test('a limit that another operator changed after typing began is a clash, unless both have the same value', () => {
  const clash = { name: 'mintsPerMinute', base: 600, mine: 500, theirs: 50 };
  expect(compare(typed, { mintsPerMinute: 50 })).toEqual({ changes: {}, clashes: [clash] });
  expect(compare(typed, {})).toEqual({ changes: {}, clashes: [{ ...clash, theirs: null }] });
  expect(compare(typed, { mintsPerMinute: 500 })).toEqual({ changes: {}, clashes: [] });
});

test('keeps the first base while typing goes on, and nothing once the value is as before', () => {
  const first = retyped(undefined, '60', 600);
  expect(first).toEqual({ text: '60', base: 600 });
  expect(retyped(first, '6000', 50)).toEqual({ text: '6000', base: 600 });
  expect(retyped(first, '600', 600)).toBeUndefined();
  // Typed over 600, which is 50 by now: the person has not decided for 600 yet.
  expect(retyped(first, '600', 50)).toEqual({ text: '600', base: 600 });
  expect(retyped(undefined, '', null)).toBeUndefined();
});

test('a decision is against the value that was shown, so that a later change asks again', () => {
  const { clashes } = compare(typed, { mintsPerMinute: 50 });
  const kept = decided(typed, clashes, { mintsPerMinute: 'mine' });
  expect(compare(kept, { mintsPerMinute: 50 }).changes).toEqual({ mintsPerMinute: 500 });
  expect(compare(kept, { mintsPerMinute: 70 }).clashes).toHaveLength(1);
  const taken = decided(typed, clashes, { mintsPerMinute: 'theirs' });
  expect(compare(taken, { mintsPerMinute: 50 })).toEqual({ changes: {}, clashes: [] });
});

test('what is typed while limits are saved is kept', () => {
  const since = typedSince(typed, {
    mintsPerMinute: { text: '5000', base: 600 },
    sessionsPerDay: { text: '7', base: 100 },
  });
  expect(compare(since, { mintsPerMinute: 500, sessionsPerDay: 100 })).toEqual({
    changes: { mintsPerMinute: 5000, sessionsPerDay: 7 },
    clashes: [],
  });
  expect(compare(typedSince(typed, typed), { mintsPerMinute: 9 })).toEqual({ changes: {}, clashes: [] });
});
