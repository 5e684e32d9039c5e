import type { Cue, RuntimeEvent, Viseme } from '@session-launch/contract/runtime/protocol';
import type { Listener } from './listener.ts';

export const stepMs = 5;
const farthestMs = 200;

/** Expected loudness per viseme, from 0 to 1: vowels are loud, closed lips are silent. */
export const loudnessOf: Record<Viseme, number> = {
  ...{ sil: 0, PP: 0.1, FF: 0.1, TH: 0.1, DD: 0.2, kk: 0.2, CH: 0.2, SS: 0.2 },
  ...{ nn: 0.5, RR: 0.6, aa: 1, E: 1, I: 0.8, O: 1, U: 0.8 },
};

/** Lip sync error of each utterance in milliseconds: the shift with the best correlation of visemes and audio. */
export function mouthErrors({ events, frames }: Pick<Listener, 'events' | 'frames'>): number[] {
  const rate = events.find((event) => event.type === 'ready')?.audio.output.sampleRate ?? 16_000;
  return events.filter(isCues).map(({ utterance, cues }) => {
    const samples = frames.flatMap((frame) => (frame.utterance === utterance ? [...frame.samples] : []));
    return Math.abs(shiftMs(samples, rate, cues));
  });
}

function isCues(event: RuntimeEvent): event is Extract<RuntimeEvent, { type: 'cues' }> {
  return event.type === 'cues';
}

/** Above zero: the mouth is late. */
export function shiftMs(samples: readonly number[], rate: number, cues: readonly Cue[]): number {
  const perStep = (rate * stepMs) / 1000;
  const heard = Array.from({ length: Math.floor(samples.length / perStep) }, (_, i) =>
    Math.hypot(...samples.slice(i * perStep, (i + 1) * perStep)),
  );
  const seen = heard.map((_, i) => loudnessOf[cues.findLast(([ms]) => ms <= i * stepMs)?.[1] ?? 'sil']);
  return bestShiftMs(heard, seen);
}

/** Returns the shift in milliseconds with the best correlation; inputs are in steps. Above zero: the mouth is late. */
export function bestShiftMs(heard: readonly number[], seen: readonly number[]): number {
  let best = { shift: 0, fit: Number.NEGATIVE_INFINITY };
  for (let shift = -farthestMs / stepMs; shift <= farthestMs / stepMs; shift++) {
    const fit = heard.reduce((sum, loudness, i) => sum + loudness * (seen[i + shift] ?? 0), 0);
    if (fit > best.fit || (fit === best.fit && Math.abs(shift) < Math.abs(best.shift))) best = { shift, fit };
  }
  return best.shift * stepMs;
}
