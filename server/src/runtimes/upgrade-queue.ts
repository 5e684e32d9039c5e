import type { ChildProcess } from 'node:child_process';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { PendingUpgrade } from './pending-upgrade.ts';
import { refuseUpgrade } from './refuse-upgrade.ts';

/** From the arrival of an upgrade until the runtime has its socket. */
const handOverMs = 10_000;

/**
 * Upgrades on their way to the runtime: those that wait for it and the one that was sent. Node sends a socket to another process only after
 * the one before was received, so one at a time is sent here, too; the others are still read, and a client that leaves is noticed.
 */
export class UpgradeQueue {
  readonly #most: number;
  readonly #pending = new Map<PendingUpgrade, NodeJS.Timeout>();
  #waiting: PendingUpgrade[] = [];
  #sent: PendingUpgrade | undefined;
  #process: ChildProcess | undefined;
  #isStopped = false;
  #lastId = 0;

  /** `most` is how many sockets may be on their way at a time. */
  constructor(most: number) {
    this.#most = most;
  }

  get underWay(): number {
    return this.#pending.size;
  }

  arrive(request: IncomingMessage, socket: Socket, head: Buffer): void {
    // A conversation may be silent for long; the runtime notices clients that are gone.
    socket.setTimeout(0);
    socket.on('error', () => {});
    if (this.#isStopped || this.#pending.size >= this.#most) {
      refuseUpgrade(socket, 503, 1);
      return;
    }
    const upgrade = new PendingUpgrade(request, socket, head);
    this.#pending.set(
      upgrade,
      setTimeout(() => this.#refuse(upgrade), handOverMs),
    );
    socket.once('close', () => this.#settle(upgrade));
    this.#waiting.push(upgrade);
    this.#sendNext();
    if (this.#sent !== upgrade) this.#watch(upgrade);
  }

  /** Sends the waiting sockets, and those to come, to this process. */
  sendTo(process: ChildProcess): void {
    this.#process = process;
    this.#sendNext();
  }

  /** The process has the socket. Here it would still count as a connection of the listener. */
  taken(id: number): void {
    const sent = this.#sent;
    if (sent?.id !== id) return;
    this.#settle(sent);
    sent.socket.destroy();
  }

  /** The process has ended. A socket that it did not take waits for the next process: Node would forget it. */
  processEnded(): void {
    this.#process = undefined;
    const returned = this.#sent;
    this.#sent = undefined;
    if (returned === undefined) return;
    if (this.#isStopped) {
      this.#refuse(returned);
      return;
    }
    this.#waiting.unshift(returned);
    this.#watch(returned);
  }

  /** Refuses what waits and what comes from now on. */
  stop(): void {
    this.#isStopped = true;
    for (const upgrade of this.#waiting) this.#refuse(upgrade);
  }

  #watch(upgrade: PendingUpgrade): void {
    upgrade.watch(() => upgrade.socket.destroy());
  }

  #sendNext(): void {
    if (this.#process === undefined || this.#sent !== undefined) return;
    const next = this.#waiting.shift();
    if (next === undefined) return;
    this.#sent = next;
    // Otherwise Node asks the other process about it, and closing the listener waits for the answer.
    Object.assign(next.socket, { server: null });
    this.#process.send(next.release(++this.#lastId), next.socket, { keepOpen: true }, () => {});
  }

  #refuse(upgrade: PendingUpgrade): void {
    if (this.#settle(upgrade)) refuseUpgrade(upgrade.socket, 503, 1);
  }

  /** False when the upgrade was settled before. */
  #settle(upgrade: PendingUpgrade): boolean {
    clearTimeout(this.#pending.get(upgrade));
    if (!this.#pending.delete(upgrade)) return false;
    this.#waiting = this.#waiting.filter((other) => other !== upgrade);
    if (this.#sent === upgrade) this.#sent = undefined;
    this.#sendNext();
    return true;
  }
}
