import type { SpeechCue } from '../../../../sdk/browser/src/types/plug-ins.ts';
import { samples } from '../../voices/samples.ts';

/** Milliseconds between two repetitions. */
const pauseMs = 1_200;

/** The mouth shapes of a sample, repeated until `stop` is called. A figure follows the first of its cues that has not ended. */
export function silentSample(): { cue: SpeechCue; stop(): void } {
  const { cues } = samples.slt!;
  const startedAt = performance.now();
  const lastsMs = cues.at(-1)![0] + pauseMs;
  let isOver = false;
  const clock = () => (isOver ? Number.NaN : (performance.now() - startedAt) % lastsMs);
  return {
    cue: { type: 'speech', characterId: '', cues, clock },
    stop: () => {
      isOver = true;
    },
  };
}
