import { fliteVoices, voiceFactor } from '@session-launch/contract/project-file/voice';
import { readWav } from '@session-launch/process/wav';
import { concatenated } from '../../samples.ts';
import { unlessAborted } from '../../timeout.ts';
import { cuesOf, type Phone, readPhones } from '../phones.ts';
import type { Sentence, Speech, Spoken, Voice } from '../speech.ts';
import { wordTimes } from '../word-times.ts';
import { partsOf } from './parts.ts';
import { speakable } from './speakable.ts';
import { FliteThreads } from './threads.ts';

const sampleRate = 16_000;
/** Milliseconds of leading and trailing silence that are kept; the engine's output has more. */
const lead = 40;
const tail = { sentence: 160, clause: 40 };
const warmUp =
  'Good morning, and welcome. It takes a moment until I have found my voice, but from then on I am quick.';

/** The output of one run of the engine. */
interface Run {
  samples: Int16Array;
  phones: Phone[];
}

/** Offline English speech synthesis in worker threads, with exact phone timings. */
export async function openFlite(threads: number): Promise<Speech> {
  const pool = await FliteThreads.open(threads);
  const { signal } = new AbortController();
  const warm = argumentsFor(warmUp, { characterId: '', settings: {}, pace: 1 });
  // Warms up each thread. The runs are queued first, so that no client's sentence runs on a cold thread. Sentences do not depend on
  // their success: a thread that failed is replaced.
  const warmed = Promise.allSettled(Array.from({ length: pool.size }, () => pool.run(warm, pool, signal)));
  return {
    nameFor: () => 'flite',
    sampleRate,
    speaks: (locale) => /^en(-|$)/i.test(locale),
    speak: async ({ text, voice, session }: Sentence, signal: AbortSignal): Promise<Spoken> => {
      const parts = partsOf(speakable(text));
      if (parts.length === 0) return silence();
      await unlessAborted(warmed, signal);
      const spoken: Run[] = [];
      // Sequential, so that other sessions are served between two parts.
      for (const part of parts) {
        const { wav, printed } = await pool.run(argumentsFor(part, voice), session, signal);
        spoken.push({ samples: readWav(wav)!.samples, phones: readPhones(printed) });
      }
      const { samples, phones } = spoken.length === 1 ? spoken[0]! : joined(spoken);
      return trimmed(text, samples, phones);
    },
    close: () => pool.close(),
  };
}

/** Concatenates the audio of the parts and shifts their phone timings. */
function joined(parts: Run[]): Run {
  const phones: Phone[] = [];
  let length = 0;
  for (const part of parts) {
    const startMs = (length / sampleRate) * 1000;
    for (const { name, endMs } of part.phones) phones.push({ name, endMs: startMs + endMs });
    length += part.samples.length;
  }
  return { samples: concatenated(parts.map(({ samples }) => samples)), phones };
}

function argumentsFor(text: string, { settings, pace }: Voice): string[] {
  const flite = (settings.flite ?? {}) as { voice?: unknown; pitch?: unknown; rate?: unknown };
  const voice = fliteVoices.find((name) => name === flite.voice) ?? 'slt';
  const [rate, pitch] = [factor(flite.rate) * pace, factor(flite.pitch)];
  return [
    '-voice',
    voice,
    '-psdur',
    '--setf',
    `duration_stretch=${(1 / rate).toFixed(3)}`,
    ...(pitch === 1 ? [] : ['--setf', `f0_shift=${pitch.toFixed(3)}`]),
    '-t',
    text,
    '-o',
    '/spoken.wav',
  ];
}

/** The value if it is a factor within its limits, else 1. The service rejects other values in project files. */
function factor(value: unknown): number {
  const { minimum, maximum } = voiceFactor;
  return typeof value === 'number' && value >= minimum && value <= maximum ? value : 1;
}

/** Trims the silence at both ends to `lead` and `tail`, and shifts the timings. */
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
