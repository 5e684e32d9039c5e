import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { serialQueue } from '../../src/projects/serial-queue.ts';

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

/** Tasks that end when `end` is called; `events` records their starts. */
function working() {
  const events: string[] = [];
  const ends = new Map<string, (error?: Error) => void>();
  const work = (name: string) => () =>
    new Promise<string>((resolve, reject) => {
      events.push(`${name} begins`);
      ends.set(name, (error) => (error ? reject(error) : resolve(name)));
    });
  const end = async (name: string, error?: Error) => {
    ends.get(name)?.(error);
    await vi.advanceTimersByTimeAsync(0);
  };
  return { events, work, end };
}

const refused = { code: 'UNAVAILABLE', headers: { 'Retry-After': '1' } };

test('tasks run one at a time, in order, whether the previous one succeeds or fails', async () => {
  const { events, work, end } = working();
  const enqueue = serialQueue({ maxWaiting: 5, maxWaitMs: 1000 });
  const answers = ['a', 'b', 'c'].map((name) => enqueue(work(name)));
  const failure = expect(answers[0]).rejects.toThrow('no');
  await vi.advanceTimersByTimeAsync(0);
  expect(events).toEqual(['a begins']);
  await end('a', new Error('no'));
  await failure;
  expect(events).toEqual(['a begins', 'b begins']);
  await end('b');
  await end('c');
  expect(await Promise.all(answers.slice(1))).toEqual(['b', 'c']);
});

test('a task is rejected at once while the queue is full; each task that ends frees a slot', async () => {
  const { work, end } = working();
  const enqueue = serialQueue({ maxWaiting: 1, maxWaitMs: 1000 });
  const first = enqueue(work('a'));
  const second = enqueue(work('b'));
  await expect(enqueue(work('c'))).rejects.toMatchObject(refused);
  await end('a');
  await first;
  const third = enqueue(work('d'));
  await end('b');
  await end('d');
  expect(await Promise.all([second, third])).toEqual(['b', 'd']);
});

test('a task that waits too long is rejected, frees its slot and never runs; a running task has no time limit', async () => {
  const { events, work, end } = working();
  const enqueue = serialQueue({ maxWaiting: 1, maxWaitMs: 1000 });
  const first = enqueue(work('a'));
  const late = expect(enqueue(work('b'))).rejects.toMatchObject(refused);
  await vi.advanceTimersByTimeAsync(1001);
  await late;
  const next = enqueue(work('c'));
  await end('a');
  await end('c');
  expect(await Promise.all([first, next])).toEqual(['a', 'c']);
  expect(events).toEqual(['a begins', 'c begins']);
});
