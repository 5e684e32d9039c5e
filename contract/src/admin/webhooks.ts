import type { Static } from 'typebox';
import { exampleEndedSession } from '../examples.ts';
import { id, optional, timestamp } from '../fields.ts';
import { jsonAnswer, type Operation } from '../operation.ts';
import Type from '../type.ts';
import { eventTypes, webhookEventSchema } from '../webhook-events.ts';
import { projectParams } from './projects.ts';

export const tag = {
  name: 'Webhooks',
  description: 'Requests that the service sends to an application when something happens in a project.',
};

/** Maximum number of webhooks of a project. */
export const webhooksPerProject = 20;
/** Maximum number of events that one replay of a period sends again. */
export const eventsPerReplay = 100_000;
/** Seconds that a replaced secret also signs, by default. */
export const defaultGraceSeconds = 86_400;

/** Why a webhook is disabled: an operator did it, the receiver answered 410, or every attempt of five days failed. */
export const disabledReasons = ['operator', 'gone', 'failing'] as const;
export type DisabledReason = (typeof disabledReasons)[number];

export const deliveryStatuses = ['pending', 'delivered', 'failed'] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

const settings = {
  url: Type.String({
    minLength: 1,
    maxLength: 2048,
    description:
      'Where the events are sent: an https URL without user name, password and fragment, whose host is public. With `WEBHOOK_ALLOW_PRIVATE=on`, private addresses, and http to loopback addresses, are allowed.',
    examples: ['https://shop.example/webhooks'],
  }),
  events: Type.Array(Type.Enum(eventTypes), {
    minItems: 1,
    uniqueItems: true,
    errorMessage: `must list at least one of ${eventTypes.join(', ')}, each once`,
    description: 'The events to send. `webhook.test` is sent by the test only, whether it is listed or not.',
  }),
  name: optional.string({
    minLength: 1,
    maxLength: 200,
    description: 'A name for listings.',
    examples: ['billing'],
  }),
};

/** The request to create a webhook. */
export const webhookRequestSchema = Type.Object(settings, {
  $id: 'WebhookRequest',
  additionalProperties: false,
  description: 'The request to create a webhook.',
});
export type WebhookRequest = Static<typeof webhookRequestSchema>;

/** The request to change a webhook. */
export const webhookUpdateSchema = Type.Object(
  {
    url: Type.Optional(settings.url),
    events: Type.Optional(settings.events),
    name: settings.name,
    enabled: optional.boolean({ description: 'Whether events are sent.' }),
  },
  {
    $id: 'WebhookUpdate',
    additionalProperties: false,
    minProperties: 1,
    errorMessage: 'must have at least one of url, events, name and enabled',
    description: 'The request to change a webhook. Absent fields stay as they are.',
  },
);
export type WebhookUpdate = Static<typeof webhookUpdateSchema>;

const record = {
  webhookId: Type.String({ pattern: '^whk_', description: 'Id of the webhook.' }),
  projectId: Type.String({ description: 'The project whose events are sent.', examples: ['prj_demo'] }),
  url: Type.String({
    description: 'Where the events are sent.',
    examples: ['https://shop.example/webhooks'],
  }),
  events: Type.Array(Type.Enum(eventTypes), { description: 'The events that are sent.' }),
  name: optional.string({ description: 'The name, if one was given.' }),
  enabled: Type.Boolean({ description: 'Whether events are sent. While it is false, they wait.' }),
  disabledReason: optional.oneOf(disabledReasons, {
    description:
      'Why the webhook is disabled: `operator` (by an operator), `gone` (the receiver answered 410) or `failing` (every attempt of five days failed). Absent while it is enabled.',
  }),
  disabledAt: Type.Optional(timestamp('When the webhook was disabled. Absent while it is enabled.')),
  failingSince: Type.Optional(
    timestamp(
      'The first failed attempt since the last delivered event. Absent if the last attempt succeeded.',
    ),
  ),
  lastDeliveredAt: Type.Optional(timestamp('When an event was last delivered.')),
  formerSecretExpiresAt: Type.Optional(
    timestamp('Until then, the former secret also signs. Absent if there is only one secret.'),
  ),
  createdAt: timestamp('When the webhook was created.'),
};

export const webhookSchema = Type.Object(record, {
  $id: 'Webhook',
  description: 'A webhook without its secret.',
});
export type WebhookRecord = Static<typeof webhookSchema>;

const secret = Type.String({
  description:
    'The secret that signs the requests, by Standard Webhooks: `whsec_` and the Base64 of 32 bytes. Shown only this once.',
  examples: ['whsec_…'],
});

export const createdWebhookSchema = Type.Object(
  { ...record, secret },
  { $id: 'CreatedWebhook', description: 'A new webhook, with its secret.' },
);
export type CreatedWebhook = Static<typeof createdWebhookSchema>;

export const webhookListSchema = Type.Object(
  { webhooks: Type.Array(webhookSchema, { description: 'Sorted by id, that is, by creation time.' }) },
  { $id: 'WebhookList', description: 'The webhooks of a project.' },
);

export const secretRequestSchema = Type.Object(
  {
    graceSeconds: optional.integer({
      minimum: 0,
      maximum: 604_800,
      errorMessage: 'must be a whole number from 0 to 604800',
      description: `Seconds that the former secret also signs, 0 to 604800 (a week). Default: ${defaultGraceSeconds} (a day).`,
      examples: [defaultGraceSeconds],
    }),
  },
  { $id: 'SecretRequest', additionalProperties: false, description: 'The request for a new secret.' },
);

export const newSecretSchema = Type.Object(
  {
    webhookId: record.webhookId,
    secret,
    formerSecretExpiresAt: record.formerSecretExpiresAt,
  },
  { $id: 'NewWebhookSecret', description: 'The new secret of a webhook.' },
);

const answered = {
  status: optional.integer({
    description: 'The HTTP status. Absent if there was no response.',
    examples: [200],
  }),
  milliseconds: Type.Integer({ minimum: 0, description: 'How long the attempt took.' }),
  response: optional.string({
    description: 'The first KiB of the response body, as text. Absent if it was empty.',
  }),
  responseTruncated: optional.boolean({
    description: 'true: the response body was longer than `response`. Absent otherwise.',
  }),
  error: optional.string({
    description: 'Why there was no response.',
    examples: ['no complete response within 15 s'],
  }),
};

export const testResultSchema = Type.Object(
  {
    eventId: Type.String({ pattern: '^evt_', description: 'Id of the event `webhook.test`.' }),
    delivered: Type.Boolean({ description: 'Whether the receiver answered with a 2xx status.' }),
    ...answered,
  },
  { $id: 'WebhookTest', description: 'What the receiver answered.' },
);
export type WebhookTestResult = Static<typeof testResultSchema>;

export const deliverySchema = Type.Object(
  {
    eventId: Type.String({
      pattern: '^evt_',
      description: 'Id of the event: `webhook-id` on every attempt.',
    }),
    type: Type.Enum(eventTypes, { description: 'What happened.' }),
    status: Type.Enum(deliveryStatuses, {
      description:
        'pending: it will be sent, or sent again; delivered: the receiver answered with a 2xx status; failed: it will not be sent again.',
    }),
    nextAttemptAt: Type.Optional(
      timestamp('When it will be sent again. Absent if it is not pending, or waits for its first attempt.'),
    ),
    attempts: Type.Array(
      Type.Object({ at: timestamp('When the attempt began.'), ...answered }, { description: 'One attempt.' }),
      { description: 'Every attempt, oldest first; after replays the newest 30.' },
    ),
    body: webhookEventSchema,
  },
  { $id: 'WebhookDelivery', description: 'An event and the attempts to deliver it to a webhook.' },
);
export type WebhookDelivery = Static<typeof deliverySchema>;

export const deliveryQuerySchema = Type.Object(
  {
    status: optional.oneOf(deliveryStatuses, { description: 'Only deliveries with this status.' }),
    limit: optional.string({
      pattern: '^([1-9]\\d?|100)$',
      errorMessage: 'must be a whole number from 1 to 100',
      description: 'Maximum number of deliveries, 1 to 100. Default: 25.',
      examples: ['25'],
    }),
    cursor: optional.string({
      pattern: '^evt_[A-Za-z0-9_-]{1,64}$',
      errorMessage: 'must be the nextCursor of an earlier page',
      description: 'The nextCursor of the previous page.',
    }),
  },
  { additionalProperties: false },
);

export const deliveryPageSchema = Type.Object(
  {
    deliveries: Type.Array(deliverySchema, { description: 'Newest first.' }),
    nextCursor: optional.string({
      description: 'Send it as cursor to get the next page. Absent on the last one.',
    }),
  },
  { $id: 'WebhookDeliveryPage', description: 'One page of deliveries.' },
);
export type WebhookDeliveryPage = Static<typeof deliveryPageSchema>;

const instant = {
  format: 'instant',
  errorMessage: 'must be an ISO 8601 time such as 2030-01-31T12:00:00Z',
  examples: ['2026-03-01T00:00:00Z'],
};

export const replayRequestSchema = Type.Object(
  {
    from: Type.String({ ...instant, description: 'Events that happened at this time or later.' }),
    to: Type.String({
      ...instant,
      description: 'Events that happened before this time.',
      examples: ['2026-03-02T00:00:00Z'],
    }),
  },
  { $id: 'ReplayRequest', additionalProperties: false, description: 'The period to send again.' },
);

export const replaySchema = Type.Object(
  { events: Type.Integer({ minimum: 0, description: 'Number of events that will be sent again.' }) },
  { $id: 'Replay', description: 'The result of a replay.' },
);

const exampleId = 'whk_01kb2x7m9defgt4zq8s6w3n5vh';
const exampleEventId = 'evt_01kb2xe31tf7mvmr8g3c6ypw9q';

const exampleWebhook = {
  webhookId: exampleId,
  projectId: 'prj_demo',
  url: 'https://shop.example/webhooks',
  events: ['session.ended' as const],
  name: 'billing',
  enabled: true,
  createdAt: '2026-03-01T09:30:00.000Z',
};

const exampleDelivery = {
  eventId: exampleEventId,
  type: 'session.ended' as const,
  status: 'delivered' as const,
  attempts: [{ at: '2026-03-01T09:41:12.590Z', status: 204, milliseconds: 38 }],
  body: {
    type: 'session.ended' as const,
    timestamp: '2026-03-01T09:41:12.345Z',
    data: exampleEndedSession,
  },
};

const collection = '/admin/projects/{projectId}/webhooks';
const one = `${collection}/{webhookId}` as const;
const webhookParams = Type.Object({
  ...projectParams.properties,
  webhookId: id('whk', 'Id of the webhook.', exampleId),
});

const common = { tag, caller: 'operator', permission: 'run-integration' } as const;

export const listWebhooksOperation = {
  ...common,
  operationId: 'listWebhooks',
  method: 'get',
  path: collection,
  summary: 'List the webhooks of a project',
  description: 'Returns all webhooks, including disabled ones, without their secrets.',
  permission: 'read',
  params: projectParams,
  answers: {
    200: jsonAnswer('The webhooks.', webhookListSchema, { one: { value: { webhooks: [exampleWebhook] } } }),
  },
} satisfies Operation;

export const createWebhookOperation = {
  ...common,
  operationId: 'createWebhook',
  method: 'post',
  path: collection,
  summary: 'Create a webhook',
  description: `The response contains the secret, which is not shown again. Events that happen after the response are sent. A project can have ${webhooksPerProject} webhooks.`,
  action: 'webhook.create',
  params: projectParams,
  body: {
    schema: webhookRequestSchema,
    examples: {
      billing: {
        value: { url: 'https://shop.example/webhooks', events: ['session.ended'], name: 'billing' },
      },
    },
  },
  answers: {
    201: jsonAnswer('The webhook.', createdWebhookSchema, {
      billing: { value: { ...exampleWebhook, secret: 'whsec_…' } },
    }),
  },
  errorExamples: {
    INVALID_REQUEST: {
      message: 'The request is not valid: url must begin with https://.',
      details: [{ path: 'url', message: 'must begin with https://' }],
    },
  },
} satisfies Operation;

export const getWebhookOperation = {
  ...common,
  operationId: 'getWebhook',
  method: 'get',
  path: one,
  summary: 'Read a webhook',
  description: 'Returns the webhook without its secret.',
  permission: 'read',
  params: webhookParams,
  answers: { 200: jsonAnswer('The webhook.', webhookSchema, { one: { value: exampleWebhook } }) },
} satisfies Operation;

export const updateWebhookOperation = {
  ...common,
  operationId: 'updateWebhook',
  method: 'patch',
  path: one,
  summary: 'Change a webhook',
  description:
    'Changes the fields that are sent. While a webhook is disabled, its events wait; when it is enabled again, they are sent in their order.',
  action: 'webhook.update',
  params: webhookParams,
  body: {
    schema: webhookUpdateSchema,
    examples: { disable: { value: { enabled: false } } },
  },
  answers: {
    200: jsonAnswer('The webhook.', webhookSchema, {
      disabled: {
        value: {
          ...exampleWebhook,
          enabled: false,
          disabledReason: 'operator',
          disabledAt: '2026-03-02T10:00:00.000Z',
        },
      },
    }),
  },
} satisfies Operation;

export const deleteWebhookOperation = {
  ...common,
  operationId: 'deleteWebhook',
  method: 'delete',
  path: one,
  summary: 'Delete a webhook',
  description: 'Nothing more is sent, also not what waited. An attempt in progress may still end.',
  action: 'webhook.delete',
  params: webhookParams,
  answers: { 204: { description: 'The webhook has been deleted.' } },
} satisfies Operation;

export const createWebhookSecretOperation = {
  ...common,
  operationId: 'createWebhookSecret',
  method: 'post',
  path: `${one}/secret`,
  summary: 'Create a new secret',
  description:
    'The response contains the new secret, which is not shown again. Until `graceSeconds` have passed, requests carry a signature of each of the two secrets, so that the receiver can change to the new one at any time. An even older secret stops signing at once.',
  action: 'webhook.secret',
  params: webhookParams,
  body: {
    schema: secretRequestSchema,
    examples: { day: { value: { graceSeconds: defaultGraceSeconds } } },
    isOptional: true,
  },
  answers: {
    201: jsonAnswer('The secret.', newSecretSchema, {
      day: {
        value: {
          webhookId: exampleId,
          secret: 'whsec_…',
          formerSecretExpiresAt: '2026-03-02T09:30:00.000Z',
        },
      },
    }),
  },
} satisfies Operation;

export const testWebhookOperation = {
  ...common,
  operationId: 'testWebhook',
  method: 'post',
  path: `${one}/test`,
  summary: 'Send a test',
  description:
    'Sends the event `webhook.test` now, once, also if the webhook is disabled, and returns what the receiver answered. No body is needed.',
  action: 'webhook.test',
  params: webhookParams,
  answers: {
    200: jsonAnswer('What the receiver answered.', testResultSchema, {
      delivered: {
        value: { eventId: exampleEventId, delivered: true, status: 200, milliseconds: 41, response: 'ok' },
      },
      refused: {
        value: {
          eventId: exampleEventId,
          delivered: false,
          milliseconds: 15_002,
          error: 'no complete response within 15 s',
        },
      },
    }),
  },
} satisfies Operation;

export const listDeliveriesOperation = {
  ...common,
  operationId: 'listWebhookDeliveries',
  method: 'get',
  path: `${one}/deliveries`,
  summary: 'List the deliveries of a webhook',
  description:
    'Every event that was or will be sent, with its body and every attempt, newest first, page by page. Kept for 30 days.',
  permission: 'read',
  params: webhookParams,
  query: deliveryQuerySchema,
  answers: {
    200: jsonAnswer('A page of deliveries.', deliveryPageSchema, {
      last: { summary: 'The last page', value: { deliveries: [exampleDelivery] } },
    }),
  },
} satisfies Operation;

export const replayDeliveryOperation = {
  ...common,
  operationId: 'replayWebhookDelivery',
  method: 'post',
  path: `${one}/deliveries/{eventId}/replay`,
  summary: 'Send an event again',
  description:
    'Sends an event of the project to the webhook again, with the same `webhook-id`, also if it was delivered. Failed attempts are repeated as for a new event. No body is needed.',
  action: 'webhook.replay',
  params: Type.Object({
    ...webhookParams.properties,
    eventId: id('evt', 'Id of the event.', exampleEventId),
  }),
  answers: {
    202: jsonAnswer('The delivery, pending.', deliverySchema, {
      pending: { value: { ...exampleDelivery, status: 'pending' } },
    }),
  },
  errors: ['EVENT_NOT_FOUND'],
} satisfies Operation;

export const replayPeriodOperation = {
  ...common,
  operationId: 'replayWebhookPeriod',
  method: 'post',
  path: `${one}/replay`,
  summary: 'Send the events of a period again',
  description: `Sends all events that the webhook lists and that happened in the period, delivered or not, in their order, with the same \`webhook-id\`. Events are stored for 30 days while the project has a webhook that lists them. At most ${eventsPerReplay} events; with more, choose a shorter period.`,
  action: 'webhook.replay',
  params: webhookParams,
  body: {
    schema: replayRequestSchema,
    examples: { day: { value: { from: '2026-03-01T00:00:00Z', to: '2026-03-02T00:00:00Z' } } },
  },
  answers: { 202: jsonAnswer('The result.', replaySchema, { some: { value: { events: 12 } } }) },
} satisfies Operation;

export const operations: readonly Operation[] = [
  listWebhooksOperation,
  createWebhookOperation,
  getWebhookOperation,
  updateWebhookOperation,
  deleteWebhookOperation,
  createWebhookSecretOperation,
  testWebhookOperation,
  listDeliveriesOperation,
  replayDeliveryOperation,
  replayPeriodOperation,
];
