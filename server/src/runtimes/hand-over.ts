import type { ChildProcess } from 'node:child_process';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** A client that wants to talk. */
export interface Arrival {
  request: IncomingMessage;
  socket: Socket;
  head: Buffer;
}

/**
 * Sockets on their way to a process. They stay open here until it says that it has them: Node forgets those that it was sending when a
 * process dies, and their clients would wait for ever.
 */
export class HandOver {
  readonly #process: ChildProcess;
  readonly #underWay = new Map<number, Arrival>();
  #given = 0;

  constructor(process: ChildProcess) {
    this.#process = process;
  }

  give(arrival: Arrival): void {
    const { request, socket, head } = arrival;
    if (socket.destroyed) return;
    const { method, url, headers } = request;
    const id = ++this.#given;
    const upgrade = { type: 'upgrade', id, request: { method, url, headers }, head: head.toString('base64') };
    // Node would otherwise ask the other process about it, and a stop of the listener would wait for the answer.
    Object.assign(socket, { server: null });
    this.#underWay.set(id, arrival);
    // Whatever keeps it from being sent ends the process as well, and then it is taken back.
    this.#process.send(upgrade, socket, { keepOpen: true }, () => {});
  }

  /** The other process has it; here it would still count as a connection of the listener. */
  taken(id: number): void {
    this.#underWay.get(id)?.socket.destroy();
    this.#underWay.delete(id);
  }

  /** Those that a process which has ended did not take. */
  takeBack(): Arrival[] {
    const arrivals = [...this.#underWay.values()];
    this.#underWay.clear();
    return arrivals;
  }
}

/**
 * What the client says from here on is for the other process. Pausing would not do: a paused stream still reads ahead, and what it has read
 * stays behind. Servers of `net` have `pauseOnConnect` for that; those of `http` need the handle itself.
 */
export function stopReading(socket: Socket): void {
  (socket as unknown as { _handle: { readStop(): void } | null })._handle?.readStop();
}
