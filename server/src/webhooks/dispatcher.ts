import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { firstIdAt, IdSequence } from '../primitives/ids.ts';
import type { Changes } from '../store/changes.ts';
import type { Database } from '../store/database.ts';
import type { AttemptDeps } from './attempt.ts';
import { claimWebhooks, deleteOldDeliveries, expireSessions, sequenceEvents } from './queue.ts';
import { resealSecrets } from './reseal.ts';
import { type SenderDeps, sendDeliveries } from './sender.ts';
import { hasWork } from './webhooks.ts';

export interface DispatcherDeps {
  database: Database;
  changes: Changes;
  log: Logger;
  sending: AttemptDeps;
  counts: WebhookCounts;
}

export interface WebhookCounts {
  attempted(outcome: 'delivered' | 'failed', seconds: number): void;
  disabled(reason: string): void;
}

/** Milliseconds between two looks at the outbox and the queues. */
const pollMs = 200;
/** Milliseconds between two looks for webhooks while there are none, and for sessions that have expired. */
const idlePollMs = 4_000;
/** Maximum events per statement. Small on the embedded engine, where a mint waits for it. */
const sequenced = { postgres: 500, embedded: 100 };
const expired = 500;
/** Maximum number of webhooks that a process sends to at the same time. */
const maxSenders = 500;
/** A look leases at most this many more, or doubles their number, so that other processes get a share. */
const claimed = 4;
/** Maximum number of deliveries in memory; each webhook may hold at least four. */
const maxDeliveries = 2_000;
/** Maximum concurrent statements of senders. */
const maxStatements = 3;
/** Milliseconds of a stop after which attempts in progress are aborted. */
const cutMs = 6_000;
const retentionMs = 30 * 24 * 60 * 60 * 1000;
const deletedRows = 500;
/** Maximum milliseconds per round of housekeeping. */
const cleanMs = 3_000;

/**
 * Puts events in their order, and sends them to webhooks. Every process runs one; they share the work through the database. A webhook is
 * served by one process at a time.
 */
export class Dispatcher {
  readonly #deps: DispatcherDeps;
  readonly #sending: SenderDeps;
  readonly #ids = new IdSequence('evt');
  readonly #senders = new Map<string, Promise<void>>();
  readonly #stopped = new AbortController();
  readonly #cut = new AbortController();
  #isUsed = false;
  #isResealed = false;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #wake: (() => void) | undefined;
  #running: Promise<void> | undefined;

  constructor(deps: DispatcherDeps) {
    this.#deps = deps;
    const { database, changes, log, counts } = deps;
    changes.onChange((change) => {
      if (change === undefined || change.kind === 'webhook') this.#lookedAt = Number.NEGATIVE_INFINITY;
      for (const id of this.#senders.keys())
        if (change === undefined || change.id === id) this.#sending.changed.add(id);
      if (change?.kind === 'webhook') this.#wake?.();
    });
    this.#sending = {
      ...deps.sending,
      database,
      log,
      worker: randomUUID(),
      changed: new Set(),
      onAttempt: counts.attempted,
      onDisabled: (webhookId, projectId, reason) => this.#onDisabled(webhookId, projectId, reason),
      inTurn: limited(database.engine === 'embedded' ? 1 : maxStatements),
      maxBatch: () => Math.max(4, Math.floor(maxDeliveries / Math.max(this.#senders.size, 10))),
    };
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Begins no attempt any more, waits for those in progress, and lets other processes take over. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    this.#wake?.();
    const timer = setTimeout(() => this.#cut.abort(), cutMs);
    await this.#running;
    await Promise.all(this.#senders.values());
    clearTimeout(timer);
  }

  /** Deletes old deliveries and those of deleted webhooks, in bounded batches. */
  async clean(): Promise<void> {
    const before = firstIdAt('evt', Date.now() - retentionMs);
    const until = performance.now() + cleanMs;
    let deleted: number;
    do deleted = await deleteOldDeliveries(this.#deps.database, before, deletedRows);
    while (deleted >= deletedRows && performance.now() < until);
  }

  async #run(): Promise<void> {
    let failures = 0;
    while (!this.#stopped.signal.aborted) {
      let isBehind = false;
      try {
        isBehind = await this.#look();
        failures = 0;
      } catch (error) {
        failures++;
        if (failures === 1 || failures % 50 === 0)
          this.#deps.log.warn({ err: error }, 'webhooks cannot be dispatched; it will be retried');
      }
      if (!isBehind) await this.#pause(failures > 0 ? 1_000 : this.#isUsed ? pollMs : idlePollMs);
    }
  }

  /** Returns whether there is more to do at once. */
  async #look(): Promise<boolean> {
    const { database, log, sending } = this.#deps;
    const isDue = performance.now() - this.#lookedAt >= idlePollMs;
    if (isDue) {
      const began = performance.now();
      this.#isUsed = await hasWork(database);
      this.#lookedAt = began;
    }
    if (!this.#isUsed) return false;
    if (!this.#isResealed) {
      await resealSecrets(database, sending.signingKeys, log);
      this.#isResealed = true;
    }
    if (isDue) await this.#expire();
    const isBehind = await this.#sequence();
    await this.#claim();
    return isBehind;
  }

  async #expire(): Promise<void> {
    let found: number;
    do found = await expireSessions(this.#deps.database, expired);
    while (found === expired);
  }

  async #sequence(): Promise<boolean> {
    const { database } = this.#deps;
    const ids = Array.from({ length: sequenced[database.engine] }, () => this.#ids.next());
    const done = await sequenceEvents(database, ids);
    if (done === undefined) return false;
    this.#ids.skipTo(done.lastId);
    return done.taken === -1 || done.taken === ids.length;
  }

  async #claim(): Promise<void> {
    const { size } = this.#senders;
    const most = Math.min(maxSenders - size, Math.max(claimed, size));
    if (most <= 0) return;
    const { database, log } = this.#deps;
    const { worker } = this.#sending;
    const signals = { stopped: this.#stopped.signal, cut: this.#cut.signal };
    const busy = [...this.#senders.keys()];
    for (const webhookId of await claimWebhooks(database, worker, busy, most)) {
      const sender = sendDeliveries(this.#sending, webhookId, signals)
        .catch((error) => log.error({ err: error, webhook: webhookId }, 'sending to a webhook failed'))
        .finally(() => {
          this.#senders.delete(webhookId);
          this.#sending.changed.delete(webhookId);
        });
      this.#senders.set(webhookId, sender);
    }
  }

  #onDisabled(webhookId: string, projectId: string, reason: string): void {
    const { changes, log, counts } = this.#deps;
    counts.disabled(reason);
    log.error(
      { webhook: webhookId, project: projectId },
      reason === 'gone'
        ? 'a webhook was disabled: its receiver answered 410'
        : 'a webhook was disabled: every attempt of five days failed',
    );
    changes
      .commit(async (_tx, changed) => changed({ kind: 'webhook', id: webhookId, projectId }))
      .catch((error) => log.warn({ err: error }, 'the change of a webhook was not announced'));
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
      if (this.#stopped.signal.aborted) this.#wake();
    });
  }
}

/** Runs at most this many calls at the same time, in their order. */
function limited(most: number): <T>(call: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (call) => {
    if (running >= most) await new Promise<void>((resolve) => waiting.push(resolve));
    else running++;
    try {
      return await call();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running--;
      else next();
    }
  };
}
