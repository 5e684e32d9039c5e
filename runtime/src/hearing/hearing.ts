import type { Sound } from '../speech/wav.ts';

/** An engine that understands speech on the server. */
export interface Hearing {
  name: string;
  /** What was said; empty when those were no words. */
  transcribe(sound: Sound, locale: string | undefined, signal: AbortSignal): Promise<string>;
}
