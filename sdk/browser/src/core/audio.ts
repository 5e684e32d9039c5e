// The microphone and the speaker as the core uses them; the entry points pass in their implementations.
import type { Connection, Microphone, Output } from '../types.ts';

/** The connection of the microphone to the current session. */
export interface MicSession {
  /** Whether the session takes speech input. If not, `enable` rejects without a permission prompt. */
  isAllowed: boolean;
  audio?: AudioContext | undefined;
  /** Receives the track while the microphone is on, and null when it is muted or lost. */
  give(track: MediaStreamTrack | null): void;
}

export interface SessionMicrophone extends Microphone {
  /** The track while the microphone is on, otherwise null. */
  readonly track: MediaStreamTrack | null;
  open(session: MicSession): void;
  /** As `enable`, but a muted microphone stays muted. */
  request(): Promise<void>;
  close(): void;
}

export interface SessionOutput extends Output {
  open(audio: AudioContext | undefined): void;
  /** Sets the playing connection. From now on, an AudioContext that is not running counts as blocked. */
  play(connection: Pick<Connection, 'setVolume' | 'level'>): void;
  close(): void;
}
