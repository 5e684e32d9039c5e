import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { FairQueue } from '../../src/documents/fair-queue.ts';

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

/** A queue and tasks that end when `end` is called; `started` lists those that have run. */
function working(limits: { maxWaiting?: number } = {}) {
  const queue = new FairQueue({ maxWaiting: 10, maxWaitMs: 1000, ...limits });
  const started: string[] = [];
  const ends = new Map<string, (error?: Error) => void>();
  const add = (name: string, operatorId = 'a', signal?: AbortSignal) =>
    queue.run(
      { operatorId, ...(signal && { signal }) },
      () =>
        new Promise<string>((resolve, reject) => {
          started.push(name);
          ends.set(name, (error) => (error ? reject(error) : resolve(name)));
        }),
    );
  const end = async (name: string, error?: Error) => {
    ends.get(name)?.(error);
    await vi.advanceTimersByTimeAsync(0);
  };
  return { started, add, end };
}

const refused = { code: 'UNAVAILABLE', headers: { 'Retry-After': '1' } };

test('tasks of one operator run one at a time, in order, whether the previous one succeeds or fails', async () => {
  const { started, add, end } = working();
  const answers = ['1', '2', '3'].map((name) => add(name));
  const failure = expect(answers[0]).rejects.toThrow('no');
  expect(started).toEqual(['1']);
  await end('1', new Error('no'));
  await failure;
  expect(started).toEqual(['1', '2']);
  await end('2');
  await end('3');
  expect(await Promise.all(answers.slice(1))).toEqual(['2', '3']);
});

test('the queue is round-robin by operator: the first task of one runs before the second task of another', async () => {
  const { started, add, end } = working();
  const answers = [add('a1'), add('a2'), add('a3'), add('b1', 'b'), add('b2', 'b'), add('c1', 'c')];
  for (const name of ['a1', 'a2', 'b1', 'c1', 'a3', 'b2']) {
    expect(started.at(-1)).toBe(name);
    await end(name);
  }
  await Promise.all(answers);
});

test('a task is rejected with 503 while the queue is full; each task that ends frees a slot', async () => {
  const { add, end } = working({ maxWaiting: 1 });
  const first = add('1');
  const second = add('2');
  await expect(add('3', 'b')).rejects.toMatchObject(refused);
  await end('1');
  await first;
  const third = add('4', 'b');
  await end('2');
  await end('4');
  expect(await Promise.all([second, third])).toEqual(['2', '4']);
});

test('a task that waits too long is rejected, frees its slot and never runs; a running task has no time limit', async () => {
  const { started, add, end } = working({ maxWaiting: 1 });
  const first = add('1');
  const late = expect(add('2')).rejects.toMatchObject(refused);
  await vi.advanceTimersByTimeAsync(1001);
  await late;
  const next = add('3');
  await end('1');
  await end('3');
  expect(await Promise.all([first, next])).toEqual(['1', '3']);
  expect(started).toEqual(['1', '3']);
});

test('a waiting task whose client disconnects never runs and frees its slot; a running one ends normally', async () => {
  const { started, add, end } = working({ maxWaiting: 1 });
  const client = new AbortController();
  const first = add('1', 'a', client.signal);
  const dropped = expect(add('2', 'a', client.signal)).rejects.toMatchObject(refused);
  client.abort();
  await dropped;
  await expect(add('3', 'a', client.signal)).rejects.toMatchObject(refused);
  const next = add('4');
  await end('1');
  await end('4');
  expect(await Promise.all([first, next])).toEqual(['1', '4']);
  expect(started).toEqual(['1', '4']);
});
