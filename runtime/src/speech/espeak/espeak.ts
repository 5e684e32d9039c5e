import { voiceFactor } from '@session-launch/contract/project-file/voice';
import { readWav, resampled } from '@session-launch/process/wav';
import { EngineError } from '../../endpoint.ts';
import { withPredictedTiming } from '../predicted-timing.ts';
import type { Speech, Spoken, Voice } from '../speech.ts';
import { EspeakProcesses } from './processes.ts';
import { installedVoices, voiceFor } from './voices.ts';

/** The rate of flite: all audio of a session has one rate. The program synthesises at 22,050 Hz. */
const sampleRate = 16_000;
/** Words per minute for the rate 1. The program's default, 175, is faster than flite. */
const wordsPerMinute = 160;
/** Limits that the program accepts without distortion. */
const speed = { minimum: 80, maximum: 400 };
/** Timeout of the list of voices in milliseconds. */
const listMs = 5000;

/** Opens eSpeak NG. Resolves to `undefined` if the program is not installed or speaks none of the languages; rejects if it fails. */
export async function openEspeak(program: string, count: number): Promise<Speech | undefined> {
  const processes = new EspeakProcesses(program, count);
  const voices = await listVoices(processes);
  if (voices === undefined || voices.size === 0) return undefined;
  return {
    sampleRate,
    nameFor: () => 'espeak-ng',
    speaks: (locale) => voiceFor(locale, voices) !== undefined,
    speak: async ({ text, locale, voice, session }, signal): Promise<Spoken> => {
      const said = readable(text);
      if (said === '') return { ...silence, audio: new Int16Array((silence.durationMs * sampleRate) / 1000) };
      const wav = readWav(
        await processes.run(optionsFor(voiceFor(locale, voices)!, voice), said, session, signal),
      );
      if (wav === undefined) throw new EngineError(0, 'espeak-ng did not print a WAV file');
      return withPredictedTiming(text, resampled(wav, sampleRate), sampleRate, { trims: true });
    },
    close: () => processes.close(),
  };
}

const silence: Omit<Spoken, 'audio'> = { durationMs: 200, source: 'text', cues: [[0, 'sil']], words: [] };

async function listVoices(processes: EspeakProcesses): Promise<ReadonlySet<string> | undefined> {
  try {
    const listed = await processes.run(['--voices'], '', {}, new AbortController().signal, listMs);
    return installedVoices(listed.toString());
  } catch (error) {
    await processes.close();
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * The program would read words in double brackets as phonemes, and control characters as commands that change the voice. It also spells out
 * signs and emoji.
 */
export function readable(text: string): string {
  const plain = text
    .replace(/[\p{C}\p{Extended_Pictographic}"*_#`~<>[\]{}|\\^]/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return /[\p{L}\p{N}]/u.test(plain) ? plain : '';
}

/** Command-line options of a voice. They contain nothing that users typed. */
export function optionsFor(name: string, { settings, pace }: Voice): string[] {
  const { voice, pitch, rate } = (settings.flite ?? {}) as Record<string, unknown>;
  const perMinute = Math.round(wordsPerMinute * factor(rate) * pace);
  return [
    ...['-v', `${name}+${variants[String(voice)] ?? variants.slt}`],
    ...['-s', String(Math.min(speed.maximum, Math.max(speed.minimum, perMinute)))],
    // The option is exponential: 0 is half the natural pitch, 50 the natural one, 100 would be twice as high.
    ...['-p', String(Math.min(99, Math.round(50 + 50 * Math.log2(factor(pitch)))))],
  ];
}

/** Variants of the program's voices that are as high as the voices of flite. */
const variants: Record<string, string> = { slt: 'f2', rms: 'm3', awb: 'm1', kal16: 'm7' };

function factor(value: unknown): number {
  const { minimum, maximum } = voiceFactor;
  return typeof value === 'number' && value >= minimum && value <= maximum ? value : 1;
}
