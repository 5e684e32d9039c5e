import { readFileSync } from 'node:fs';
import { fliteVoices } from '@session-launch/contract/project-file/voice';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { openFlite } from '../../src/speech/flite/flite.ts';
import type { Speech } from '../../src/speech/speech.ts';
import { medianPitch } from './median-pitch.ts';

interface Demo {
  experiences: {
    runtime: { characters: { characterId: string; voice: { flite: { voice: string; pitch: number } } }[] };
  }[];
}

/** Natural range of the median pitch of each voice, in hertz. */
const natural: Record<string, [low: number, high: number]> = {
  slt: [120, 260],
  rms: [70, 180],
  awb: [70, 180],
  kal16: [70, 180],
};

const file = new URL('../../../examples/demo.yaml', import.meta.url);
const { experiences } = parse(readFileSync(file, 'utf8')) as Demo;
const characters = experiences.flatMap(({ runtime }) => runtime.characters);

let flite: Speech;
beforeAll(async () => {
  flite = await openFlite(1);
});
afterAll(() => flite.close());

async function pitchOf(settings: Record<string, unknown>): Promise<number> {
  const voice = { characterId: 'x', settings, pace: 1 };
  const sentence = { text: 'Welcome to the harbor.', locale: 'en', voice, session: {} };
  const { audio } = await flite.speak(sentence, new AbortController().signal);
  return medianPitch(audio, flite.sampleRate);
}

test.each(characters)('the voice of $characterId in the demo has a natural pitch', async ({ voice }) => {
  const pitch = await pitchOf(voice);
  const [low, high] = natural[voice.flite.voice]!;
  expect(pitch).toBeGreaterThan(low);
  expect(pitch).toBeLessThan(high);
});

describe.each(fliteVoices)('%s', (voice) => {
  test('has a pitch setting that multiplies its natural pitch', async () => {
    const usual = await pitchOf({ flite: { voice } });
    const [low, high] = natural[voice]!;
    expect(usual).toBeGreaterThan(low);
    expect(usual).toBeLessThan(high);
    for (const pitch of [0.8, 1.25]) {
      const expected = voice === 'rms' ? 1 : pitch;
      expect((await pitchOf({ flite: { voice, pitch } })) / usual).toBeCloseTo(expected, 1);
    }
  });
});

test('the pitch measurement is correct for a known tone', () => {
  const tone = (hertz: number) =>
    Int16Array.from({ length: 16_000 }, (_, n) => 8000 * Math.sin((2 * Math.PI * hertz * n) / 16_000));
  for (const hertz of [80, 160, 320]) expect(medianPitch(tone(hertz), 16_000) / hertz).toBeCloseTo(1, 1);
});
