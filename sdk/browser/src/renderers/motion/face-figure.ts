import type { Mode, SpeechCue } from '../../types.ts';

/** A character that is moved frame by frame. */
export interface FaceFigure {
  hear(cue: SpeechCue): void;
  /** Draws one frame. `now` and `elapsed` are in seconds; `isStill` animates the mouth only. */
  draw(now: number, elapsed: number, mode: Mode | undefined, isStill: boolean): void;
}
