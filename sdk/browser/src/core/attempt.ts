import type { Connection, EndReason, MintFields } from '../types.ts';
import type { Environment } from './environment.ts';
import type { Launched } from './manifest.ts';
import { callSafely } from './report.ts';

/** Milliseconds to let worklets stop before the AudioContext is closed. */
const workletStopMs = 250;

/** The resources of one session, from start to end. `close` releases all of them. */
export class Attempt {
  readonly #controller = new AbortController();
  /** Aborted when the session ends. */
  readonly signal = this.#controller.signal;
  declare readonly audio: AudioContext | undefined;
  declare readonly request: MintFields;
  /** Texts of the visitor to send as soon as the session is live. */
  readonly unsent: { id: string; text: string }[] = [];
  declare launched: Launched | undefined;
  declare connection: Connection | undefined;
  /** Whether the runtime ended the session because it is shutting down. */
  declare isRestarting: boolean | undefined;
  readonly #env: Environment;
  readonly #leaveUrl: string | undefined;

  constructor(env: Environment, leaveUrl: string | undefined, request: MintFields) {
    this.request = request;
    this.#env = env;
    this.#leaveUrl = leaveUrl;
    // Opened synchronously in the click handler: after an `await`, the autoplay policy may block it.
    this.audio = env.openAudio();
    this.audio?.resume().catch(() => {});
  }

  get isOver(): boolean {
    return this.signal.aborted;
  }

  sendUnsent(): void {
    for (const { id, text } of this.unsent.splice(0)) this.connection?.sendText(text, id);
  }

  /** `isReconnecting`: the transport has lost the connection, so it cannot send `bye`. */
  close(reason: EndReason, isReconnecting: boolean): void {
    this.#controller.abort();
    callSafely(() => this.connection?.close(reason));
    // A connected runtime receives `bye`. If there is no connection, or the page is being unloaded, post to the leave URL.
    const { launched } = this;
    if (launched && (reason === 'pagehide' || isReconnecting || !this.connection))
      callSafely(() => this.leave(launched, reason));
    const closeAudio = () => void this.audio?.close().catch(() => {});
    // Chromium leaks an AudioContext that is closed while its worklet runs, so close it later; not on unload, when timers do not run.
    if (reason === 'pagehide') closeAudio();
    else this.#env.setTimeout(closeAudio, workletStopMs);
  }

  /** Reports to the service that the client left. */
  leave = ({ manifest }: Launched, reason?: EndReason): void => {
    const url = this.#leaveUrl ?? manifest.links?.leave;
    if (url) this.#env.leave(url, manifest.sessionToken, reason === 'pagehide' ? 'beacon' : 'request');
  };
}
