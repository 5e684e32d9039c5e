/** The way to a client that is connected right now. */
export interface Line {
  sendText(json: string): void;
  sendAudio(frame: Uint8Array): void;
  /** Bytes that the client has not taken yet. */
  readonly unsent: number;
  close(code: number, reason: string): void;
}
