import type { Cue, CueSource, WordTime } from '@session-launch/contract/runtime/protocol';

/** A part of live speech with its timings, in milliseconds from the start of the speech. */
export interface SpeechPart {
  audio: Int16Array;
  source: CueSource;
  cues: Cue[];
  /** Words that start in this part, with their offsets in the text of the speech. */
  words: WordTime[];
}

/** Speech that is played while it arrives. */
export interface LiveSpeech {
  /** The text that has arrived so far. */
  readonly text: string;
  /** Milliseconds of the audio that was taken so far. */
  readonly takenMs: number;
  /** Whether all audio has arrived and was taken. */
  readonly isOver: boolean;
  /** How much of it the listener has heard. Set by the player when the message ends. */
  heardMs: number;
  /** Called when text or audio has arrived. Set by the player. */
  changed: () => void;
  /** Takes the next whole frames of the audio, at most `maxMs` milliseconds. Returns `undefined` if there is none yet. */
  take(maxMs: number): SpeechPart | undefined;
}
