import type { IncomingMessage } from 'node:http';
import type { BlockList } from 'node:net';
import { networkOf } from '@session-launch/process/client-address';

/**
 * The sender of a request. A class rather than a closure: closures kept whole requests alive until a full garbage collection and
 * nearly doubled the memory in use.
 */
export class Client {
  readonly #request: IncomingMessage;
  readonly #proxies: BlockList | undefined;

  constructor(request: IncomingMessage, proxies: BlockList | undefined) {
    this.#request = request;
    this.#proxies = proxies;
  }

  /** The network that the request counts under. */
  network(): string {
    return networkOf(this.#request, this.#proxies);
  }
}
