import { readFileSync } from 'node:fs';
import { fliteVoices } from '@session-launch/contract/project-file/voice';
import { findProgram, isSkipped } from '@session-launch/testing/find-program.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { timeoutFactor } from '../../../testing/src/tiers.ts';
import { checkLocalHearing } from '../../src/hearing/local/check.ts';
import { installProblem, verifiedModel } from '../../src/hearing/local/installed.ts';
import { type LocalHearing, localHearing } from '../../src/hearing/local/local.ts';
import { questions } from '../../src/mind/script/questions.ts';
import { openFlite } from '../../src/speech/flite/flite.ts';
import type { Speech } from '../../src/speech/speech.ts';
import { asTurn, espeak, sentences, wordErrors, wordsOf } from './spoken.ts';

const never = new AbortController().signal;
const patience = 60_000 * timeoutFactor;
const demo = parse(readFileSync(new URL('../../../examples/demo.yaml', import.meta.url), 'utf8'));
/** Questions of the demo's guide, which are hints in a session with her, and the first ten of them. */
const hints = questions(demo.experiences[0].runtime.mind, 'en');
const asked = hints.slice(0, 10);

describe.skipIf(installProblem() !== undefined && process.env.CI !== 'true')('the included model', () => {
  let hearing: LocalHearing;
  let flite: Speech;
  beforeAll(async () => {
    flite = await openFlite(1);
    hearing = localHearing(await verifiedModel(), {
      max: 1,
      broken: (problem) => {
        throw new Error(problem);
      },
      loadMs: patience,
      deadlineMs: patience,
    });
    hearing.prepare?.();
  });
  afterAll(async () => {
    await hearing?.close?.();
    await flite?.close();
  });

  const hear = (samples: Int16Array, hints: readonly string[] = []) =>
    hearing.transcribe({ sampleRate: 16_000, samples }, 'en', never, { hints });

  /** Word error rate. Prints the wrong transcripts. */
  async function errorRate(
    sentences: readonly string[],
    hints: readonly string[],
    say: (text: string) => Promise<Int16Array>,
  ) {
    let errors = 0;
    let words = 0;
    const misheard: string[] = [];
    for (const sentence of sentences) {
      const heard = await hear(asTurn(await say(sentence)), hints);
      const found = wordErrors(sentence, heard);
      errors += found;
      words += wordsOf(sentence).length;
      if (found > 0) misheard.push(heard);
    }
    console.log(`${errors} of ${words} words; wrong: ${misheard.join(' ')}`);
    return errors / words;
  }

  const speakAs = (voice: string) => async (text: string) => {
    const settings = { flite: { voice } };
    const sentence = { text, locale: 'en', voice: { characterId: 'a', settings, pace: 1 }, session: {} };
    return (await flite.speak(sentence, never)).audio;
  };

  test('passes the check of the doctor', () =>
    checkLocalHearing(never, { loadMs: patience, deadlineMs: patience }));

  test.each(fliteVoices)('understands the included voice %s', async (voice) => {
    expect(await errorRate(asked, hints, speakAs(voice))).toBeLessThanOrEqual(0.08);
  });

  test('understands the included voices when they say something else', async () => {
    const rates = [];
    for (const voice of fliteVoices) rates.push(await errorRate(sentences, hints, speakAs(voice)));
    expect(rates.reduce((sum, rate) => sum + rate, 0) / rates.length).toBeLessThanOrEqual(0.08);
  });

  test.skipIf(isSkipped('espeak-ng'))('understands eSpeak NG', async () => {
    const program = findProgram('espeak-ng')!;
    expect(await errorRate(sentences, hints, async (text) => espeak(program, text))).toBeLessThanOrEqual(
      0.15,
    );
  });

  test('a killed process costs one turn', async () => {
    const turn = asTurn(await speakAs('rms')(sentences[0]!));
    await hear(turn);
    const killed = hear(turn);
    process.kill(hearing.processes.pids[0]!, 'SIGKILL');
    await expect(killed).rejects.toThrow('the hearing process has ended');
    expect(wordErrors(sentences[0]!, await hear(turn))).toBeLessThanOrEqual(1);
  });

  test.each([
    ['silence', () => 0],
    ['noise', () => 3000 * (Math.random() * 2 - 1)],
    ['a hum', (ms: number) => 6000 * Math.sin((2 * Math.PI * 100 * ms) / 1000)],
    ['music', (ms: number) => music(ms)],
    ['clicks', (ms: number) => (ms % 250 < 3 ? 20_000 * Math.random() : 0)],
    [
      'coughs',
      (ms: number) => (ms % 500 < 160 ? 10_000 * (Math.random() - 0.5) * Math.exp((-ms % 500) / 50) : 0),
    ],
  ])('hears no words in %s', async (_, wave) => {
    expect(await hear(Int16Array.from({ length: 32_000 }, (_, index) => wave(index / 16)))).toBe('');
  });
});

/** Chords of an organ that fade, two a second. */
function music(ms: number): number {
  const chords = [
    [262, 330, 392],
    [294, 370, 440],
    [247, 311, 370],
    [262, 349, 440],
  ];
  const chord = chords[Math.floor(ms / 500) % chords.length]!;
  const fade = Math.exp((-3 * (ms % 500)) / 500);
  const tone = (hertz: number) => [1, 2, 3].map((n) => Math.sin((2 * Math.PI * n * hertz * ms) / 1000) / n);
  return 2500 * fade * chord.flatMap(tone).reduce((sum, wave) => sum + wave, 0);
}
