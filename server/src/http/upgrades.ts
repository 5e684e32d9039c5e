import { IncomingMessage } from 'node:http';

/** Where clients reach the runtime beside the service. */
export const runtimePath = '/runtime';

/**
 * A request of the public listener. Node takes every request that offers an upgrade out of HTTP as soon as somebody listens for
 * upgrades; here only a WebSocket to the runtime is one. Others, such as clients that offer h2c with every request, are
 * answered as if they had not.
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
  const isPath = url === runtimePath || url.startsWith(`${runtimePath}?`);
  return isPath && method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket';
}
