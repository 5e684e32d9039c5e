import type { Audio } from '@session-launch/process/wav';

/** A speech recognition engine on the server. */
export interface Hearing {
  name: string;
  /** Returns the transcript; empty if the audio contains no words. */
  transcribe(audio: Audio, locale: string | undefined, signal: AbortSignal): Promise<string>;
}
