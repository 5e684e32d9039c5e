import type { Spoken } from './speech.ts';
import { stretched } from './speech-timing.ts';

/** Maximum absolute value of a sample that counts as silence, of 32,767. */
const quiet = 300;
/** Milliseconds of silence that trimmed audio keeps at both ends. */
const kept = { lead: 40, tail: 160 };

/** Audio of an engine that returns no timings: the predicted sounds are scaled to the part that is not silent. */
export function withPredictedTiming(
  text: string,
  samples: Int16Array,
  sampleRate: number,
  { trims = false } = {},
): Spoken {
  const at = (ms: number) => Math.round((ms * sampleRate) / 1000);
  const ms = (count: number) => (count / sampleRate) * 1000;
  const loud = (sample: number) => Math.abs(sample) > quiet;
  const end = samples.findLastIndex(loud) + 1;
  const audio =
    trims && end > 0
      ? samples.slice(Math.max(0, samples.findIndex(loud) - at(kept.lead)), end + at(kept.tail))
      : samples;
  const durationMs = Math.round(ms(audio.length));
  const last = audio.findLastIndex(loud);
  const silence = {
    lead: ms(Math.max(0, audio.findIndex(loud))),
    tail: last < 0 ? 0 : ms(audio.length - last),
  };
  const { cues, words } = stretched(text, durationMs, silence);
  return { audio, durationMs, source: 'text', cues, words };
}
