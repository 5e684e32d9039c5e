import type { Static } from 'typebox';
import { timestamp } from './fields.ts';
import Type from './type.ts';

/** Types of events that webhooks can receive. */
export const eventTypes = [
  'session.created',
  'session.started',
  'session.ended',
  'session.expired',
  'experience.published',
  'webhook.test',
] as const;
export type EventType = (typeof eventTypes)[number];

/** The body of every request to a webhook. */
export const webhookEventSchema = Type.Object(
  {
    type: Type.Enum(eventTypes, { description: 'What happened.' }),
    timestamp: timestamp('When it happened.'),
    data: Type.Object(
      {},
      {
        additionalProperties: true,
        description:
          'The session record, for events of sessions; the experience, for `experience.published`; the webhook, for `webhook.test`.',
      },
    ),
  },
  { $id: 'WebhookEvent', description: 'The body of every request to a webhook.' },
);
export type WebhookEvent = Static<typeof webhookEventSchema>;
