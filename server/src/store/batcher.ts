import { unavailable } from '../errors.ts';
import { endOfTurn } from '../turn.ts';

/** Beyond this many, the next one is refused at once instead of growing memory. */
const maxWaiting = 10_000;

interface Waiting<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

/**
 * Natural batching: what is asked while a query is under way goes out together in the next one. A lone item is never
 * delayed, and a crowd shares its round trips. `send` answers in the order of the items.
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
    if (this.#queue.length >= maxWaiting) return Promise.reject(unavailable());
    return new Promise((resolve, reject) => {
      this.#queue.push({ item, resolve, reject });
      if (this.#sending) return;
      this.#sending = true;
      // Once every request that has arrived by now has asked.
      void endOfTurn().then(() => this.#drain());
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
