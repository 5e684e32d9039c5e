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
  /** Maximum of sockets on their way to the runtime; a quarter of it per client network. */
  maxUpgrades: number;
  /** Sessions that the runtime takes at a time. */
  maxSessions: number;
}

/** From the arrival of an upgrade until the runtime has its socket. */
const handOverMs = 10_000;

/**
 * Upgrades on their way to the runtime: those that wait for it and the one that was sent. Node sends a socket to another process only after
 * the one before was received, so one at a time is sent here, too; the others are still read, and a client that leaves is noticed.
 */
export class UpgradeQueue {
  readonly reports: UpgradeReports;
  readonly #max: number;
  readonly #trustProxy: BlockList | undefined;
  readonly #limits: NetworkLimits;
  readonly #pending = new Map<PendingUpgrade, NodeJS.Timeout>();
  #waiting: PendingUpgrade[] = [];
  #sent: PendingUpgrade | undefined;
  #process: ChildProcess | undefined;
  #isStopped = false;
  #lastId = 0;

  constructor({ log, trustProxy, maxUpgrades, maxSessions }: UpgradeQueueDeps) {
    this.reports = new UpgradeReports(log);
    this.#max = maxUpgrades;
    this.#trustProxy = trustProxy;
    this.#limits = new NetworkLimits(maxSessions, Math.ceil(maxUpgrades / 4));
  }

  get inFlight(): number {
    return this.#pending.size;
  }

  add(request: IncomingMessage, socket: Socket, head: Buffer): void {
    // A conversation may be silent for long; the runtime notices clients that are gone.
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
    const late = setTimeout(() => this.#settle(upgrade, 'timed_out'), handOverMs);
    this.#pending.set(upgrade, late);
    this.#limits.begin(client);
    socket.once('close', () => this.#settle(upgrade, 'client_left'));
    this.#waiting.push(upgrade);
    this.#sendNext();
    if (this.#waiting.includes(upgrade)) this.#watch(upgrade);
  }

  /** Sends the waiting sockets, and those to come, to this process. */
  sendTo(process: ChildProcess): void {
    this.#process = process;
    this.#sendNext();
  }

  /** The process has the socket. */
  taken(id: number): void {
    if (this.#sent?.id === id) this.#settle(this.#sent, 'handed_over');
  }

  /** The process has ended. A socket that it did not take waits for the next process: Node would forget it. */
  processEnded(): void {
    this.#process = undefined;
    const returned = this.#sent;
    this.#sent = undefined;
    if (returned === undefined) return;
    if (this.#isStopped) {
      this.#settle(returned, 'refused_stopping');
      return;
    }
    this.#waiting.unshift(returned);
    this.#watch(returned);
  }

  /** Refuses the waiting upgrades and those to come. */
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
    // Otherwise Node asks the other process about it, and closing the listener waits for the answer.
    Object.assign(next.socket, { server: null });
    this.#process.send(next.release(++this.#lastId), next.socket, { keepOpen: true }, () => {});
  }

  /** Once for each upgrade: further outcomes are ignored. */
  #settle(upgrade: PendingUpgrade, outcome: UpgradeOutcome): void {
    clearTimeout(this.#pending.get(upgrade));
    if (!this.#pending.delete(upgrade)) return;
    this.#limits.end(upgrade.client);
    this.#waiting = this.#waiting.filter((other) => other !== upgrade);
    if (this.#sent === upgrade) this.#sent = undefined;
    this.reports.add(outcome, performance.now() - upgrade.arrivedAt);
    // A socket that was handed over would still count as a connection of the listener.
    if (outcome === 'handed_over' || outcome === 'client_left') upgrade.socket.destroy();
    else refuseUpgrade(upgrade.socket, 503, 1);
    this.#sendNext();
  }
}
