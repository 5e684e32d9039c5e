import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** Traffic is over when nothing but health checks has come for so long. */
const quietMs = 1_000;
/** Whoever asked for readiness in this time goes by it, and is waited for. */
const watchedMs = 30_000;
/** How often a watcher has to hear that the service is shutting down. */
const tellings = 3;

/**
 * The time between the wish to stop and the closed listener. Balancers learn from /readyz that they should send no more,
 * and until they have learned it they are served as ever; but each answer closes its connection.
 */
export class Drain {
  #lastRequest = Number.NEGATIVE_INFINITY;
  /** Who asks for readiness, by address: when last, and how often it has heard of the end. */
  readonly #watchers = new Map<string, { asked: number; told: number }>();
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
    const begun = performance.now();
    const watchers = [...this.#watchers.values()].filter(({ asked }) => begun - asked < watchedMs);
    while (performance.now() < deadline) {
      const isQuiet = performance.now() - this.#lastRequest >= quietMs;
      if (isQuiet && watchers.every(({ told }) => told >= tellings)) return;
      await sleep(50);
    }
  }

  #onRequest(request: IncomingMessage, response: ServerResponse): void {
    if (this.#begun) response.shouldKeepAlive = false;
    const { url = '' } = request;
    if (url.startsWith('/readyz')) this.#onCheck(request.socket.remoteAddress ?? '');
    else if (!url.startsWith('/healthz')) this.#lastRequest = performance.now();
  }

  #onCheck(address: string): void {
    let watcher = this.#watchers.get(address);
    if (watcher === undefined) {
      // Balancers are few; whoever else asks makes no memory grow.
      if (this.#watchers.size >= 100) this.#watchers.clear();
      watcher = { asked: 0, told: 0 };
      this.#watchers.set(address, watcher);
    }
    watcher.asked = performance.now();
    if (this.#begun) watcher.told++;
  }
}
