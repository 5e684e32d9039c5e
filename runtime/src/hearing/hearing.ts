import type { Sound } from '../speech/wav.ts';

/** A speech recognition engine on the server. */
export interface Hearing {
  name: string;
  /** Returns the words; empty if the sound has none. */
  transcribe(sound: Sound, locale: string | undefined, signal: AbortSignal): Promise<string>;
}
