import { bounds } from '@session-launch/contract/runtime/protocol';

interface Pending {
  client: string;
  close(): void;
}

/**
 * Sockets that have not sent `hello`, by client network. Beyond a limit the oldest socket is closed in favour of the new one:
 * per network the network's own, over all networks that of the network with the most. A flood from one network therefore
 * closes no socket of another.
 */
export class PendingSockets {
  readonly #most: number;
  readonly #byClient = new Map<string, Set<Pending>>();
  #size = 0;

  constructor(maxSessions: number) {
    this.#most = maxSessions + bounds.socketsBeforeHello;
  }

  /** Adds a socket. Returns the function that removes it again; `close` is called if it has to make room. */
  add(client: string, close: () => void): () => void {
    const pending = { client, close };
    const mine = this.#byClient.get(client) ?? new Set();
    const isNetworkFull = mine.size >= bounds.socketsBeforeHelloPerNetwork;
    if (isNetworkFull || this.#size >= this.#most) {
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
