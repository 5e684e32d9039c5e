import type { ChildProcess } from 'node:child_process';
import type { IncomingMessage } from 'node:http';
import type { BlockList, Socket } from 'node:net';
import { networkOf } from '@session-launch/process/client-address';
import type { Logger } from 'pino';
import { NetworkLimits } from './network-limits.ts';
import { PendingUpgrade } from './pending-upgrade.ts';
import { refuseUpgrade } from './refuse-upgrade.ts';
import { type UpgradeOutcome, UpgradeReports } from './upgrade-reports.ts';

export interface UpgradeQueueDeps {
  log: Logger;
  trustProxy: BlockList | undefined;
  /** Maximum sockets that wait for the runtime to take them; one client network may have a quarter of them. */
  maxUpgrades: number;
  /** Maximum concurrent sessions of the runtime. */
  maxSessions: number;
  handOverMs?: number;
}

/** Maximum milliseconds from the arrival of an upgrade until the runtime has taken its socket. */
const defaultHandOverMs = 10_000;

/**
 * Passes upgrade sockets to the runtime process, one at a time: Node sends the next socket only after the previous one was received. The
 * queue reads the waiting sockets, so that it notices a client that disconnects.
 */
export class UpgradeQueue {
  readonly reports: UpgradeReports;
  readonly #max: number;
  readonly #handOverMs: number;
  readonly #trustProxy: BlockList | undefined;
  readonly #limits: NetworkLimits;
  readonly #pending = new Map<PendingUpgrade, NodeJS.Timeout>();
  #waiting: PendingUpgrade[] = [];
  #sent: PendingUpgrade | undefined;
  #process: ChildProcess | undefined;
  #isStopped = false;
  #lastId = 0;

  constructor({
    log,
    trustProxy,
    maxUpgrades,
    maxSessions,
    handOverMs = defaultHandOverMs,
  }: UpgradeQueueDeps) {
    this.reports = new UpgradeReports(log);
    this.#max = maxUpgrades;
    this.#handOverMs = handOverMs;
    this.#trustProxy = trustProxy;
    this.#limits = new NetworkLimits(maxSessions, Math.ceil(maxUpgrades / 4));
  }

  get inFlight(): number {
    return this.#pending.size;
  }

  add(request: IncomingMessage, socket: Socket, head: Buffer): void {
    // No idle timeout: a conversation may be silent for long, and the runtime detects lost clients itself.
    socket.setTimeout(0);
    socket.on('error', () => {});
    if (socket.remoteAddress === undefined) {
      this.reports.add('client_left', 0);
      socket.destroy();
      return;
    }
    const client = networkOf(request, this.#trustProxy);
    const refusal = this.#refusalFor(client);
    if (refusal !== undefined) {
      this.reports.add(refusal.outcome, 0);
      refuseUpgrade(socket, refusal.outcome === 'refused_limit' ? 429 : 503, refusal.seconds);
      return;
    }
    const upgrade = new PendingUpgrade(request, socket, head, client);
    // The immediate runs after pending messages are read: if this event loop was blocked, `taken` may be among them.
    const late = setTimeout(() => setImmediate(() => this.#settle(upgrade, 'timed_out')), this.#handOverMs);
    this.#pending.set(upgrade, late);
    this.#limits.begin(client);
    socket.once('close', () => this.#settle(upgrade, 'client_left'));
    this.#waiting.push(upgrade);
    this.#sendNext();
    if (this.#waiting.includes(upgrade)) this.#watch(upgrade);
  }

  /** Sends queued and later sockets to this process. */
  sendTo(process: ChildProcess): void {
    this.#process = process;
    this.#sendNext();
  }

  /** The process has taken the socket. */
  taken(id: number): void {
    if (this.#sent?.id === id) this.#settle(this.#sent, 'handed_over');
  }

  /** The process has exited. A socket that it did not take is queued for the next process; Node would drop it. */
  processEnded(): void {
    this.#process = undefined;
    const returned = this.#sent;
    if (returned === undefined) return;
    if (this.#isStopped) {
      this.#settle(returned, 'refused_stopping');
      return;
    }
    this.#sent = undefined;
    this.#waiting.unshift(returned);
    this.#watch(returned);
  }

  /** Refuses queued and later upgrades. */
  stop(): void {
    this.#isStopped = true;
    for (const upgrade of this.#waiting) this.#settle(upgrade, 'refused_stopping');
  }

  #refusalFor(client: string): { outcome: UpgradeOutcome; seconds: number } | undefined {
    if (this.#isStopped) return { outcome: 'refused_stopping', seconds: 1 };
    const seconds = this.#limits.admit(client);
    if (seconds > 0) return { outcome: 'refused_limit', seconds };
    return this.#pending.size < this.#max ? undefined : { outcome: 'refused_full', seconds: 1 };
  }

  #watch(upgrade: PendingUpgrade): void {
    upgrade.watch(() => this.#settle(upgrade, 'client_left'));
  }

  #sendNext(): void {
    if (this.#process === undefined || this.#sent !== undefined) return;
    const next = this.#waiting.shift();
    if (next === undefined) return;
    this.#sent = next;
    // Otherwise closing the listener would wait for the other process to report the socket as closed.
    Object.assign(next.socket, { server: null });
    this.#process.send(next.release(++this.#lastId), next.socket, { keepOpen: true }, () => {});
  }

  /** Ends an upgrade with its first outcome; later ones are ignored. */
  #settle(upgrade: PendingUpgrade, outcome: UpgradeOutcome): void {
    clearTimeout(this.#pending.get(upgrade));
    if (!this.#pending.delete(upgrade)) return;
    this.#limits.end(upgrade.client);
    this.#waiting = this.#waiting.filter((other) => other !== upgrade);
    const isSent = this.#sent === upgrade;
    if (isSent) this.#sent = undefined;
    this.reports.add(outcome, performance.now() - upgrade.arrivedAt);
    // Only destroy our handle of a socket that was sent: the runtime may already serve it, even if `taken` has not arrived. An open handle
    // would still count as a connection of the listener.
    if (isSent || outcome === 'client_left') upgrade.socket.destroy();
    else refuseUpgrade(upgrade.socket, 503, 1);
    this.#sendNext();
  }
}
