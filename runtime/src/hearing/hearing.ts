import type { Audio } from '@session-launch/process/wav';

/** Identifies a session. */
export interface HearingSession {
  /** Phrases that are likely to be said in it. */
  hints?: readonly string[];
}

/** A speech recognition engine on the server. */
export interface Hearing {
  name: string;
  /** Whether it understands a language. Absent: it understands all of them. */
  hears?(locale: string): boolean;
  /** Runs on this machine: transcribing audio in advance costs nothing but CPU time. */
  isLocal?: true;
  /** Loads it, if that has not happened yet. Called when a session with speech input begins. */
  prepare?(): void;
  /** Returns the transcript; empty if the audio contains no words. Sessions are served in turn. */
  transcribe(
    audio: Audio,
    locale: string | undefined,
    signal: AbortSignal,
    session?: HearingSession,
  ): Promise<string>;
  close?(): Promise<void>;
}
