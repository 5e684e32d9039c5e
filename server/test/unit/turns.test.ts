import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { takeTurns } from '../../src/projects/turns.ts';

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

/** Work that ends when it is told to, and keeps what happened. */
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

test('one at a time, in order, whether the one before succeeds or fails', async () => {
  const { events, work, end } = working();
  const inTurn = takeTurns({ maxWaiting: 5, maxWaitMs: 1000 });
  const answers = ['a', 'b', 'c'].map((name) => inTurn(work(name)));
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

test('who would wait behind too many is refused at once; a place comes free with each that is done', async () => {
  const { work, end } = working();
  const inTurn = takeTurns({ maxWaiting: 1, maxWaitMs: 1000 });
  const first = inTurn(work('a'));
  const second = inTurn(work('b'));
  await expect(inTurn(work('c'))).rejects.toMatchObject(refused);
  await end('a');
  await first;
  const third = inTurn(work('d'));
  await end('b');
  await end('d');
  expect(await Promise.all([second, third])).toEqual(['b', 'd']);
});

test('who waits too long is refused, leaves a place, and is never served; who is being served is not hurried', async () => {
  const { events, work, end } = working();
  const inTurn = takeTurns({ maxWaiting: 1, maxWaitMs: 1000 });
  const first = inTurn(work('a'));
  const late = expect(inTurn(work('b'))).rejects.toMatchObject(refused);
  await vi.advanceTimersByTimeAsync(1001);
  await late;
  const next = inTurn(work('c'));
  await end('a');
  await end('c');
  expect(await Promise.all([first, next])).toEqual(['a', 'c']);
  expect(events).toEqual(['a begins', 'c begins']);
});
