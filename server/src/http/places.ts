import type { IncomingMessage } from 'node:http';

/** Called by a request to give its place back while it needs none, and to have it again. */
type Keep = (kept: boolean) => void;

/**
 * So many requests may be worked on at a time. One call takes a place, does the work and gives the place back,
 * so that none is lost, however the work ends and whoever has left meanwhile.
 */
export class Places {
  readonly #most: number;
  #underWay = 0;
  #refused = 0;
  /** Requests whose bodies did not come along with their headers. */
  #incomplete: Array<{ request: IncomingMessage; keep: Keep }> = [];

  constructor(most: number) {
    this.#most = most;
  }

  get underWay(): number {
    return this.#underWay;
  }

  /** How often there was no place. */
  get refused(): number {
    return this.#refused;
  }

  /** Does the work in a place; without a free one, does the other thing. */
  async hold<T>(
    request: IncomingMessage,
    work: () => T | Promise<T>,
    otherwise: () => T | Promise<T>,
  ): Promise<T> {
    if (this.#underWay >= this.#most) {
      this.#refused++;
      return otherwise();
    }
    let isKept = true;
    let isOver = false;
    this.#underWay++;
    const keep = (kept: boolean) => {
      if (isOver || kept === isKept) return;
      isKept = kept;
      this.#underWay += kept ? 1 : -1;
    };
    if (!request.complete) this.#lookBack({ request, keep });
    try {
      return await work();
    } finally {
      keep(false);
      isOver = true;
    }
  }

  /** Whether a body came along shows in the next turn of the event loop. Who is slow to send keeps no place from others. */
  #lookBack(arrival: { request: IncomingMessage; keep: Keep }): void {
    if (this.#incomplete.push(arrival) > 1) return;
    setImmediate(() => {
      for (const { request, keep } of this.#incomplete.splice(0)) {
        if (request.complete) continue;
        keep(false);
        request.once('end', () => keep(true));
      }
    });
  }
}
