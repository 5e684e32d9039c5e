import { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Places } from '../../src/http/places.ts';

/** The part of a request that `Places` reads: whether its body is complete. */
function request(complete: boolean): IncomingMessage & { complete: boolean } {
  return Object.assign(new EventEmitter(), { complete }) as IncomingMessage & { complete: boolean };
}

function deferred() {
  let settle = { resolve: () => {}, reject: (_error: Error) => {} };
  const promise = new Promise<void>((resolve, reject) => {
    settle = { resolve, reject };
  });
  return { promise, ...settle };
}

test('at most the given number of calls run at a time; a further one is refused at once', async () => {
  const places = new Places(2);
  const [first, second] = [deferred(), deferred()];
  const hold = (work: () => Promise<string>) => places.hold(request(true), work, () => 'refused');
  const working = [first, second].map(({ promise }) => hold(() => promise.then(() => 'done')));
  expect(places.underWay).toBe(2);
  expect(await hold(async () => 'never')).toBe('refused');
  expect(places).toMatchObject({ underWay: 2, refused: 1 });
  first.resolve();
  expect(await working[0]).toBe('done');
  expect(places.underWay).toBe(1);
  expect(await hold(async () => 'in the free place')).toBe('in the free place');
  second.resolve();
  await working[1];
  expect(places).toMatchObject({ underWay: 0, refused: 1 });
});

test('work that fails frees its slot, whether it fails at once or later', async () => {
  const places = new Places(1);
  const fail = () => {
    throw new Error('at once');
  };
  await expect(places.hold(request(true), fail, fail)).rejects.toThrow('at once');
  const later = deferred();
  const holding = places.hold<void, []>(request(true), () => later.promise, fail);
  later.reject(new Error('later'));
  await expect(holding).rejects.toThrow('later');
  expect(places.underWay).toBe(0);
});

test('a request holds no slot while its body is being received', async () => {
  const places = new Places(1);
  const never = () => Promise.reject(new Error('there was no place'));
  const slow = request(false);
  const work = deferred();
  const holding = places.hold<void, []>(slow, () => work.promise, never);
  expect(places.underWay).toBe(1);
  await nextTurn();
  expect(places.underWay).toBe(0);
  await places.hold<void, []>(request(true), async () => expect(places.underWay).toBe(1), never);
  slow.emit('end');
  expect(places.underWay).toBe(1);
  work.resolve();
  await holding;
  expect(places.underWay).toBe(0);
});

test('a body that ends after the work, or twice, takes no slot', async () => {
  const places = new Places(1);
  const slow = request(false);
  const work = deferred();
  const holding = places.hold<void, []>(
    slow,
    () => work.promise,
    async () => undefined,
  );
  await nextTurn();
  work.resolve();
  await holding;
  slow.emit('end');
  slow.emit('end');
  expect(places.underWay).toBe(0);
});

test('a request whose body arrives by the next tick keeps its slot', async () => {
  const places = new Places(1);
  const prompt = request(false);
  const work = deferred();
  const holding = places.hold<void, []>(
    prompt,
    () => work.promise,
    async () => undefined,
  );
  prompt.complete = true;
  await nextTurn();
  expect(places.underWay).toBe(1);
  work.resolve();
  await holding;
  expect(places.underWay).toBe(0);
});
