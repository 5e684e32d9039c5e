import type { DeliveryStatus, WebhookDelivery } from '@session-launch/contract/admin/webhooks';
import { isoTime } from '../primitives/iso-time.ts';
import type { Database, Transaction } from '../store/database.ts';
import { inTransaction, onPool } from '../store/queries.ts';
import { eventBody, type StoredEvent } from './event-body.ts';

/** An attempt as the list of deliveries shows it. */
export type AttemptRecord = WebhookDelivery['attempts'][number];

interface Row extends StoredEvent {
  eventId: string;
  status: DeliveryStatus;
  nextAt: Date | null;
  attempts: AttemptRecord[] | null;
}

const columns = `e.id AS "eventId", e.type, e.at, e.data, d.status, d.next_at AS "nextAt", d.attempts`;

export const ofAnyStatus = onPool('admin').many<[string, string | null, number], Row>({
  name: 'list_webhook_deliveries',
  text: `SELECT ${columns}
           FROM (SELECT * FROM webhook_deliveries
                  WHERE webhook_id = $1 AND event_id < coalesce($2, 'evt~') ORDER BY event_id DESC LIMIT $3) d
           JOIN webhook_events e ON e.id = d.event_id ORDER BY e.id DESC`,
});
export const ofStatus = onPool('admin').many<[string, string | null, number, DeliveryStatus], Row>({
  name: 'list_webhook_deliveries_by_status',
  text: `SELECT ${columns}
           FROM (SELECT * FROM webhook_deliveries
                  WHERE webhook_id = $1 AND event_id < coalesce($2, 'evt~') AND status = $4 ORDER BY event_id DESC LIMIT $3) d
           JOIN webhook_events e ON e.id = d.event_id ORDER BY e.id DESC`,
});

/** Deliveries of a webhook, newest first, from the one after `cursor`. */
export async function listDeliveries(
  database: Database,
  webhookId: string,
  { status, cursor = null, limit }: { status?: DeliveryStatus; cursor?: string | null; limit: number },
): Promise<{ deliveries: WebhookDelivery[]; nextCursor?: string }> {
  const rows =
    status === undefined
      ? await ofAnyStatus(database, webhookId, cursor, limit + 1)
      : await ofStatus(database, webhookId, cursor, limit + 1, status);
  const deliveries = rows.slice(0, limit).map(deliveryOf);
  const last = deliveries.at(-1);
  return { deliveries, ...(rows.length > limit && last !== undefined ? { nextCursor: last.eventId } : {}) };
}

function deliveryOf(row: Row): WebhookDelivery {
  return {
    eventId: row.eventId,
    type: row.type,
    status: row.status,
    ...(row.nextAt === null ? {} : { nextAttemptAt: isoTime(row.nextAt) }),
    attempts: row.attempts ?? [],
    body: eventBody(row),
  };
}

export const hasEvent = inTransaction.any<[projectId: string, eventId: string]>({
  name: 'has_webhook_event',
  text: 'SELECT 1 FROM webhook_events WHERE id = $2 AND project_id = $1',
});

export const findDelivery = inTransaction.one<[webhookId: string, eventId: string], Row>({
  name: 'find_webhook_delivery',
  text: `SELECT ${columns} FROM webhook_deliveries d JOIN webhook_events e ON e.id = d.event_id
          WHERE d.webhook_id = $1 AND d.event_id = $2`,
});

/** Waits until a batch of results is stored, and makes the next one wait: see sequence_events. */
export const lockQueue = inTransaction.run<[webhookId: string]>({
  name: 'lock_webhook_queue',
  text: 'SELECT 1 FROM webhook_queues WHERE webhook_id = $1 FOR UPDATE',
});

/** Ends a hold as well: the operator expects an attempt now. */
export const wakeQueue = inTransaction.run<[webhookId: string]>({
  name: 'wake_webhook_queue',
  text: `UPDATE webhook_queues SET due_at = '-infinity', held_until = NULL WHERE webhook_id = $1`,
});

const again = `ON CONFLICT (webhook_id, event_id) DO UPDATE SET status = 'pending', tries = 0, next_at = NULL`;

export const queueOne = inTransaction.run<[webhookId: string, eventId: string]>({
  name: 'replay_webhook_event',
  text: `INSERT INTO webhook_deliveries (webhook_id, event_id) VALUES ($1, $2) ${again}`,
});

export const queuePeriod = inTransaction.many<[webhookId: string, from: Date, to: Date], object>({
  // Unnamed, because the plan depends on the length of the period.
  text: `INSERT INTO webhook_deliveries (webhook_id, event_id)
         SELECT w.id, e.id FROM webhooks w JOIN webhook_events e ON e.project_id = w.project_id AND e.type = ANY (w.events)
          WHERE w.id = $1 AND e.at >= $2 AND e.at < $3
         ${again} RETURNING 1 AS one`,
});

export const countPeriod = inTransaction.one<
  [webhookId: string, from: Date, to: Date, most: number],
  { count: number }
>({
  text: `SELECT count(*)::integer AS count FROM (
           SELECT 1 FROM webhooks w JOIN webhook_events e ON e.project_id = w.project_id AND e.type = ANY (w.events)
            WHERE w.id = $1 AND e.at >= $2 AND e.at < $3 LIMIT $4) found`,
});

/** Queues an event again, or for the first time. */
export async function replayEvent(
  tx: Transaction,
  webhookId: string,
  eventId: string,
): Promise<WebhookDelivery> {
  await lockQueue(tx, webhookId);
  await queueOne(tx, webhookId, eventId);
  await wakeQueue(tx, webhookId);
  return deliveryOf((await findDelivery(tx, webhookId, eventId))!);
}

/** Queues all events of a period that the webhook lists. Returns their number, or `undefined` if there are more than `most`. */
export async function replayPeriod(
  tx: Transaction,
  webhookId: string,
  { from, to, most }: { from: Date; to: Date; most: number },
): Promise<number | undefined> {
  const { count } = (await countPeriod(tx, webhookId, from, to, most + 1))!;
  if (count > most) return undefined;
  await lockQueue(tx, webhookId);
  const queued = await queuePeriod(tx, webhookId, from, to);
  if (queued.length > 0) await wakeQueue(tx, webhookId);
  return queued.length;
}

/** Stores an event that was sent outside of the queue, with its only attempt. */
export const storeTest = inTransaction.run<
  [
    event: { id: string; projectId: string; webhookId: string; data: object; at: Date },
    isDelivered: boolean,
    attempt: AttemptRecord,
  ]
>(
  {
    name: 'store_webhook_test',
    text: `WITH event AS (
             INSERT INTO webhook_events (id, project_id, type, at, subject, data)
             VALUES ($1, $2, 'webhook.test', $3, $4, $5) RETURNING id)
           INSERT INTO webhook_deliveries (webhook_id, event_id, status, tries, attempt_count, attempts)
           SELECT $4, id, $6, 1, 1, jsonb_build_array($7::jsonb) FROM event`,
  },
  ({ id, projectId, webhookId, data, at }, isDelivered, attempt) => [
    id,
    projectId,
    at,
    webhookId,
    JSON.stringify(data),
    isDelivered ? 'delivered' : 'failed',
    JSON.stringify(attempt),
  ],
);
