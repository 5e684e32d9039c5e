import { expect, test } from 'vitest';
import { tuned } from '../src/voices/tune.ts';

const sampleRate = 16_000;
const tone = Float32Array.from({ length: sampleRate }, (_, n) =>
  Math.sin((2 * Math.PI * 200 * n) / sampleRate),
);

/** The pitch of a tone in hertz, from its upward zero crossings. */
function pitchOf(samples: Float32Array): number {
  let crossings = 0;
  for (let n = 1; n < samples.length; n++) if (samples[n - 1]! < 0 && samples[n]! >= 0) crossings++;
  return (crossings * sampleRate) / samples.length;
}

test.each([
  [1, 1],
  [1.5, 1],
  [0.5, 1],
  [2, 1],
  [1, 2],
  [1, 0.5],
  [1.3, 0.7],
  [0.8, 1.6],
])('a sample at pitch %d and speed %d has that pitch and duration', (pitch, rate) => {
  const heard = tuned(tone, pitch, rate);
  expect(Math.abs(heard.length - tone.length / rate)).toBeLessThan(3);
  expect(Math.abs(pitchOf(heard) / (200 * pitch) - 1)).toBeLessThan(0.03);
  // The waves of overlapping frames neither cancel nor amplify each other.
  const middle = heard.slice(1000, -1000);
  const loudness = Math.sqrt(middle.reduce((sum, value) => sum + value * value, 0) / middle.length);
  expect(Math.abs(loudness - Math.SQRT1_2)).toBeLessThan(0.05);
});
