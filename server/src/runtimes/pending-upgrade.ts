import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** Maximum buffered bytes of a client before its socket is handed over. A WebSocket client sends none. */
const maxEarlyBytes = 16 * 1024;

/** A WebSocket upgrade whose socket has not been handed over to the runtime yet. */
export class PendingUpgrade {
  readonly socket: Socket;
  /** The client network that it counts under. */
  readonly client: string;
  readonly arrivedAt = performance.now();
  /** Set when the socket is sent. */
  id = 0;
  readonly #request: object;
  #early: Buffer[];
  #onData: ((chunk: Buffer) => void) | undefined;
  #onEnd: (() => void) | undefined;

  constructor({ method, url, headers }: IncomingMessage, socket: Socket, head: Buffer, client: string) {
    this.socket = socket;
    this.client = client;
    this.#request = { method, url, headers, client };
    this.#early = [head];
  }

  /** Reads from the socket while it is queued; otherwise a client that disconnects would not be noticed. */
  watch(left: () => void): void {
    let kept = 0;
    this.#onData = (chunk) => {
      this.#early.push(chunk);
      kept += chunk.length;
      if (kept > maxEarlyBytes) handleOf(this.socket)?.readStop();
    };
    this.#onEnd = left;
    this.socket.on('data', this.#onData);
    this.socket.on('end', this.#onEnd);
    handleOf(this.socket)?.readStart();
    this.socket.resume();
  }

  /**
   * Stops reading and returns the message for the runtime: bytes that arrive from now on are read there. Pausing is not enough, because a
   * paused stream still reads ahead. `net` servers have `pauseOnConnect` for that; `http` servers need the handle.
   */
  release(id: number): object {
    this.id = id;
    handleOf(this.socket)?.readStop();
    if (this.#onData !== undefined) this.socket.off('data', this.#onData);
    if (this.#onEnd !== undefined) this.socket.off('end', this.#onEnd);
    this.socket.pause();
    const rest = this.socket.read() as Buffer | null;
    if (rest !== null) this.#early.push(rest);
    const head = Buffer.concat(this.#early);
    // Kept in case the process exits before it takes the socket.
    this.#early = [head];
    return { type: 'upgrade', id, request: this.#request, head: head.toString('base64') };
  }
}

function handleOf(socket: Socket): { readStop(): void; readStart(): void } | null {
  return (socket as unknown as { _handle: { readStop(): void; readStart(): void } | null })._handle;
}
