import {
  type DeliveryStatus,
  deliveryStatuses,
  type WebhookDelivery,
  type WebhookDeliveryPage,
  type WebhookRecord,
} from '@session-launch/contract/admin/webhooks';
import { type EventType, eventTypes } from '@session-launch/contract/webhook-events';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { addById, addList, type ListOptions } from './client/commands.ts';
import type { Context } from './client/context.ts';
import { CliFailure } from './terminal/failure.ts';
import { checkId } from './terminal/ids.ts';
import { printable, write, writeJson } from './terminal/io.ts';
import { wholeNumber } from './terminal/whole-number.ts';

export function addWebhooks(program: Command, context: Context): void {
  const webhooks = program
    .command('webhooks')
    .description('manage requests that the service sends when something happens in a project');
  addList<WebhookRecord>(webhooks, context, {
    description: 'list the webhooks of a project',
    project: 'project whose webhooks to list',
    json: 'print an array of webhook records',
    empty: (project) => `${project} has no webhooks`,
    columns: {
      'WEBHOOK ID': (webhook) => webhook.webhookId,
      STATE: stateOf,
      EVENTS: (webhook) => webhook.events.join(' '),
      'LAST DELIVERED': (webhook) => webhook.lastDeliveredAt,
      URL: (webhook) => webhook.url,
      NAME: (webhook) => webhook.name,
    },
    read: async (admin, { project }) =>
      (
        await admin().json('webhooks', 'GET /admin/projects/{projectId}/webhooks', {
          params: { projectId: project },
        })
      ).webhooks,
  });
  addCreate(webhooks, context);
  addUpdate(webhooks, context);
  addSecret(webhooks, context);
  addById<InProject>(webhooks, context, {
    ...named('delete'),
    description: 'delete a webhook; what waits is not sent',
    run: async (admin, webhookId, { project }) => {
      const params = { projectId: checkId('prj', project), webhookId };
      await admin().text('DELETE /admin/projects/{projectId}/webhooks/{webhookId}', { params });
      return `${webhookId} is deleted`;
    },
  });
  addById<InProject>(webhooks, context, {
    ...named('test'),
    description: 'send the event webhook.test now and print what the receiver answers',
    run: async (admin, webhookId, { project }) => {
      const { eventId, delivered, milliseconds, ...answer } = await admin().json(
        'eventId',
        'POST /admin/projects/{projectId}/webhooks/{webhookId}/test',
        { params: { projectId: checkId('prj', project), webhookId }, timeoutSeconds: testSeconds },
      );
      const { status, error = '', response, responseTruncated } = answer;
      const what = status === undefined ? `no answer (${printable(error)})` : `status ${status}`;
      const lines = response?.split('\n').map((line) => `\n${printable(line)}`) ?? [];
      if (responseTruncated) lines.push('\n(only the first KiB of the response)');
      const text = `${eventId}: ${what} after ${milliseconds} ms${lines.join('')}`;
      if (!delivered) throw new CliFailure(`the test was not accepted: ${text}`);
      return text;
    },
  });
  addDeliveries(webhooks, context);
  addReplay(webhooks, context);
}

interface InProject {
  project: string;
}

/** More than an attempt may take. */
const testSeconds = 30;
/** Enough to queue the most events of a period. */
const replaySeconds = 60;

const ofProject = new Option('--project <id>', 'project of the webhook').makeOptionMandatory();
const argument: [string, string] = ['<webhookId>', 'id of the webhook, from webhooks list'];
const named = (name: string) => ({ name, prefix: 'whk' as const, argument, options: [ofProject] });
const eventOption = (command: Command) =>
  command.addOption(
    new Option('--event <event>', `event to send: ${eventTypes.join(', ')}; repeat the option for several`)
      .argParser(addEvent)
      .makeOptionMandatory(command.name() === 'create'),
  );

interface Settings extends InProject {
  url?: string;
  event?: EventType[];
  name?: string;
  json?: true;
}

function addCreate(webhooks: Command, { io, admin }: Context): void {
  const command = webhooks.command('create');
  eventOption(
    command
      .description('create a webhook and print its secret; it cannot be shown again')
      .requiredOption('--project <id>', 'project whose events to send')
      .requiredOption('--url <url>', 'https address that gets the events'),
  )
    .option('--name <name>', 'name of the webhook, for lists')
    .option('--json', 'print {"webhookId","secret"}')
    .addHelpText(
      'after',
      '\nExample:\n  session-launch webhooks create --project prj_demo --url https://shop.example/webhooks --event session.ended',
    )
    .action(async ({ project, url, event, name, json }: Settings) => {
      const { webhookId, secret } = await admin().json(
        'secret',
        'POST /admin/projects/{projectId}/webhooks',
        {
          params: { projectId: checkId('prj', project) },
          body: { url: url!, events: event!, name },
        },
      );
      if (json) return writeJson(io.stdout, { webhookId, secret });
      await write(io.stdout, `${secret} (${webhookId}). It is shown only once: store it now.\n`);
    });
}

function addUpdate(webhooks: Command, { io, admin }: Context): void {
  const command = webhooks.command('update').argument(...argument);
  eventOption(
    command
      .description('change the settings of a webhook; those without an option stay as they are')
      .addOption(ofProject)
      .option('--url <url>', 'https address that gets the events'),
  )
    .option('--name <name>', 'name of the webhook, for lists')
    .addOption(new Option('--enable', 'send events again, and what has waited').conflicts('disable'))
    .option('--disable', 'let events wait')
    .action(
      async (
        id: string,
        { project, url, event, name, enable, disable }: Settings & { enable?: true; disable?: true },
      ) => {
        const enabled = enable ?? (disable === undefined ? undefined : false);
        const updated = await admin().json(
          'webhookId',
          'PATCH /admin/projects/{projectId}/webhooks/{webhookId}',
          {
            params: { projectId: checkId('prj', project), webhookId: checkId('whk', id) },
            body: { url, events: event, name, enabled },
          },
        );
        await write(
          io.stdout,
          `${updated.webhookId} is ${stateOf(updated)}: ${updated.events.join(' ')} to ${updated.url}\n`,
        );
      },
    );
}

function addSecret(webhooks: Command, context: Context): void {
  const { io, admin } = context;
  webhooks
    .command('secret')
    .argument(...argument)
    .description('create a new secret and print it; it cannot be shown again')
    .addOption(ofProject)
    .addOption(
      new Option(
        '--grace <seconds>',
        'seconds that the former secret also signs, 0 to 604800; a day by default',
      ).argParser(seconds),
    )
    .option('--json', 'print {"webhookId","secret","formerSecretExpiresAt"}')
    .action(
      async (id: string, { project, grace, json }: { project: string; grace?: number; json?: true }) => {
        const created = await admin().json(
          'secret',
          'POST /admin/projects/{projectId}/webhooks/{webhookId}/secret',
          {
            params: { projectId: checkId('prj', project), webhookId: checkId('whk', id) },
            body: { graceSeconds: grace },
          },
        );
        if (json) return writeJson(io.stdout, created);
        const { secret, webhookId, formerSecretExpiresAt } = created;
        const former =
          formerSecretExpiresAt === undefined
            ? ''
            : ` The former one also signs until ${formerSecretExpiresAt}.`;
        await write(io.stdout, `${secret} (${webhookId}). It is shown only once: store it now.${former}\n`);
      },
    );
}

interface DeliveryOptions extends ListOptions {
  id: string;
  status?: DeliveryStatus;
  limit?: number;
}

const pageSize = 100;

function addDeliveries(webhooks: Command, context: Context): void {
  addList<WebhookDelivery, DeliveryOptions>(webhooks, context, {
    name: 'deliveries',
    argument: { prefix: 'whk', texts: argument },
    description: 'list the events that were or will be sent, newest first',
    project: 'project of the webhook',
    options: [
      new Option('--status <status>', 'only deliveries with this status').choices(deliveryStatuses),
      new Option('--limit <n>', 'maximum number of deliveries; 100 by default').argParser(wholeNumber),
    ],
    json: 'print an array of deliveries, with bodies and attempts',
    empty: () => 'no deliveries',
    columns: {
      'EVENT ID': (delivery) => delivery.eventId,
      TYPE: (delivery) => delivery.type,
      STATUS: (delivery) => delivery.status,
      ATTEMPTS: (delivery) => String(delivery.attempts.length),
      'LAST ANSWER': (delivery) => answerOf(delivery),
      'NEXT ATTEMPT': (delivery) => delivery.nextAttemptAt,
    },
    read: pagesOf,
  });
}

async function* pagesOf(
  admin: Context['admin'],
  { project, id, status, limit = pageSize }: DeliveryOptions,
): AsyncGenerator<WebhookDelivery[]> {
  let left = limit;
  let cursor: string | undefined;
  do {
    const page: WebhookDeliveryPage = await admin().json(
      'deliveries',
      'GET /admin/projects/{projectId}/webhooks/{webhookId}/deliveries',
      {
        params: { projectId: project, webhookId: id },
        query: { limit: String(Math.min(pageSize, left)), cursor, status },
      },
    );
    yield page.deliveries;
    left -= page.deliveries.length;
    cursor = page.nextCursor;
  } while (cursor !== undefined && left > 0);
}

function addReplay(webhooks: Command, { io, admin }: Context): void {
  webhooks
    .command('replay')
    .argument(...argument)
    .description('send an event, or those of a period, again')
    .addOption(ofProject)
    .addOption(new Option('--event <eventId>', 'id of the event').conflicts(['from', 'to']))
    .option('--from <time>', 'events that happened at this time or later, such as 2030-01-31T12:00:00Z')
    .option('--to <time>', 'events that happened before this time; now by default')
    .action(
      async (
        id: string,
        { project, event, from, to }: { project: string; event?: string; from?: string; to?: string },
      ) => {
        const params = { projectId: checkId('prj', project), webhookId: checkId('whk', id) };
        if (event !== undefined) {
          await admin().json(
            'eventId',
            'POST /admin/projects/{projectId}/webhooks/{webhookId}/deliveries/{eventId}/replay',
            { params: { ...params, eventId: event } },
          );
          await write(io.stdout, `${event} will be sent again\n`);
          return;
        }
        if (from === undefined) throw new CliFailure('name --event or --from', { exitCode: 2 });
        const { events } = await admin().json(
          'events',
          'POST /admin/projects/{projectId}/webhooks/{webhookId}/replay',
          { params, body: { from, to: to ?? new Date().toISOString() }, timeoutSeconds: replaySeconds },
        );
        await write(io.stdout, `${events} ${events === 1 ? 'event' : 'events'} will be sent again\n`);
      },
    );
}

function answerOf({ attempts }: WebhookDelivery): string | undefined {
  const last = attempts.at(-1);
  return last?.status === undefined ? last?.error : String(last.status);
}

function stateOf({ enabled, disabledReason, failingSince }: WebhookRecord): string {
  if (!enabled) return `disabled (${disabledReason})`;
  return failingSince === undefined ? 'enabled' : 'failing';
}

function addEvent(value: string, previous: EventType[] = []): EventType[] {
  const found = eventTypes.find((type) => type === value);
  if (found === undefined) throw new InvalidArgumentError(`Allowed events are ${eventTypes.join(', ')}.`);
  return [...new Set([...previous, found])];
}

function seconds(value: string): number {
  if (!/^\d{1,6}$/.test(value)) throw new InvalidArgumentError('It must be a whole number of seconds.');
  return Number(value);
}
