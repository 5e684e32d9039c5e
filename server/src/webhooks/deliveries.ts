import type { DeliveryStatus, WebhookDelivery } from '@session-launch/contract/admin/webhooks';
import type { EventType } from '@session-launch/contract/webhook-events';
import { isoTime } from '../primitives/iso-time.ts';
import type { Database, Transaction } from '../store/database.ts';
import { inTransaction, onPool } from '../store/queries.ts';
import { eventBody, type StoredEvent } from './event-body.ts';
import { lockWebhook, type Webhook } from './webhooks.ts';

/** An attempt as the list of deliveries shows it. */
export type AttemptRecord = WebhookDelivery['attempts'][number];

interface Row extends StoredEvent {
  eventId: string;
  status: DeliveryStatus;
  nextAt: Date | null;
  attempts: AttemptRecord[] | null;
}

const columns = `e.id AS "eventId", e.type, e.at, e.data, d.status, d.next_at AS "nextAt", d.attempts`;

type Page = [webhookId: string, cursor: string | null, most: number];

export const ofAnyStatus = onPool('admin').many<Page, Row>({
  name: 'list_webhook_deliveries',
  text: `SELECT ${columns}
           FROM (SELECT * FROM webhook_deliveries
                  WHERE webhook_id = $1 AND event_id < coalesce($2, 'evt~') ORDER BY event_id DESC LIMIT $3) d
           JOIN webhook_events e ON e.id = d.event_id ORDER BY e.id DESC`,
});
/** The status is in the text, so that the index of its deliveries is used. */
const withStatus = (status: DeliveryStatus) => ({
  name: `list_${status}_webhook_deliveries`,
  text: `SELECT ${columns}
           FROM (SELECT * FROM webhook_deliveries
                  WHERE webhook_id = $1 AND event_id < coalesce($2, 'evt~') AND status = '${status}'
                  ORDER BY event_id DESC LIMIT $3) d
           JOIN webhook_events e ON e.id = d.event_id ORDER BY e.id DESC`,
});
export const pending = onPool('admin').many<Page, Row>(withStatus('pending'));
export const delivered = onPool('admin').many<Page, Row>(withStatus('delivered'));
export const failed = onPool('admin').many<Page, Row>(withStatus('failed'));
const ofStatus = { pending, delivered, failed };

/** Deliveries of a webhook, newest first, from the one after `cursor`. */
export async function listDeliveries(
  database: Database,
  webhookId: string,
  { status, cursor = null, limit }: { status?: DeliveryStatus; cursor?: string | null; limit: number },
): Promise<{ deliveries: WebhookDelivery[]; nextCursor?: string }> {
  const list = status === undefined ? ofAnyStatus : ofStatus[status];
  const rows = await list(database, webhookId, cursor, limit + 1);
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

/** Events of a type in a period, behind an event. */
type PageOf = [projectId: string, type: EventType, after: Date, afterId: string, to: Date];
/** The number of events of a page, and the last one. */
interface EventPage {
  count: number;
  at: Date;
  id: string;
}
/** Events per statement of a replay, during which the embedded engine does nothing else and sequence_events waits. */
const pageSize = 500;
const page = `WITH page AS MATERIALIZED (
                SELECT e.id, e.at FROM webhook_events e
                 WHERE e.project_id = $1 AND e.type = $2 AND (e.at, e.id) > ($3, $4) AND e.at < $5
                 ORDER BY e.at, e.id LIMIT ${pageSize})`;
const lastOfPage = `SELECT (SELECT count(*)::integer FROM page) AS count, at, id FROM page ORDER BY at DESC, id DESC LIMIT 1`;

export const readPage = onPool('admin').one<PageOf, EventPage>({
  name: 'read_webhook_events_of_period',
  text: `${page} ${lastOfPage}`,
});

/** Nothing is sent until all pages are queued, because the events of another type may come between these. */
export const queuePage = inTransaction.one<[...PageOf, webhookId: string], EventPage>({
  name: 'replay_webhook_events_of_period',
  text: `${page}, queued AS (
           INSERT INTO webhook_deliveries (webhook_id, event_id) SELECT $6, id FROM page ${again}
         ), held AS (
           UPDATE webhook_queues SET held_until = greatest(held_until, now() + interval '30 seconds') WHERE webhook_id = $6
         ) ${lastOfPage}`,
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

interface Period {
  from: Date;
  to: Date;
}

/** Whether a webhook lists more events of a period than `most`. */
export async function hasMoreEvents(
  database: Database,
  webhook: Webhook,
  period: Period,
  most: number,
): Promise<boolean> {
  let count = 0;
  await forPages(webhook, period, async (...place) => {
    const read = await readPage(database, ...place);
    count += read?.count ?? 0;
    return count > most ? undefined : read;
  });
  return count > most;
}

/**
 * Queues all events of a period that the webhook lists, page by page. Returns their number. Then `wakeQueue` must be called; without it, for
 * example because the process stops, they are sent after 30 seconds.
 */
export async function replayPeriod(database: Database, webhook: Webhook, period: Period): Promise<number> {
  const { id, projectId } = webhook;
  let count = 0;
  await forPages(webhook, period, (...place) =>
    database.transaction(async (tx) => {
      if ((await lockWebhook(tx, projectId, id)) === undefined) return undefined;
      await lockQueue(tx, id);
      const queued = await queuePage(tx, ...place, id);
      count += queued?.count ?? 0;
      return queued;
    }),
  );
  return count;
}

/** Nothing is sent until all pages are renewed. */
export const renewPage = inTransaction.one<[webhookId: string], { count: number }>({
  name: 'renew_webhook_deliveries',
  text: `WITH renewed AS (
           UPDATE webhook_deliveries d SET tries = 0, next_at = NULL
            WHERE d.ctid = ANY (ARRAY(SELECT w.ctid FROM webhook_deliveries w
                                       WHERE w.webhook_id = $1 AND w.status = 'pending' AND w.next_at IS NOT NULL
                                       ORDER BY w.next_at DESC NULLS LAST LIMIT ${pageSize}))
           RETURNING 1
         ), held AS (
           UPDATE webhook_queues SET held_until = greatest(held_until, now() + interval '30 seconds') WHERE webhook_id = $1
         ) SELECT count(*)::integer AS count FROM renewed`,
});

/** Makes deliveries that wait for a retry begin anew, page by page, before their webhook is enabled or gets another URL. */
export async function renewDeliveries(database: Database, webhookId: string): Promise<void> {
  let renewed: { count: number } | undefined;
  do
    renewed = await database.transaction(async (tx) => {
      await lockQueue(tx, webhookId);
      return renewPage(tx, webhookId);
    });
  while (renewed?.count === pageSize);
}

/** Calls `read` for pages of each type of event that a webhook lists, until it returns none. */
async function forPages(
  { projectId, events }: Webhook,
  { from, to }: Period,
  read: (...place: PageOf) => Promise<EventPage | undefined>,
): Promise<void> {
  for (const type of events) {
    let last: EventPage | undefined = { count: pageSize, at: from, id: '' };
    while (last?.count === pageSize) last = await read(projectId, type, last.at, last.id, to);
  }
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
