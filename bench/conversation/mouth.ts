import type { RuntimeEvent } from '@session-launch/contract/runtime/protocol';
import type { Listener } from './listener.ts';

const stepMs = 5;
/** Of the loudest step: below it nobody hears anything. */
const audible = 0.02;

/**
 * How far the mouth is from the sound, in milliseconds: at the beginning and the end of each utterance, the moment at which it opens or closes
 * for good against the one at which sound begins or is over.
 */
export function mouthErrors({ events, frames }: Pick<Listener, 'events' | 'frames'>): number[] {
  const rate = events.find((event) => event.type === 'ready')?.audio.output.sampleRate ?? 16_000;
  return events.filter(isCues).flatMap(({ utterance, cues }) => {
    const samples = frames
      .filter((frame) => frame.utterance === utterance)
      .flatMap((frame) => [...frame.samples]);
    const sound = soundOf(samples, rate);
    const opens = cues.find(([, viseme]) => viseme !== 'sil')?.[0];
    const closes = cues.findLast(([, viseme]) => viseme === 'sil')?.[0];
    if (sound === undefined || opens === undefined || closes === undefined) return [];
    return [Math.abs(opens - sound.fromMs), Math.abs(closes - sound.untilMs)];
  });
}

function isCues(event: RuntimeEvent): event is Extract<RuntimeEvent, { type: 'cues' }> {
  return event.type === 'cues';
}

/** Where something is heard. */
export function soundOf(
  samples: readonly number[],
  rate: number,
): { fromMs: number; untilMs: number } | undefined {
  const perStep = (rate * stepMs) / 1000;
  const steps = Array.from({ length: Math.floor(samples.length / perStep) }, (_, i) =>
    Math.hypot(...samples.slice(i * perStep, (i + 1) * perStep)),
  );
  const limit = Math.max(...steps) * audible;
  const first = steps.findIndex((loudness) => loudness > limit);
  if (first < 0) return undefined;
  return {
    fromMs: first * stepMs,
    untilMs: (steps.findLastIndex((loudness) => loudness > limit) + 1) * stepMs,
  };
}
