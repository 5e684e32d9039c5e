import type { SpeechCue } from '../../types.ts';
import { ease, type Pose, poseOf, visemeAt } from './visemes.ts';

/** Milliseconds by which mouth shapes lead the sound. Compensates the delay of easing (time constant 28 ms). */
const aheadMs = 30;

/** The utterances that a character speaks, and the shape of its mouth. */
export class Speech {
  #cues: SpeechCue[] = [];
  #pose = poseOf('sil');

  hear(cue: SpeechCue): void {
    this.#cues.push(cue);
  }

  get pose(): Pose {
    return this.#pose;
  }

  get isTalking(): boolean {
    return this.#cues.some((cue) => cue.clock() >= 0);
  }

  /** Moves the mouth towards the present viseme and returns that. `elapsed` is in seconds. */
  advance(elapsed: number): string {
    this.#cues = this.#cues.filter((cue) => !Number.isNaN(cue.clock()));
    const cue = this.#cues.find((one) => one.clock() >= 0);
    const viseme = cue === undefined ? 'sil' : visemeAt(cue.cues, cue.clock() + aheadMs);
    this.#pose = ease(this.#pose, poseOf(viseme), elapsed);
    return viseme;
  }
}
