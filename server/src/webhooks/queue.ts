import type { DisabledReason } from '@session-launch/contract/admin/webhooks';
import type { EventType } from '@session-launch/contract/webhook-events';
import type { Database } from '../store/database.ts';
import { onPool } from '../store/queries.ts';
import type { AttemptRecord } from './deliveries.ts';
import type { StoredEvent } from './event-body.ts';
import type { SealedSecrets } from './webhooks.ts';

/** Moves events from the outbox into their order, under these ids; see sequence_events. */
export const sequenceEvents = onPool('everyday').one<[ids: string[]], { taken: number; lastId: string }>({
  name: 'sequence_events',
  text: 'SELECT taken, last_id AS "lastId" FROM sequence_events($1)',
});

export const expire = onPool('everyday').one<[most: number], { count: number }>({
  name: 'expire_sessions',
  text: 'SELECT expire_sessions($1) AS count',
});

/** Writes `session.expired` for sessions whose time has ended. Returns how many sessions it has dealt with. */
export async function expireSessions(database: Database, most: number): Promise<number> {
  return (await expire(database, most))!.count;
}

export const claim = onPool('everyday').many<
  [worker: string, busy: readonly string[], most: number],
  { webhookId: string }
>({
  name: 'claim_webhooks',
  text: 'SELECT webhook_id AS "webhookId" FROM claim_webhooks($1, $2, $3)',
});

/** Leases webhooks with deliveries that are due, except those that the worker is busy with. Returns their ids. */
export async function claimWebhooks(
  database: Database,
  worker: string,
  busy: readonly string[],
  most: number,
): Promise<string[]> {
  return (await claim(database, worker, busy, most)).map(({ webhookId }) => webhookId);
}

/** Milliseconds of a lease of `claim_webhooks` and `continue_webhook`. */
export const leaseMs = 45_000;

/** What became of an attempt. */
export interface Result {
  eventId: string;
  attempt: number;
  isDelivered: boolean;
  /** Milliseconds until the next attempt. Absent: delivered, or given up. */
  retryMs?: number | undefined;
  record: AttemptRecord;
}

export interface Delivery extends StoredEvent {
  eventId: string;
  type: EventType;
  /** Attempts since the event was queued. */
  tries: number;
  /** All attempts. */
  attempts: number;
}

/** The state of a webhook after its results were stored. */
export interface Continued {
  state: 'active' | 'idle' | 'lost' | 'deleted' | Exclude<DisabledReason, 'operator'>;
  webhook: ({ projectId: string; url: string } & SealedSecrets) | null;
  deliveries: Delivery[] | null;
}

export interface Progress {
  webhookId: string;
  worker: string;
  results: readonly Result[];
  /** Milliseconds in which nothing more is sent. */
  holdMs?: number | undefined;
  isGone: boolean;
  /** Maximum number of deliveries to return; 0 ends the lease. */
  most: number;
}

/** Stores results and returns the next deliveries; see continue_webhook. */
export const continueWebhook = onPool('everyday').one<[Progress], Continued>(
  {
    name: 'continue_webhook',
    text: 'SELECT state, webhook, deliveries FROM continue_webhook($1, $2, $3, $4, $5, $6)',
  },
  ({ webhookId, worker, results, holdMs, isGone, most }) => [
    webhookId,
    worker,
    JSON.stringify(results),
    holdMs ?? null,
    isGone,
    most,
  ],
);

export const removeOld = onPool('everyday').one<[before: string, most: number], { count: number }>({
  name: 'delete_old_deliveries',
  text: 'SELECT delete_old_deliveries($1, $2) AS count',
});

/** Deletes deliveries and events whose ids are below `before`, and what deleted webhooks have left. Returns how many rows it deleted. */
export async function deleteOldDeliveries(database: Database, before: string, most: number): Promise<number> {
  return (await removeOld(database, before, most))!.count;
}

export interface QueueState {
  /** Seconds that the oldest event has been in the outbox. */
  outboxSeconds: number;
  enabled: number;
  failing: number;
  disabled: number;
}

export const readQueueState = onPool('everyday').one<[], QueueState>({
  name: 'webhook_queue_state',
  text: `SELECT coalesce((SELECT greatest(extract(epoch FROM now() - o.at), 0) FROM outbox o ORDER BY o.number LIMIT 1), 0)::float8
                  AS "outboxSeconds",
                count(*) FILTER (WHERE w.disabled_at IS NULL AND q.failing_since IS NULL)::integer AS enabled,
                count(*) FILTER (WHERE w.disabled_at IS NULL AND q.failing_since IS NOT NULL)::integer AS failing,
                count(*) FILTER (WHERE w.disabled_at IS NOT NULL)::integer AS disabled
           FROM webhooks w JOIN webhook_queues q ON q.webhook_id = w.id`,
});
