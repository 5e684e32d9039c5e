import { bounds } from '@session-launch/contract/runtime/protocol';

interface Pending {
  client: string;
  close(): void;
}

/**
 * Sockets that have not sent `hello`, by client network. At the limit per network, a new socket evicts the oldest one of its network; at the
 * overall limit, the oldest one of the network with the most sockets. A flood from one network therefore closes no socket of another.
 */
export class PendingSockets {
  readonly #max: number;
  readonly #byClient = new Map<string, Set<Pending>>();
  #size = 0;

  constructor(maxSessions: number) {
    this.#max = maxSessions + bounds.socketsBeforeHello;
  }

  /** Adds a socket. Returns the function that removes it; `close` is called if the socket is evicted. */
  add(client: string, close: () => void): () => void {
    const pending = { client, close };
    const mine = this.#byClient.get(client) ?? new Set();
    const isNetworkFull = mine.size >= bounds.socketsBeforeHelloPerNetwork;
    if (isNetworkFull || this.#size >= this.#max) {
      const [oldest] = isNetworkFull ? mine : this.#largest();
      this.#remove(oldest!);
      oldest!.close();
    }
    this.#byClient.set(client, mine.add(pending));
    this.#size++;
    return () => this.#remove(pending);
  }

  #remove(pending: Pending): void {
    const sockets = this.#byClient.get(pending.client);
    if (!sockets?.delete(pending)) return;
    this.#size--;
    if (sockets.size === 0) this.#byClient.delete(pending.client);
  }

  #largest(): Set<Pending> {
    return [...this.#byClient.values()].reduce((most, one) => (one.size > most.size ? one : most));
  }
}
