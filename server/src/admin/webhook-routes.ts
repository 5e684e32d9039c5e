import {
  createWebhookOperation,
  createWebhookSecretOperation,
  defaultGraceSeconds,
  deleteWebhookOperation,
  eventsPerReplay,
  getWebhookOperation,
  listDeliveriesOperation,
  listWebhooksOperation,
  replayDeliveryOperation,
  replayPeriodOperation,
  testWebhookOperation,
  updateWebhookOperation,
  type WebhookRecord,
  webhookSchema,
  webhooksPerProject,
} from '@session-launch/contract/admin/webhooks';
import type { FastifyInstance } from 'fastify';
import { requireCredentials } from '../operators/rules.ts';
import { sealSecret } from '../outbound/sealed-secret.ts';
import { createSecret } from '../outbound/signature.ts';
import { urlProblem } from '../outbound/target.ts';
import { ApiError, invalidRequest } from '../primitives/errors.ts';
import { fieldChanges } from '../primitives/field-changes.ts';
import { isId, newId } from '../primitives/ids.ts';
import type { Transaction } from '../store/database.ts';
import { attempt } from '../webhooks/attempt.ts';
import {
  hasEvent,
  hasMoreEvents,
  listDeliveries,
  renewDeliveries,
  replayEvent,
  replayPeriod,
  storeTest,
  wakeQueue,
} from '../webhooks/deliveries.ts';
import {
  deleteWebhook,
  findSecrets,
  findWebhook,
  insertWebhook,
  listWebhooks,
  lockProject,
  lockWebhook,
  pauseQueue,
  replaceSecret,
  saveWebhook,
  type Webhook,
  webhooksOf,
} from '../webhooks/webhooks.ts';
import type { AdminDeps } from './deps.ts';
import { knownProject } from './known-project.ts';
import { mount } from './mount.ts';
import { recordOf } from './record.ts';

interface Named {
  projectId: string;
  webhookId: string;
}

export async function webhookAdminRoutes(app: FastifyInstance, deps: AdminDeps): Promise<void> {
  const { database, commit, signingKeys, webhooks } = deps;

  /** Throws 400 if events must not be sent to a URL. */
  const requireUrl = (url: string): void => {
    const problem = urlProblem(url, webhooks.rules);
    if (problem !== undefined) throw invalidRequest([{ path: 'url', message: problem }]);
  };

  const known = async ({ projectId, webhookId }: Named): Promise<Webhook> => {
    await knownProject(database, projectId);
    const webhook = isId('whk', webhookId) ? await findWebhook(database, projectId, webhookId) : undefined;
    if (webhook === undefined) throw new ApiError('WEBHOOK_NOT_FOUND');
    return webhook;
  };

  mount(app, listWebhooksOperation, async ({ params }) => {
    const projectId = await knownProject(database, params.projectId);
    return { webhooks: (await listWebhooks(database, projectId)).map(webhookRecord) };
  });

  mount(app, createWebhookOperation, async (call) => {
    const { url, events, name = null } = call.body;
    const projectId = await knownProject(database, call.params.projectId);
    requireUrl(url);
    const id = newId('whk');
    const secret = createSecret();
    const created = await commit(call, async (tx, write) => {
      await requireCredentials(tx, call.actor);
      if (!(await lockProject(tx, projectId))) throw new ApiError('PROJECT_NOT_FOUND');
      if ((await webhooksOf(tx, projectId)) >= webhooksPerProject) throw full();
      const settings = { id, projectId, url, events, name, createdAt: new Date() };
      await insertWebhook(tx, { ...settings, secret: sealSecret(signingKeys, id, secret) });
      write.changed({ kind: 'webhook', id, projectId });
      write.audit({ projectId, target: id, changes: fieldChanges({}, audited(settings)) });
      return (await lockWebhook(tx, projectId, id))!;
    });
    return { ...webhookRecord(created), secret };
  });

  mount(app, getWebhookOperation, async ({ params }) => webhookRecord(await known(params)));

  mount(app, updateWebhookOperation, async (call) => {
    const { url, events, name, enabled } = call.body;
    const current = await known(call.params);
    if (url !== undefined) requireUrl(url);
    const isResumed = enabled === true && current.disabledAt !== null;
    if (isResumed || (url !== undefined && url !== current.url)) await renewDeliveries(database, current.id);
    const updated = await commit(call, async (tx, write) => {
      await requireCredentials(tx, call.actor);
      const before = await locked(tx, call.params);
      const after: Webhook = {
        ...before,
        url: url ?? before.url,
        events: events ?? before.events,
        name: name ?? before.name,
        ...disabling(before, enabled),
      };
      const changes = fieldChanges(audited(before), audited(after));
      if (changes.length === 0) return before;
      await saveWebhook(tx, after);
      const isPaused = after.disabledAt !== null;
      const isElsewhere = after.url !== before.url;
      if (isPaused !== (before.disabledAt !== null) || isElsewhere)
        await pauseQueue(tx, before.id, isPaused, isElsewhere);
      const { id, projectId } = before;
      write.changed({ kind: 'webhook', id, projectId });
      write.audit({ projectId, target: id, changes });
      return (await lockWebhook(tx, projectId, id))!;
    });
    return webhookRecord(updated);
  });

  mount(app, deleteWebhookOperation, async (call) => {
    const { id, projectId } = await known(call.params);
    await commit(call, async (tx, write) => {
      const webhook = await locked(tx, call.params);
      await deleteWebhook(tx, projectId, id);
      write.changed({ kind: 'webhook', id, projectId });
      write.audit({ projectId, target: id, changes: fieldChanges(audited(webhook), {}) });
    });
    return call.reply.code(204).send();
  });

  mount(app, createWebhookSecretOperation, async (call) => {
    const { graceSeconds = defaultGraceSeconds } = call.body;
    const { id, projectId } = await known(call.params);
    const secret = createSecret();
    const formerSecretExpiresAt = await commit(call, async (tx, write) => {
      await requireCredentials(tx, call.actor);
      await locked(tx, call.params);
      const sealed = sealSecret(signingKeys, id, secret);
      const replaced = (await replaceSecret(tx, id, sealed, graceSeconds))!;
      write.changed({ kind: 'webhook', id, projectId });
      write.audit({ projectId, target: id, changes: [{ path: 'graceSeconds', after: graceSeconds }] });
      return replaced.formerSecretExpiresAt;
    });
    return {
      webhookId: id,
      secret,
      ...(formerSecretExpiresAt === null
        ? {}
        : { formerSecretExpiresAt: formerSecretExpiresAt.toISOString() }),
    };
  });

  mount(app, testWebhookOperation, async (call) => {
    const { id: webhookId, projectId, url, name } = await known(call.params);
    const secrets = await findSecrets(database, webhookId);
    if (secrets === undefined) throw new ApiError('WEBHOOK_NOT_FOUND');
    const event = {
      id: newId('evt'),
      projectId,
      webhookId,
      data: { projectId, webhookId, ...(name === null ? {} : { name }) },
      at: new Date(),
    };
    const receiver = { webhookId, url, ...secrets };
    const sent = await attempt(webhooks, receiver, { ...event, eventId: event.id, type: 'webhook.test' });
    const { isDelivered, record } = sent;
    await commit(call, async (tx, write) => {
      await storeTest(tx, event, isDelivered, record);
      write.changed({ kind: 'webhook', id: webhookId, projectId });
      write.audit({
        projectId,
        target: webhookId,
        changes: [{ path: 'test', after: isDelivered ? 'delivered' : 'failed' }],
      });
    });
    const { at: _, ...answered } = record;
    return { eventId: event.id, delivered: isDelivered, ...answered };
  });

  mount(app, listDeliveriesOperation, async ({ params, query }) => {
    const { id } = await known(params);
    const { limit = '25', ...filter } = query;
    return listDeliveries(database, id, { ...filter, limit: Number(limit) });
  });

  mount(app, replayDeliveryOperation, async (call) => {
    const { eventId } = call.params;
    const { id, projectId } = await known(call.params);
    return commit(call, async (tx, write) => {
      await locked(tx, call.params);
      if (!isId('evt', eventId) || !(await hasEvent(tx, projectId, eventId)))
        throw new ApiError('EVENT_NOT_FOUND');
      const delivery = await replayEvent(tx, id, eventId);
      write.changed({ kind: 'webhook', id, projectId });
      write.audit({ projectId, target: id, changes: [{ path: 'replay', after: eventId }] });
      return delivery;
    });
  });

  mount(app, replayPeriodOperation, async (call) => {
    const [from, to] = [new Date(call.body.from), new Date(call.body.to)];
    if (from >= to) throw invalidRequest([{ path: 'to', message: 'must be after from' }]);
    const webhook = await known(call.params);
    const { id, projectId } = webhook;
    if (await hasMoreEvents(database, webhook, { from, to }, eventsPerReplay))
      throw invalidRequest([
        { path: 'to', message: `must end a period of at most ${eventsPerReplay} events; send several` },
      ]);
    const events = await replayPeriod(database, webhook, { from, to });
    await commit(call, async (tx, write) => {
      await locked(tx, call.params);
      if (events > 0) await wakeQueue(tx, id);
      write.changed({ kind: 'webhook', id, projectId });
      const period = { from: from.toISOString(), to: to.toISOString(), events };
      write.audit({ projectId, target: id, changes: fieldChanges({}, { replay: period }) });
    });
    return { events };
  });
}

async function locked(tx: Transaction, { projectId, webhookId }: Named): Promise<Webhook> {
  const webhook = await lockWebhook(tx, projectId, webhookId);
  if (webhook === undefined) throw new ApiError('WEBHOOK_NOT_FOUND');
  return webhook;
}

function disabling(
  { disabledAt, disabledReason }: Webhook,
  enabled: boolean | undefined,
): Pick<Webhook, 'disabledAt' | 'disabledReason'> {
  if (enabled === true) return { disabledAt: null, disabledReason: null };
  if (enabled === false && disabledAt === null) return { disabledAt: new Date(), disabledReason: 'operator' };
  return { disabledAt, disabledReason };
}

function full(): ApiError {
  return invalidRequest([
    {
      path: '',
      message: `cannot be added: the project already has ${webhooksPerProject} webhooks. Delete one`,
    },
  ]);
}

/** The settings that the audit shows. */
function audited({
  url,
  events,
  name,
  disabledAt = null,
}: Pick<Webhook, 'url' | 'events' | 'name'> & { disabledAt?: Date | null }): object {
  return { url, events, ...(name === null ? {} : { name }), enabled: disabledAt === null };
}

function webhookRecord(webhook: Webhook): WebhookRecord {
  return recordOf(webhookSchema, {
    ...webhook,
    webhookId: webhook.id,
    enabled: webhook.disabledAt === null,
  });
}
