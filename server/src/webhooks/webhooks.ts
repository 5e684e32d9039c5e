import type { DisabledReason } from '@session-launch/contract/admin/webhooks';
import type { EventType } from '@session-launch/contract/webhook-events';
import type { Database, Transaction } from '../store/database.ts';
import { inTransaction, onPool } from '../store/queries.ts';

/** A webhook with the state of its deliveries. Its secrets are not part of it. */
export interface Webhook {
  id: string;
  projectId: string;
  url: string;
  name: string | null;
  events: EventType[];
  disabledAt: Date | null;
  disabledReason: DisabledReason | null;
  createdAt: Date;
  formerSecretExpiresAt: Date | null;
  failingSince: Date | null;
  lastDeliveredAt: Date | null;
}

/** The secrets of a webhook, sealed. */
export interface SealedSecrets {
  secret: string;
  /** Also signs, until its time. */
  formerSecret: string | null;
}

const columns = `w.id, w.project_id AS "projectId", w.url, w.name, w.events, w.disabled_at AS "disabledAt",
  w.disabled_reason AS "disabledReason", w.created_at AS "createdAt",
  CASE WHEN w.former_secret_until > now() THEN w.former_secret_until END AS "formerSecretExpiresAt",
  q.failing_since AS "failingSince", q.last_delivered_at AS "lastDeliveredAt"`;
const withQueue = 'webhooks w JOIN webhook_queues q ON q.webhook_id = w.id';

export const listWebhooks = onPool('admin').many<[projectId: string], Webhook>({
  name: 'list_webhooks',
  text: `SELECT ${columns} FROM ${withQueue} WHERE w.project_id = $1 ORDER BY w.id`,
});

export const findWebhook = onPool('admin').one<[projectId: string, webhookId: string], Webhook>({
  name: 'find_webhook',
  text: `SELECT ${columns} FROM ${withQueue} WHERE w.id = $2 AND w.project_id = $1`,
});

/** Reads a webhook and locks it until the transaction ends. */
export const lockWebhook = inTransaction.one<[projectId: string, webhookId: string], Webhook>({
  name: 'lock_webhook',
  text: `SELECT ${columns} FROM ${withQueue} WHERE w.id = $2 AND w.project_id = $1 FOR NO KEY UPDATE OF w`,
});

/** Locks a project against its deletion and against other webhooks; `false` if there is none. */
export const lockProject = inTransaction.any<[projectId: string]>({
  name: 'lock_project_for_webhooks',
  text: 'SELECT 1 FROM projects WHERE id = $1 AND deleted_at IS NULL FOR NO KEY UPDATE',
});

export const countOf = inTransaction.one<[projectId: string], { count: number }>({
  name: 'count_webhooks',
  text: 'SELECT count(*)::integer AS count FROM webhooks WHERE project_id = $1',
});

export async function webhooksOf(tx: Transaction, projectId: string): Promise<number> {
  return (await countOf(tx, projectId))!.count;
}

type New = Pick<Webhook, 'id' | 'projectId' | 'url' | 'name' | 'events' | 'createdAt'> & { secret: string };

export const insertWebhook = inTransaction.run<[New]>(
  {
    name: 'insert_webhook',
    text: `WITH settings AS (
             INSERT INTO webhooks (id, project_id, url, name, events, secret, created_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING id)
           INSERT INTO webhook_queues (webhook_id) SELECT id FROM settings`,
  },
  ({ id, projectId, url, name, events, secret, createdAt }) => [
    id,
    projectId,
    url,
    name,
    events,
    secret,
    createdAt,
  ],
);

export const saveWebhook = inTransaction.run<
  [Pick<Webhook, 'id' | 'url' | 'name' | 'events' | 'disabledAt' | 'disabledReason'>]
>(
  {
    name: 'save_webhook',
    text: `UPDATE webhooks SET url = $2, name = $3, events = $4, disabled_at = $5, disabled_reason = $6 WHERE id = $1`,
  },
  ({ id, url, name, events, disabledAt, disabledReason }) => [
    id,
    url,
    name,
    events,
    disabledAt,
    disabledReason,
  ],
);

/**
 * Pauses a queue, or lets it begin anew: failures of another URL, or from before the pause, do not count. If the URL is another one, ends the
 * lease, so that neither do the results of attempts in flight.
 */
export const pauseQueue = inTransaction.run<[webhookId: string, isPaused: boolean, isElsewhere: boolean]>({
  name: 'pause_webhook_queue',
  text: `UPDATE webhook_queues
            SET is_paused = $2, held_until = NULL, failing_since = CASE WHEN $2 THEN failing_since END,
                due_at = CASE WHEN $2 THEN due_at ELSE '-infinity' END,
                worker = CASE WHEN NOT $3 THEN worker END, leased_until = CASE WHEN NOT $3 THEN leased_until END
          WHERE webhook_id = $1`,
});

export const deleteWebhook = inTransaction.any<[projectId: string, webhookId: string]>({
  name: 'delete_webhook',
  text: 'DELETE FROM webhooks WHERE id = $2 AND project_id = $1 RETURNING 1',
});

export const findSecrets = onPool('admin').one<[webhookId: string], SealedSecrets>({
  name: 'find_webhook_secrets',
  text: `SELECT secret, CASE WHEN former_secret_until > now() THEN former_secret END AS "formerSecret"
           FROM webhooks WHERE id = $1`,
});

/** Replaces the secret. The old one signs as well for this many seconds. Returns when that ends. */
export const replaceSecret = inTransaction.one<
  [webhookId: string, secret: string, graceSeconds: number],
  { formerSecretExpiresAt: Date | null }
>({
  name: 'replace_webhook_secret',
  text: `UPDATE webhooks
            SET secret = $2, former_secret = CASE WHEN $3 > 0 THEN secret END,
                former_secret_until = CASE WHEN $3 > 0 THEN now() + make_interval(secs => $3) END
          WHERE id = $1 RETURNING former_secret_until AS "formerSecretExpiresAt"`,
});

interface SealedRow {
  id: string;
  secret: string;
  former: string | null;
}

/** The webhooks of all projects with a secret that this signing key has not sealed. */
export const listSealed = onPool('everyday').many<[kid: string], SealedRow>({
  name: 'list_sealed_webhook_secrets',
  text: `SELECT id, secret, former_secret AS former FROM webhooks
          WHERE substr(secret, strpos(secret, '.') + 1) <> $1
             OR substr(former_secret, strpos(former_secret, '.') + 1) <> $1`,
});

/** Does nothing if another process has changed a secret since it was read. */
export const storeSealed = onPool('everyday').run<[old: SealedRow, secret: string, former: string | null]>(
  {
    name: 'store_sealed_webhook_secrets',
    text: `UPDATE webhooks SET secret = $2, former_secret = $3
            WHERE id = $1 AND secret = $4 AND former_secret IS NOT DISTINCT FROM $5`,
  },
  (old, secret, former) => [old.id, secret, former, old.secret, old.former],
);

export const anyWork = onPool('everyday').any<[]>({
  name: 'any_webhook_work',
  text: `SELECT 1 FROM webhooks UNION ALL SELECT 1 FROM outbox UNION ALL SELECT 1 FROM session_expiries LIMIT 1`,
});

/** Whether there is a webhook, or something that a deleted one has left in the outbox. */
export function hasWork(database: Database): Promise<boolean> {
  return anyWork(database);
}
