import type { Connection, EndReason, SessionManifest } from '../types.ts';
import type { Environment } from './environment.ts';
import type { Fresh } from './manifest.ts';

/** In which worklets come to rest once they are told to stop. */
const lastSoundsMs = 250;

/** One way from start to end. Whatever it opened, `close` closes, for every reason alike. */
export class Attempt {
  readonly controller = new AbortController();
  readonly audio: AudioContext | undefined;
  fresh: Fresh | undefined;
  connection: Connection | undefined;
  isOver = false;
  /** The runtime ends it because it is about to be restarted itself. */
  isRestarting = false;
  readonly #env: Environment;
  readonly #leaveUrl: string | undefined;
  readonly #undo: (() => void)[] = [];

  constructor(env: Environment, leaveUrl: string | undefined) {
    this.#env = env;
    this.#leaveUrl = leaveUrl;
    // Inside the click, before anything is awaited: later it would stay silent.
    this.audio = env.openAudio();
    this.audio?.resume().catch(() => {});
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  get manifest(): SessionManifest | undefined {
    return this.fresh?.manifest;
  }

  undoLater(undo: () => void): void {
    this.#undo.push(undo);
  }

  close(reason: EndReason): void {
    this.isOver = true;
    this.controller.abort();
    this.connection?.close(reason);
    // A connected runtime hears `bye`. One that never was, or a page that is going away, needs another way.
    if (this.fresh && (reason === 'pagehide' || !this.connection)) this.leave(this.fresh, reason);
    for (const undo of this.#undo.splice(0)) undo();
    const hush = () => void this.audio?.close().catch(() => {});
    // Chromium keeps a context for ever whose worklet still ran when it was closed. A page that goes away has no time to wait.
    if (reason === 'pagehide') hush();
    else this.#env.setTimeout(hush, lastSoundsMs);
  }

  leave({ manifest }: Fresh, reason?: EndReason): void {
    const url = this.#leaveUrl ?? manifest.links?.leave;
    if (url) this.#env.leave(url, manifest.sessionToken, reason === 'pagehide' ? 'beacon' : 'request');
  }
}
