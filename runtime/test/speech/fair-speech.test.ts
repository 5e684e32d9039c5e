import { Worker } from 'node:worker_threads';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { cached } from '../../src/speech/cached.ts';
import { FairQueue } from '../../src/speech/fair-queue.ts';
import { openFlite } from '../../src/speech/flite/flite.ts';
import { partsOf } from '../../src/speech/flite/parts.ts';
import { speakable } from '../../src/speech/flite/speakable.ts';
import { FliteThreads } from '../../src/speech/flite/threads.ts';
import { readPhones } from '../../src/speech/phones.ts';
import type { Speech } from '../../src/speech/speech.ts';

const never = new AbortController().signal;
/** The voice that takes the least CPU time. */
const cheapest = 'kal16';
const voice = { characterId: 'a', settings: { flite: { voice: cheapest } }, pace: 1 };
const filled = (unit: string, length = 280) => unit.repeat(length).slice(0, length);

/** Single-word texts that the engine expands to many words. */
const expensive = ['w', '7', '1777 ', '$7,777,777.77 ', '7%', '€7', '°', 'bcdfgklmnprstvwz', '777-7777 '].map(
  (unit) => filled(unit),
);
const args = (text: string) => ['-voice', cheapest, '-psdur', '-t', text, '-o', '/spoken.wav'];

describe('a fair queue', () => {
  const [a, b, c] = [{}, {}, {}];

  test('serves sessions round-robin, and each in the order of its items', () => {
    const queue = new FairQueue<string>();
    for (const item of ['a1', 'a2', 'a3', 'a4']) queue.push(a, item);
    for (const item of ['b1', 'b2']) queue.push(b, item);
    queue.push(c, 'c1');
    expect(Array.from({ length: 3 }, () => queue.shift())).toEqual(['a1', 'b1', 'c1']);
    queue.push(c, 'c2');
    expect(Array.from({ length: 6 }, () => queue.shift())).toEqual(['a2', 'b2', 'c2', 'a3', 'a4', undefined]);
  });

  test('never serves a removed item', () => {
    const queue = new FairQueue<string>();
    for (const item of ['a1', 'a2']) queue.push(a, item);
    queue.push(b, 'b1');
    queue.remove(a, 'a1');
    queue.remove(b, 'b1');
    queue.remove(c, 'c1');
    expect([queue.shift(), queue.shift()]).toEqual(['a2', undefined]);
    queue.push(a, 'a3');
    expect(queue.clear()).toEqual(['a3']);
    expect(queue.shift()).toBeUndefined();
  });
});

describe('a single thread', () => {
  let flite: Speech;
  beforeAll(async () => {
    flite = await openFlite(1);
    await flite.speak({ text: 'Warm.', locale: 'en', voice, session: {} }, never);
  });
  afterAll(() => flite.close());
  afterEach(() => vi.restoreAllMocks());

  test('delays each sentence of other sessions by at most one run of a session with expensive pieces', async () => {
    const runs = vi.spyOn(Worker.prototype, 'postMessage');
    const talker = {};
    const stops = Array.from({ length: 30 }, () => new AbortController());
    const flood = stops.map(({ signal }, n) =>
      flite.speak({ text: `${n} ${filled('w', 75)}`, locale: 'en', voice, session: talker }, signal),
    );
    for (const one of flood) one.catch(() => {});
    const needed = await Promise.all(
      ['Ada', 'Ben', 'Cleo'].map(async (name) => {
        const session = {};
        for (const text of [`I am ${name}.`, `${name} again.`])
          await flite.speak({ text, locale: 'en', voice, session }, never);
        return runs.mock.calls.length;
      }),
    );
    for (const stop of stops) stop.abort(new Error('left'));
    await Promise.allSettled(flood);
    // Two rounds, each with the run in flight and one run of each of the four sessions; plus the run that began when the last one ended.
    expect(Math.max(...needed)).toBeLessThanOrEqual(2 * (1 + 4) + 1);
  });

  test('never synthesises cancelled pieces', async () => {
    const engine = cached(flite);
    const runs = vi.spyOn(Worker.prototype, 'postMessage');
    const session = {};
    const stops = Array.from({ length: 20 }, () => new AbortController());
    const speak = (text: string, signal: AbortSignal) =>
      engine.speak({ text, locale: 'en', voice, session }, signal);
    const first = speak('This one is being spoken.', never);
    const left = stops.map(({ signal }, n) => speak(`Nobody hears number ${n}.`, signal));
    for (const stop of stops) stop.abort(new Error('left'));
    for (const one of left) await expect(one).rejects.toThrow('left');
    await expect(speak('Neither is this one begun.', stops[0]!.signal)).rejects.toThrow('left');
    await first;
    await speak('The last one.', never);
    expect(runs).toHaveBeenCalledTimes(2);
  });

  test('synthesises no further part of a piece that is cancelled during one of its parts', async () => {
    const stop = new AbortController();
    const { postMessage } = Worker.prototype;
    const runs = vi.spyOn(Worker.prototype, 'postMessage');
    runs.mockImplementationOnce(function (this: Worker, ...sent) {
      postMessage.apply(this, sent);
      setImmediate(() => stop.abort(new Error('left')));
    });
    const sentence = { text: filled('w', 150), locale: 'en', voice, session: {} };
    expect(partsOf(speakable(sentence.text)).length).toBeGreaterThan(2);
    await expect(flite.speak(sentence, stop.signal)).rejects.toThrow('left');
    await flite.speak({ ...sentence, text: 'Hello.' }, never);
    expect(runs).toHaveBeenCalledTimes(2);
  });

  test('joins the parts of a piece into one sound, with words and mouth shapes in time order', async () => {
    const text = filled('1777 ', 80);
    expect(partsOf(text).length).toBeGreaterThan(1);
    const { audio, durationMs, cues, words } = await flite.speak(
      { text, locale: 'en', voice, session: {} },
      never,
    );
    expect(durationMs).toBe(Math.round(audio.length / 16));
    expect(durationMs).toBeGreaterThan(20_000);
    const times = cues.map(([ms]) => ms);
    expect(times).toEqual([...times].sort((a, b) => a - b));
    expect(times.at(-1)).toBeGreaterThan(durationMs - 1000);
    expect(words.at(-1)![0]).toBeGreaterThan(durationMs / 2);
  });
});

describe('splitting into parts', () => {
  test.each([
    'The ferries leave at every full hour, and the last one at ten. The first one leaves at six, when it is still dark.',
    'Dr. Smith paid €20 for 3 tickets in 1984, at 10:30, and had 15% back; NASA and the BBC reported it on May 5th.',
    filled('Strengths and rhythms which twelve sphinxes judged by quartz clocks vexed the lynx. '),
  ])('keeps an ordinary piece as one part: %s', (text) => {
    expect(partsOf(speakable(text))).toHaveLength(1);
  });

  test('loses nothing of an expensive piece', () => {
    for (const text of expensive.map(speakable)) {
      expect(partsOf(text).length).toBeGreaterThan(1);
      expect(partsOf(text).join('').replaceAll(' ', '')).toBe(text.replaceAll(' ', ''));
    }
  });

  test('limits the phones of one part for any text', async () => {
    const pool = await FliteThreads.open(1);
    for (const text of expensive.slice(0, 3)) {
      const { printed } = await pool.run(args(partsOf(speakable(text))[0]!), {}, never);
      expect([text, readPhones(printed).length]).toEqual([text, expect.toSatisfy((count) => count <= 600)]);
    }
    await pool.close();
  });
});

test('threads that end before their first run are replaced after a second, and sentences work afterwards', async () => {
  const startedAt = performance.now();
  const starts = vi.spyOn(Worker.prototype, 'unref').mockImplementation(function (this: Worker) {
    void this.terminate();
  });
  const flite = await openFlite(1);
  const speak = () => flite.speak({ text: 'Hi.', locale: 'en', voice, session: {} }, never);
  for (let i = 0; i < 3; i++) await expect(speak()).rejects.toThrow('a speech thread has ended');
  expect(starts.mock.calls.length).toBeLessThanOrEqual(1 + (performance.now() - startedAt) / 1000);
  vi.restoreAllMocks();
  await expect.poll(() => speak().catch(() => undefined)).toBeDefined();
  await flite.close();
});

test('a run that exceeds the deadline is rejected, and its thread is replaced', async () => {
  const pool = await FliteThreads.open(1, 1500);
  const endless = pool.run(args(filled('1777 ', 20_000)), {}, never);
  await expect(endless).rejects.toThrow('the speech engine took too long');
  // On a loaded machine several attempts may be needed before one meets the timeout.
  for (;;) {
    const output = await pool.run(args('Hi.'), {}, never).catch(() => undefined);
    if (output !== undefined) break;
  }
  await pool.close();
});
