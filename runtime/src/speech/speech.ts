import type { Cue, CueSource, WordTime } from '@session-launch/contract/runtime/protocol';

/** Who is to be heard: what the project file says about the voice, and how the listener wants it. */
export interface Voice {
  characterId: string;
  /** The character's `voice`, in the words of the project file. */
  settings: Record<string, unknown>;
  /** 1 is usual; below it is slower. */
  pace: number;
}

export interface Sentence {
  text: string;
  locale: string;
  voice: Voice;
  /** Identity of the session that asks: engines with a queue serve sessions in turn. */
  session: object;
}

/** A sentence, spoken: sound, mouth and words on one clock. */
export interface Spoken {
  audio: Int16Array;
  durationMs: number;
  source: CueSource;
  cues: Cue[];
  words: WordTime[];
}

/** An engine that speaks on the server. */
export interface Speech {
  name: string;
  sampleRate: number;
  /** False where another way has to be found: the page's own voice, or captions. */
  speaks(locale: string): boolean;
  /** Rejects when the signal is aborted; a sentence that has not begun by then is never synthesised. */
  speak(sentence: Sentence, signal: AbortSignal): Promise<Spoken>;
  close(): Promise<void>;
}
