import { expect, test } from 'vitest';
import { moveBack, OrderQueue, place, type StoredOrder } from '../src/screens/experiences/order.ts';

/** A store that refuses outdated versions, as the service does. `onWrite` runs before each write. */
function storeOf(ids: string[], onWrite: (stored: StoredOrder, count: number) => void = () => {}) {
  const stored = { ids, version: 1 };
  let writes = 0;
  const queue = new OrderQueue({
    read: async () => ({ ...stored }),
    write: async ({ ids: wanted, version }) => {
      onWrite(stored, ++writes);
      if (version !== stored.version) return { conflict: { by: 'Ada' } };
      stored.ids = [...wanted];
      return ++stored.version;
    },
  });
  queue.begin({ ...stored });
  return { stored, queue, writes: () => writes };
}

test('places an item before or after another one, and does nothing if one of them is gone', () => {
  expect(place('c', 'before', 'a')(['a', 'b', 'c'])).toEqual(['c', 'a', 'b']);
  expect(place('a', 'after', 'b')(['a', 'b', 'c'])).toEqual(['b', 'a', 'c']);
  expect(place('x', 'after', 'b')(['a', 'b'])).toEqual(['a', 'b']);
  expect(place('a', 'after', 'x')(['a', 'b'])).toEqual(['a', 'b']);
});

test('moves an item back to its place in an earlier order', () => {
  expect(moveBack('a', ['a', 'b', 'c'])(['b', 'c', 'a'])).toEqual(['a', 'b', 'c']);
  expect(moveBack('b', ['a', 'b', 'c'])(['b', 'a', 'c'])).toEqual(['a', 'b', 'c']);
  expect(moveBack('c', ['a', 'b', 'c'])(['c', 'a', 'b'])).toEqual(['a', 'b', 'c']);
});

test('moving an item back leaves the moves of other operators, new items and deleted ones as they are', () => {
  const order = ['a', 'b', 'c', 'd', 'e'];
  // After "a" was moved behind "c", another operator has moved "e" to the front.
  expect(moveBack('a', order)(['e', 'b', 'c', 'a', 'd'])).toEqual(['e', 'a', 'b', 'c', 'd']);
  // After "c" was moved to the front, another operator has moved the item before its place to the end.
  expect(moveBack('c', order)(['c', 'a', 'd', 'e', 'b'])).toEqual(['a', 'c', 'd', 'e', 'b']);
  expect(moveBack('c', order)(['c', 'b', 'a', 'd', 'e'])).toEqual(['b', 'a', 'c', 'd', 'e']);
  expect(moveBack('c', order)(['c', 'a', 'new', 'e'])).toEqual(['a', 'c', 'new', 'e']);
  expect(moveBack('c', order)(['a', 'b'])).toEqual(['a', 'b']);
});

test('collects moves while one is being saved', async () => {
  const { stored, queue, writes } = storeOf(['a', 'b', 'c', 'd']);
  const results = await Promise.all([
    queue.save(place('d', 'before', 'c')),
    queue.save(place('d', 'before', 'b')),
    queue.save(place('d', 'before', 'a')),
  ]);
  expect(stored.ids).toEqual(['d', 'a', 'b', 'c']);
  expect(writes()).toBe(2);
  expect(results).toEqual([{}, {}, {}]);
  expect(queue.isSaving).toBe(false);
});

test('repeats a move on an order that another operator has changed, and names the operator', async () => {
  const { stored, queue } = storeOf(['a', 'b', 'c'], (now, count) => {
    if (count === 1) Object.assign(now, { ids: ['new', 'b', 'a', 'c'], version: 2 });
  });
  expect(await queue.save(place('c', 'before', 'b'))).toEqual({ conflict: { by: 'Ada' } });
  expect(stored.ids).toEqual(['new', 'c', 'b', 'a']);
});

test('does not mention a change of the project that leaves the order as it was', async () => {
  const { stored, queue } = storeOf(['a', 'b'], (now, count) => {
    if (count === 1) Object.assign(now, { version: 2 });
  });
  expect(await queue.save(place('b', 'before', 'a'))).toEqual({});
  expect(stored.ids).toEqual(['b', 'a']);
});

test('gives up after several conflicts, and works again afterwards', async () => {
  let isBusy = true;
  const { stored, queue } = storeOf(['a', 'b'], (now) => {
    if (isBusy) Object.assign(now, { version: now.version + 1 });
  });
  await expect(queue.save(place('b', 'before', 'a'))).rejects.toThrow('too often');
  expect(stored.ids).toEqual(['a', 'b']);
  isBusy = false;
  queue.begin({ ...stored });
  await queue.save(place('b', 'before', 'a'));
  expect(stored.ids).toEqual(['b', 'a']);
});
