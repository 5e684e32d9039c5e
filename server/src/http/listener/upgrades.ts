import { IncomingMessage } from 'node:http';
import { rtviPath, runtimePath } from '@session-launch/contract/wire';

/**
 * A request of the public listener. Once an `upgrade` listener exists, Node stops treating any request with an `Upgrade` header as HTTP.
 * Here, only a WebSocket to the runtime is an upgrade; other requests, such as those of clients that offer h2c, are handled as usual.
 */
export class PublicRequest extends IncomingMessage {
  declare offersUpgrade: boolean | null;

  get upgrade(): boolean {
    return this.offersUpgrade === true && (this.method === 'CONNECT' || isForRuntime(this));
  }

  /** Node sets it while the request is read. */
  set upgrade(offers: boolean | null) {
    this.offersUpgrade = offers;
  }
}

function isForRuntime({ url = '', headers, method }: IncomingMessage): boolean {
  const path = url.split('?', 1)[0];
  const isPath = path === runtimePath || path === rtviPath;
  return isPath && method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket';
}
