import { endOfTick } from '../../primitives/event-loop.ts';
import { StoreUnavailable } from '../database-errors.ts';

/** Maximum queued items. Further items are rejected immediately, so that memory stays bounded. */
const maxWaiting = 10_000;

interface Waiting<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

/**
 * Natural batching: items submitted while a query is in flight are sent together in the next one. A single item is never delayed, and
 * concurrent items share a round trip. `send` returns results in the order of the items.
 */
export class Batcher<Item, Result> {
  readonly #send: (items: Item[]) => Promise<Result[]>;
  readonly #limit: number;
  #queue: Waiting<Item, Result>[] = [];
  #sending = false;

  constructor(limit: number, send: (items: Item[]) => Promise<Result[]>) {
    this.#limit = limit;
    this.#send = send;
  }

  submit(item: Item): Promise<Result> {
    if (this.#queue.length >= maxWaiting)
      return Promise.reject(new StoreUnavailable('too many look-ups are queued'));
    return new Promise((resolve, reject) => {
      this.#queue.push({ item, resolve, reject });
      if (this.#sending) return;
      this.#sending = true;
      // At the end of the tick, when all requests that have already arrived have submitted.
      void endOfTick().then(() => this.#drain());
    });
  }

  async #drain(): Promise<void> {
    while (this.#queue.length > 0) {
      const batch = this.#queue.splice(0, this.#limit);
      try {
        const results = await this.#send(batch.map(({ item }) => item));
        for (const [i, { resolve }] of batch.entries()) resolve(results[i]!);
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.#sending = false;
  }
}
