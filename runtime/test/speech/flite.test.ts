import { visemes } from '@session-launch/contract/runtime/protocol';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cached } from '../../src/speech/cached.ts';
import { openFlite } from '../../src/speech/flite/flite.ts';
import { speakable } from '../../src/speech/flite/speakable.ts';
import type { Speech, Spoken } from '../../src/speech/speech.ts';

let flite: Speech;
beforeAll(async () => {
  flite = await openFlite(1);
});
afterAll(() => flite.close());

const never = new AbortController().signal;
const say = (text: string, settings: Record<string, unknown> = {}, pace = 1): Promise<Spoken> =>
  flite.speak({ text, locale: 'en', voice: { characterId: 'maren', settings, pace }, session: {} }, never);

function loudness(audio: Int16Array): number {
  return Math.sqrt(audio.reduce((sum, sample) => sum + sample * sample, 0) / audio.length);
}

test('a sentence becomes audio of a plausible length and loudness', async () => {
  const { audio, durationMs } = await say('The ferries leave at every full hour, and the last one at ten.');
  expect(durationMs).toBe(Math.round(audio.length / 16));
  expect(durationMs).toBeGreaterThan(2000);
  expect(durationMs).toBeLessThan(6000);
  expect(loudness(audio)).toBeGreaterThan(500);
});

test('mouth shapes follow the phones: closed for m and p, open between, closed at the end', async () => {
  const { cues, durationMs, source } = await say('Mop.');
  expect(source).toBe('engine');
  expect(cues.map(([, viseme]) => viseme)).toEqual(['sil', 'PP', 'aa', 'PP', 'sil']);
  expect(cues[0]![0]).toBe(0);
  const times = cues.map(([ms]) => ms);
  expect(times).toEqual([...times].sort((a, b) => a - b));
  expect(times.at(-1)).toBeLessThanOrEqual(durationMs);
});

test('the mouth is closed exactly while the audio is silent', async () => {
  const { audio, cues } = await say('Good morning. Welcome back.');
  const silences = cues.flatMap(([from, viseme], index) =>
    viseme === 'sil' ? [[from, cues[index + 1]?.[0] ?? audio.length / 16]] : [],
  );
  const inner = silences.filter(([from, until]) => from! > 0 && until! - from! > 60);
  for (const [from, until] of inner) {
    const part = audio.subarray((from! + 20) * 16, (until! - 20) * 16);
    expect(loudness(part)).toBeLessThan(loudness(audio) / 4);
  }
  expect(inner.length).toBeGreaterThan(0);
});

test('word timings refer to the text, in time order', async () => {
  const text = 'Good morning, and welcome to the harbor.';
  const { words, durationMs } = await say(text);
  expect(words.map(([, start, end]) => text.slice(start, end))).toEqual([
    'Good',
    'morning',
    'and',
    'welcome',
    'to',
    'the',
    'harbor',
  ]);
  const times = words.map(([ms]) => ms);
  expect(times).toEqual([...times].sort((a, b) => a - b));
  expect(new Set(times).size).toBe(times.length);
  expect(times.at(-1)).toBeLessThan(durationMs);
});

test('voice, rate and pitch change the audio; a slower pace lasts longer', async () => {
  const text = 'Welcome to the harbor.';
  const usual = await say(text);
  const other = await say(text, { flite: { voice: 'rms' } });
  const higher = await say(text, { flite: { pitch: 1.5 } });
  const slower = await say(text, {}, 0.8);
  expect(other.audio).not.toEqual(usual.audio);
  expect(higher.audio).not.toEqual(usual.audio);
  expect(slower.durationMs).toBeGreaterThan(usual.durationMs * 1.1);
  const faster = await say(text, { flite: { rate: 1.5 } });
  expect(faster.durationMs).toBeLessThan(usual.durationMs * 0.85);
});

test('an unknown voice or invalid settings fall back to the default voice', async () => {
  const usual = await say('Hello.');
  for (const flite of [
    { voice: 'caruso', rate: 'fast', pitch: Number.NaN },
    { pitch: 190, rate: 0.1 },
  ])
    expect((await say('Hello.', { flite })).audio).toEqual(usual.audio);
});

test('only English is supported', () => {
  expect(['en', 'en-GB', 'EN-us'].map((locale) => flite.speaks(locale))).toEqual([true, true, true]);
  expect(['es', 'pt-PT', 'ja', 'enm'].map((locale) => flite.speaks(locale))).toEqual([
    false,
    false,
    false,
    false,
  ]);
});

test('symbols are spelled out, accents folded, and characters without sound dropped', async () => {
  expect(speakable('Inês said “café” — 20 °C & more…')).toBe('Ines said cafe, 20 degrees Celsius and more.');
  expect(speakable('🎉 …')).toBe('');
  expect((await say('🎉')).durationMs).toBe(200);
});

test('every viseme has a known name', async () => {
  const { cues } = await say(
    'The quick brown fox jumps over the lazy dog, which vexed the choir boys with zeal.',
  );
  for (const [, viseme] of cues) expect(visemes).toContain(viseme);
  expect(new Set(cues.map(([, viseme]) => viseme)).size).toBeGreaterThan(11);
});

test('a cancelled sentence is not synthesised', async () => {
  const stop = new AbortController();
  const first = say(
    'This sentence keeps the only thread busy for a while, so that the next one has to wait.',
  );
  const second = flite.speak(
    {
      text: 'Nobody hears this.',
      locale: 'en',
      voice: { characterId: 'x', settings: {}, pace: 1 },
      session: {},
    },
    stop.signal,
  );
  stop.abort(new Error('gone'));
  await expect(second).rejects.toThrow('gone');
  await first;
});

test('one sentence is synthesised once for all sessions, and cancelled when all of them have left', async () => {
  let calls = 0;
  let given = 0;
  const counting = cached({
    ...flite,
    speak: (sentence, signal) => {
      calls++;
      signal.addEventListener('abort', () => given++);
      return flite.speak(sentence, signal);
    },
  });
  const sentence = {
    text: 'Once.',
    locale: 'en',
    voice: { characterId: 'a', settings: {}, pace: 1 },
    session: {},
  };
  const [one, two] = await Promise.all([counting.speak(sentence, never), counting.speak(sentence, never)]);
  expect(await counting.speak(sentence, never)).toBe(one);
  expect(two).toBe(one);
  expect(calls).toBe(1);
  const stop = new AbortController();
  const leaving = counting.speak({ ...sentence, text: 'Never mind.' }, stop.signal);
  stop.abort(new Error('left'));
  await expect(leaving).rejects.toThrow('left');
  expect(given).toBe(1);
});
