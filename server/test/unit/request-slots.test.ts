import { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { RequestSlots } from '../../src/http/guards/request-slots.ts';

/** The part of a request that `RequestSlots` reads: whether its body is complete. */
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
  const slots = new RequestSlots(2);
  const [first, second] = [deferred(), deferred()];
  const hold = (work: () => Promise<string>) => slots.hold(request(true), work, () => 'refused');
  const working = [first, second].map(({ promise }) => hold(() => promise.then(() => 'done')));
  expect(slots.inFlight).toBe(2);
  expect(await hold(async () => 'never')).toBe('refused');
  expect(slots).toMatchObject({ inFlight: 2, refused: 1 });
  first.resolve();
  expect(await working[0]).toBe('done');
  expect(slots.inFlight).toBe(1);
  expect(await hold(async () => 'in the free slot')).toBe('in the free slot');
  second.resolve();
  await working[1];
  expect(slots).toMatchObject({ inFlight: 0, refused: 1 });
});

test('work that fails frees its slot, whether it fails at once or later', async () => {
  const slots = new RequestSlots(1);
  const fail = () => {
    throw new Error('at once');
  };
  await expect(slots.hold(request(true), fail, fail)).rejects.toThrow('at once');
  const later = deferred();
  const holding = slots.hold<void, []>(request(true), () => later.promise, fail);
  later.reject(new Error('later'));
  await expect(holding).rejects.toThrow('later');
  expect(slots.inFlight).toBe(0);
});

test('a request holds no slot while its body is being received', async () => {
  const slots = new RequestSlots(1);
  const never = () => Promise.reject(new Error('there was no slot'));
  const slow = request(false);
  const work = deferred();
  const holding = slots.hold<void, []>(slow, () => work.promise, never);
  expect(slots.inFlight).toBe(1);
  await nextTurn();
  expect(slots.inFlight).toBe(0);
  await slots.hold<void, []>(request(true), async () => expect(slots.inFlight).toBe(1), never);
  slow.emit('end');
  expect(slots.inFlight).toBe(1);
  work.resolve();
  await holding;
  expect(slots.inFlight).toBe(0);
});

test('requests without bodies that arrive in the same tick take no slots from a further one', async () => {
  const slots = new RequestSlots(2);
  const [works, refused] = [[deferred(), deferred()], () => Promise.resolve('refused')];
  const [complete, slow] = [request(false), request(false)];
  const holding = [complete, slow].map((one, n) =>
    slots.hold(one, () => works[n]!.promise.then(() => 'done'), refused),
  );
  // As when the rest of its bytes was read after its headers.
  complete.complete = true;
  expect(slots.inFlight).toBe(2);
  const further = deferred();
  holding.push(slots.hold(request(true), () => further.promise.then(() => 'done'), refused));
  // Both slots are now held by requests with bodies.
  expect(await slots.hold(request(true), refused, refused)).toBe('refused');
  expect(slots).toMatchObject({ inFlight: 2, refused: 1 });
  for (const { resolve } of [...works, further]) resolve();
  expect(await Promise.all(holding)).toEqual(['done', 'done', 'done']);
  expect(slots.inFlight).toBe(0);
});

test('a body that ends after the work, or twice, takes no slot', async () => {
  const slots = new RequestSlots(1);
  const slow = request(false);
  const work = deferred();
  const holding = slots.hold<void, []>(
    slow,
    () => work.promise,
    async () => undefined,
  );
  await nextTurn();
  work.resolve();
  await holding;
  slow.emit('end');
  slow.emit('end');
  expect(slots.inFlight).toBe(0);
});

test('a request whose body arrives by the next tick keeps its slot', async () => {
  const slots = new RequestSlots(1);
  const prompt = request(false);
  const work = deferred();
  const holding = slots.hold<void, []>(
    prompt,
    () => work.promise,
    async () => undefined,
  );
  prompt.complete = true;
  await nextTurn();
  expect(slots.inFlight).toBe(1);
  work.resolve();
  await holding;
  expect(slots.inFlight).toBe(0);
});
