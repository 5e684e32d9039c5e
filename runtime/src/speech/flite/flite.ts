import { cuesOf, type Phone, readPhones } from '../phones.ts';
import type { Sentence, Speech, Spoken, Voice } from '../speech.ts';
import { readWav } from '../wav.ts';
import { wordTimes } from '../words.ts';
import { speakable } from './speakable.ts';
import { FliteThreads } from './threads.ts';

const voices = ['slt', 'rms', 'awb', 'kal16'] as const;
const sampleRate = 16_000;
/** The engine begins and ends with a long silence; so much of it is left. */
const lead = 40;
const tail = { sentence: 160, clause: 40 };
const warmUp =
  'Good morning, and welcome. It takes a moment until I have found my voice, but from then on I am quick.';

/** English, offline, on threads of its own, with the exact times of its phones. */
export async function openFlite(threads: number): Promise<Speech> {
  const pool = await FliteThreads.open(threads);
  const { signal } = new AbortController();
  const warm = argumentsFor(warmUp, { characterId: '', settings: {}, pace: 1 });
  // First in the queue of each thread: clients may come meanwhile, and no sentence of theirs is spoken cold.
  const warmed = Promise.all(Array.from({ length: pool.size }, () => pool.run(warm, signal)));
  warmed.catch(() => {});
  return {
    name: 'flite',
    sampleRate,
    speaks: (locale) => /^en(-|$)/i.test(locale),
    speak: async ({ text, voice }: Sentence, signal: AbortSignal): Promise<Spoken> => {
      const said = speakable(text);
      if (said === '') return silence();
      await warmed;
      const { wav, printed } = await pool.run(argumentsFor(said, voice), signal);
      return trimmed(text, readWav(wav).samples, readPhones(printed));
    },
    close: () => pool.close(),
  };
}

function argumentsFor(text: string, { settings, pace }: Voice): string[] {
  const flite = (settings.flite ?? {}) as { voice?: unknown; pitch?: unknown; rate?: unknown };
  const voice = voices.find((name) => name === flite.voice) ?? 'slt';
  const rate = within(flite.rate, 0.5, 2, 1) * pace;
  const pitch = within(flite.pitch, 60, 400, 0);
  return [
    '-voice',
    voice,
    '-psdur',
    '--setf',
    `duration_stretch=${(1 / rate).toFixed(3)}`,
    ...(pitch === 0 ? [] : ['--setf', `int_f0_target_mean=${pitch}`]),
    '-t',
    text,
    '-o',
    '/spoken.wav',
  ];
}

function within(value: unknown, min: number, max: number, otherwise: number): number {
  return typeof value === 'number' && Number.isFinite(value)
    ? Math.min(max, Math.max(min, value))
    : otherwise;
}

/** Leaves only a breath of silence at both ends, in sound and times alike. */
export function trimmed(text: string, samples: Int16Array, phones: Phone[]): Spoken {
  const wholeMs = (samples.length / sampleRate) * 1000;
  const firstMs = phones[0]?.name === 'pau' ? phones[0].endMs : 0;
  const lastMs = phones.at(-1)?.name === 'pau' ? (phones.at(-2)?.endMs ?? 0) : wholeMs;
  const fromMs = Math.max(0, firstMs - lead);
  const untilMs = Math.min(wholeMs, lastMs + (/[.!?…]["”’)]*\s*$/.test(text) ? tail.sentence : tail.clause));
  const moved = phones.map(({ name, endMs }) => ({
    name,
    endMs: Math.min(untilMs, Math.max(fromMs, endMs)) - fromMs,
  }));
  const audio = samples.slice(at(fromMs), at(untilMs));
  return {
    audio,
    durationMs: Math.round((audio.length / sampleRate) * 1000),
    source: 'engine',
    cues: cuesOf(moved),
    words: wordTimes(text, moved),
  };
}

const at = (ms: number) => Math.round((ms / 1000) * sampleRate);

function silence(): Spoken {
  return { audio: new Int16Array(at(200)), durationMs: 200, source: 'engine', cues: [[0, 'sil']], words: [] };
}
