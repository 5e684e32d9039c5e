import type { IncomingMessage } from 'node:http';
import type { BlockList } from 'node:net';
import { networkOf } from '@session-launch/process/client-address';

/**
 * Who sent a request. A class and not a closure: closures over requests were seen to outlive them, and with them nearly twice as much
 * memory waited for a full garbage collection.
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
