import { visemes } from '@session-launch/contract/runtime/protocol';
import { expect, test, vi } from 'vitest';
import { toFloats, writePcm } from '../src/audio/pcm.ts';
import { Resampler } from '../src/audio/resampler.ts';
import { createSpeaker } from '../src/audio/speaker.ts';
import { reconnectDelay } from '../src/core/reconnect.ts';
import { ease, poseOf, visemeAt } from '../src/renderers/motion/visemes.ts';

const tone = (rate: number, hertz: number, count: number) =>
  Float32Array.from({ length: count }, (_, i) => Math.sin((2 * Math.PI * hertz * i) / rate));
const loudness = (samples: Float32Array) =>
  Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length);

/** Resamples in chunks of an odd size, as they arrive from a network. */
function resampled(samples: Float32Array, from: number, to: number, piece = 333): Float32Array {
  const resampler = new Resampler(from, to);
  const parts: number[] = [];
  for (let at = 0; at < samples.length; at += piece)
    parts.push(...resampler.push(samples.subarray(at, at + piece)));
  parts.push(...resampler.end());
  return Float32Array.from(parts);
}

test.each([
  [16_000, 48_000],
  [16_000, 44_100],
  [22_050, 48_000],
  [48_000, 16_000],
  [44_100, 16_000],
])('resampling a tone from %i to %i is exact, also across chunk boundaries', (from, to) => {
  const out = resampled(tone(from, 440, from / 5), from, to);
  expect(Math.abs(out.length - to / 5)).toBeLessThan(3);
  const ideal = tone(to, 440, out.length);
  const middle = out.subarray(200, out.length - 200);
  const error = middle.map((sample, i) => sample - ideal[i + 200]!);
  expect(loudness(error)).toBeLessThan(0.01);
});

test('frequencies above the range of 16 kHz audio are filtered, not aliased', () => {
  const out = resampled(tone(48_000, 14_000, 24_000), 48_000, 16_000);
  expect(loudness(out.subarray(100, out.length - 100))).toBeLessThan(0.02);
});

test('samples survive encoding to a frame and decoding', () => {
  const frame = new DataView(new ArrayBuffer(8 + 8));
  writePcm(Float32Array.from([0, 0.5, -1, 2]), frame, 8);
  expect([...toFloats(frame.buffer, 8)].map((sample) => Math.round(sample * 100) / 100)).toEqual([
    0, 0.5, -1, 1,
  ]);
});

test('every mouth shape of the contract has a different pose', () => {
  const poses = visemes.map((viseme) => JSON.stringify(poseOf(viseme)));
  expect(new Set(poses).size).toBe(visemes.length);
  expect(poseOf('sil')[0]).toBe(0);
  expect(poseOf('of a later version')[0]).toBeGreaterThan(0);
});

test('a shape named like an Object property is treated as unknown', () => {
  for (const name of ['constructor', '__proto__', 'toString'])
    expect(poseOf(name)).toEqual(poseOf('unknown'));
});

test('close() removes the listener that play() added to the audio context', () => {
  const audio = new EventTarget();
  const spied = {
    added: vi.spyOn(audio, 'addEventListener'),
    removed: vi.spyOn(audio, 'removeEventListener'),
  };
  const speaker = createSpeaker(() => {});
  for (let i = 0; i < 3; i++) {
    speaker.open(audio as AudioContext);
    speaker.play({ setVolume: () => {} });
    speaker.close();
  }
  expect(spied.added).toHaveBeenCalledTimes(3);
  expect(spied.removed.mock.calls).toEqual(spied.added.mock.calls);
});

test('speech is unlocked synchronously by the start of a session and by unblock()', () => {
  const unlockSpeech = vi.fn();
  const speaker = createSpeaker(() => {}, unlockSpeech);
  speaker.open(undefined);
  expect(unlockSpeech).toHaveBeenCalledTimes(1);
  void speaker.unblock();
  expect(unlockSpeech).toHaveBeenCalledTimes(2);
});

test('the shape at a time is the last one that has begun', () => {
  const cues = [
    [0, 'sil'],
    [40, 'aa'],
    [100, 'PP'],
  ] as const;
  expect([-1, 0, 39, 40, 99, 100, 5000].map((ms) => visemeAt(cues, ms))).toEqual([
    'sil',
    'sil',
    'sil',
    'aa',
    'aa',
    'PP',
    'PP',
  ]);
  expect(visemeAt([], 10)).toBe('sil');
});

test('the mouth covers 90 % of the way within 80 ms at any frame rate', () => {
  const target = poseOf('aa');
  for (const pictures of [2, 5, 10]) {
    let pose = poseOf('sil');
    for (let i = 0; i < pictures; i++) pose = ease(pose, target, 0.08 / pictures);
    expect(pose[0] / target[0]).toBeGreaterThan(0.9);
  }
});

test('reconnect delays grow, with jitter', () => {
  const middle = [0, 1, 2, 3, 4, 5, 6, 20].map((tries) => Math.round(reconnectDelay(tries, () => 0.5)));
  expect(middle).toEqual([0, 300, 1200, 2700, 4800, 7000, 7000, 7000]);
  expect(reconnectDelay(3, () => 0)).toBeLessThan(reconnectDelay(3, () => 1));
});
