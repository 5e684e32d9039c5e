import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** Traffic is over when nothing but health checks has come for so long. */
const quietMs = 1_000;
/** Whoever asked for readiness in this time goes by it, and is waited for. */
const watchedMs = 30_000;
/** How often a watcher has to hear that the service is shutting down. */
const tellings = 2;

/**
 * The time between the wish to stop and the closed listener. Balancers learn from /readyz that they should send no more,
 * and until they have learned it they are served as ever; but each answer closes its connection.
 */
export class Drain {
  #lastRequest = Number.NEGATIVE_INFINITY;
  #lastCheck = Number.NEGATIVE_INFINITY;
  #told = 0;
  #begun = false;

  constructor(server: Server) {
    server.prependListener('request', (request, response) => this.#onRequest(request, response));
  }

  get begun(): boolean {
    return this.#begun;
  }

  begin(): void {
    this.#begun = true;
  }

  /** Begins, and resolves when nobody sends any more or the time is up. */
  async quiet(graceMs: number): Promise<void> {
    this.begin();
    const deadline = performance.now() + graceMs;
    const isWatched = performance.now() - this.#lastCheck < watchedMs;
    while (performance.now() < deadline) {
      const isQuiet = performance.now() - this.#lastRequest >= quietMs;
      if (isQuiet && (!isWatched || this.#told >= tellings)) return;
      await sleep(50);
    }
  }

  #onRequest(request: IncomingMessage, response: ServerResponse): void {
    if (this.#begun) response.shouldKeepAlive = false;
    if (request.url === '/readyz') {
      this.#lastCheck = performance.now();
      if (this.#begun) this.#told++;
    } else if (request.url !== '/healthz') {
      this.#lastRequest = performance.now();
    }
  }
}
