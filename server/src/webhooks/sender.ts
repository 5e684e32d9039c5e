import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Database } from '../store/database.ts';
import { type Attempt, type AttemptDeps, attempt, attemptMs } from './attempt.ts';
import {
  type Continued,
  continueWebhook,
  type Delivery,
  leaseMs,
  type Progress,
  type Result,
} from './queue.ts';
import { retryAfterMs, retryDelay } from './schedule.ts';

export interface SenderDeps extends AttemptDeps {
  database: Database;
  log: Logger;
  /** Names this process in the leases of webhooks. */
  worker: string;
  onAttempt(outcome: 'delivered' | 'failed', seconds: number): void;
  onDisabled(webhookId: string, projectId: string, reason: string): void;
  /** Runs calls to the database, a few at a time. */
  inTurn<T>(call: () => Promise<T>): Promise<T>;
  /** Webhooks that were changed, paused or deleted since their deliveries were read: these are not sent any more. */
  changed: Set<string>;
  /** Maximum number of deliveries that one webhook may hold in memory. */
  maxBatch(): number;
}

/** Results are stored at the latest after this many milliseconds. A process that is killed repeats what it had not stored. */
const storeEveryMs = 1_000;
/** Milliseconds before the end of a lease from which no attempt is begun, so that two processes never send at the same time. */
const marginMs = attemptMs + 1_000;
const firstBatch = 20;
const minBatch = 4;
/** Maximum milliseconds between two attempts to store results. */
const maxPauseMs = 2_000;

/**
 * Sends the deliveries of a webhook that this process has leased, one after the other, until none is due, the receiver does not respond, or
 * `stopped` is aborted. `cut` aborts the attempt in progress.
 */
export async function sendDeliveries(
  deps: SenderDeps,
  webhookId: string,
  { stopped, cut }: { stopped: AbortSignal; cut: AbortSignal },
): Promise<void> {
  const { worker, onDisabled, changed } = deps;
  let most = firstBatch;
  let round: Round = { results: [], isGone: false };
  for (;;) {
    const leasedAt = performance.now();
    changed.delete(webhookId);
    const size = stopped.aborted ? 0 : Math.min(most, deps.maxBatch());
    const next = await store(deps, { webhookId, worker, ...round, most: size }, cut);
    if (next === undefined) return;
    const { state, webhook, deliveries } = next;
    if (state === 'gone' || state === 'failing') onDisabled(webhookId, webhook!.projectId, state);
    if (webhook === null || deliveries === null) return;
    const receiver = { webhookId, ...webhook };
    const began = performance.now();
    const mayGoOn = () =>
      !stopped.aborted &&
      !changed.has(webhookId) &&
      performance.now() - began < storeEveryMs &&
      performance.now() - leasedAt < leaseMs - marginMs;
    const inOrder = deliveries.toSorted((a, b) => (a.eventId < b.eventId ? -1 : 1));
    round = await sendRound(deps, receiver, inOrder, { mayGoOn, cut });
    // As many as were sent in time, or more if that was easy.
    most = round.results.length === deliveries.length ? most * 2 : Math.max(round.results.length, minBatch);
  }
}

type Round = Pick<Progress, 'results' | 'holdMs' | 'isGone'>;

async function sendRound(
  deps: SenderDeps,
  receiver: Parameters<typeof attempt>[1],
  deliveries: readonly Delivery[],
  { mayGoOn, cut }: { mayGoOn: () => boolean; cut: AbortSignal },
): Promise<Round> {
  const results: Result[] = [];
  // A signal for this round: each request combines it with its timeout, and Node keeps such combinations as long as their sources.
  const round = new AbortController();
  const abort = () => round.abort();
  cut.addEventListener('abort', abort, { once: true });
  try {
    for (const delivery of deliveries) {
      if (cut.aborted || !mayGoOn()) break;
      const made = await attempt(deps, receiver, delivery, round.signal);
      if (made.isAborted) break;
      deps.onAttempt(made.isDelivered ? 'delivered' : 'failed', made.record.milliseconds / 1000);
      const result = resultOf(delivery, made);
      results.push(result);
      if (made.isGone) return { results, isGone: true };
      if (made.isAway) return { results, isGone: false, holdMs: holdMs(delivery, result, made) };
    }
    return { results, isGone: false };
  } finally {
    cut.removeEventListener('abort', abort);
  }
}

function resultOf({ eventId, tries, attempts }: Delivery, { isDelivered, askedMs, record }: Attempt): Result {
  return {
    eventId,
    attempt: attempts + 1,
    isDelivered,
    ...(isDelivered ? {} : { retryMs: retryDelay(tries + 1, askedMs) }),
    record,
  };
}

/**
 * How long the events behind one whose receiver does not respond wait: until its first retry, so that it comes first again, or as long before
 * its later retries. Then the oldest that is due shows whether the receiver responds.
 */
function holdMs({ tries }: Delivery, { retryMs }: Result, { askedMs = 0 }: Attempt): number {
  return tries === 0 && retryMs !== undefined ? retryMs : Math.max(retryAfterMs[0]!, askedMs);
}

/** Stores results until the database takes them. Returns `undefined` if the process stops first. */
async function store(
  { database, log, inTurn }: SenderDeps,
  progress: Progress,
  cut: AbortSignal,
): Promise<Continued | undefined> {
  for (let pauseMs = 50; ; pauseMs = Math.min(pauseMs * 2, maxPauseMs)) {
    try {
      return await inTurn(() => continueWebhook(database, progress));
    } catch (error) {
      if (cut.aborted) return undefined;
      if (pauseMs >= maxPauseMs)
        log.warn({ err: error, webhook: progress.webhookId }, 'results of a webhook cannot be stored yet');
      await sleep(pauseMs, undefined, { signal: cut }).catch(() => undefined);
    }
  }
}
