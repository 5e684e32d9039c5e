import type { Cue, CueSource, WordTime } from '@session-launch/contract/runtime/protocol';

/** Voice settings of a character and the speaking rate that the user asked for. */
export interface Voice {
  characterId: string;
  /** The character's `voice` object in the project file. */
  settings: Record<string, unknown>;
  /** Speaking rate: 1 is normal; below 1 is slower. */
  pace: number;
}

export interface Sentence {
  text: string;
  locale: string;
  voice: Voice;
  /** Identifies the requesting session: engines with a queue serve sessions round-robin. */
  session: object;
}

/** A synthesised sentence: audio, visemes and word timings on one timeline. */
export interface Spoken {
  audio: Int16Array;
  durationMs: number;
  source: CueSource;
  cues: Cue[];
  words: WordTime[];
}

/** A speech synthesis engine on the server. */
export interface Speech {
  /** Name of the engine that speaks the locale. */
  nameFor(locale: string): string;
  sampleRate: number;
  /** Whether the engine supports the locale. If not, the page's speech synthesis or captions are used. */
  speaks(locale: string): boolean;
  /** Rejects when the signal is aborted; a sentence that is still queued is then never synthesised. */
  speak(sentence: Sentence, signal: AbortSignal): Promise<Spoken>;
  close(): Promise<void>;
}
