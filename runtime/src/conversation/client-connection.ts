import type { Refusal } from '../refusals.ts';

/** The current connection of a client. */
export interface ClientConnection {
  sendText(json: string): void;
  sendAudio(frame: Uint8Array): void;
  /** Bytes buffered because the client has not read them yet. */
  readonly unsent: number;
  close(code: number, reason: string): void;
  /** Sends the refusal as a fatal error and closes the connection. The session can be resumed. */
  refuse(refusal: Refusal): void;
  /** The user has started or stopped speaking, as detected in the audio. Absent if the protocol has no message for it. */
  userSpeaking?(isSpeaking: boolean): void;
}
