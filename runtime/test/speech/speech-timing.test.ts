import { readWav, resampled, writeWav } from '@session-launch/process/wav';
import { expect, test } from 'vitest';
import { predict, stretched } from '../../src/speech/speech-timing.ts';

test.each([
  ['es', 'Buenos días, ¿qué le pongo?'],
  ['ja', 'おはようございます。お茶をどうぞ。'],
  ['ar', 'صباح الخير يا صديقي'],
  ['ru', 'Доброе утро, друзья!'],
  ['ko', '좋은 아침입니다'],
  ['zh', '早上好，欢迎光临'],
])('%s: mouth shapes move, close at the end, and last as long as reading aloud', (_locale, text) => {
  const { cues, words, durationMs } = predict(text);
  expect(new Set(cues.map(([, viseme]) => viseme)).size).toBeGreaterThan(3);
  expect(cues.at(-1)![1]).toBe('sil');
  expect(cues[0]![0]).toBe(0);
  expect(words.length).toBeGreaterThan(1);
  const perSecond = text.length / (durationMs / 1000);
  expect(perSecond).toBeGreaterThan(3);
  expect(perSecond).toBeLessThan(20);
});

test('a slower pace lasts longer', () => {
  expect(predict('Buenos días.', 0.8).durationMs).toBeGreaterThan(predict('Buenos días.').durationMs);
});

test('within a known length, shapes begin after the leading silence and end before the trailing one', () => {
  const { cues, words } = stretched('mama', 1000, { lead: 100, tail: 200 });
  expect(cues[0]).toEqual([0, 'sil']);
  expect(cues[1]).toEqual([100, 'PP']);
  expect(cues.at(-1)).toEqual([800, 'sil']);
  expect(words).toEqual([[100, 0, 4]]);
});

test('a text without letters keeps the mouth closed', () => {
  expect(predict('…').cues).toEqual([[0, 'sil']]);
  expect(predict('').cues).toEqual([[0, 'sil']]);
});

test('audio survives a WAV round trip, and resampling keeps its duration', () => {
  const samples = Int16Array.from({ length: 1600 }, (_, i) => Math.round(Math.sin(i / 10) * 20_000));
  const file = writeWav({ sampleRate: 16_000, samples });
  expect(readWav(file)).toEqual({ sampleRate: 16_000, samples });
  expect(resampled({ sampleRate: 16_000, samples }, 24_000).length).toBe(2400);
  const streamed = Uint8Array.from(file);
  new DataView(streamed.buffer).setUint32(40, 0xffff_ffff, true);
  expect(readWav(streamed)?.samples).toEqual(samples);
  expect(readWav(new Uint8Array(20))).toBe(undefined);
});
