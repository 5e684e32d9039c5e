import type { IncomingMessage } from 'node:http';

/** Of one request, which gives it back while its body is still on the way. */
interface Place {
  request: IncomingMessage;
  isKept: boolean;
  isOver: boolean;
}

/**
 * So many requests may be worked on at a time. One call takes a place, does the work and gives the place back,
 * so that none is lost, however the work ends and whoever has left meanwhile.
 */
export class Places {
  readonly #most: number;
  #underWay = 0;
  #refused = 0;
  /** Requests whose bodies did not come along with their headers. */
  #incomplete: Place[] = [];

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

  /** Does the work in a place; without a free one, does the other thing. Both get the arguments. */
  async hold<T, Args extends unknown[]>(
    request: IncomingMessage,
    work: (...args: Args) => T | Promise<T>,
    otherwise: (...args: Args) => T | Promise<T>,
    ...args: Args
  ): Promise<T> {
    if (this.#underWay >= this.#most) {
      this.#refused++;
      return otherwise(...args);
    }
    const place: Place = { request, isKept: true, isOver: false };
    this.#underWay++;
    if (!request.complete) this.#lookBack(place);
    try {
      return await work(...args);
    } finally {
      this.#keep(place, false);
      place.isOver = true;
    }
  }

  #keep(place: Place, isKept: boolean): void {
    if (place.isOver || place.isKept === isKept) return;
    place.isKept = isKept;
    this.#underWay += isKept ? 1 : -1;
  }

  /** Whether a body came along shows in the next turn of the event loop. Who is slow to send keeps no place from others. */
  #lookBack(place: Place): void {
    if (this.#incomplete.push(place) > 1) return;
    setImmediate(() => {
      for (const waiting of this.#incomplete.splice(0)) {
        if (waiting.isOver || waiting.request.complete) continue;
        this.#keep(waiting, false);
        waiting.request.once('end', () => this.#keep(waiting, true));
      }
    });
  }
}
