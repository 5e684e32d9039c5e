import type { DeliveryStatus, DisabledReason } from '@session-launch/contract/admin/webhooks';
import { webhookCommands } from '@session-launch/contract/snippets';
import type { EventType } from '@session-launch/contract/webhook-events';
import { plural } from './plural.ts';

/** Texts of the screen of webhooks. */
export const webhooksTexts = {
  intro: 'The service sends signed requests to your application when something happens in this project.',
  caption: 'Webhooks of the project',
  create: 'Create webhook',
  empty: 'No webhooks yet',
  emptyText:
    'A webhook tells your application when sessions start and end, for example to bill for the time. Failed requests are repeated.',
  emptyReadOnly: 'Developers and owners can create webhooks.',
  webhook: 'Webhook',
  events: 'Events',
  lastDelivered: 'Last delivered',
  state: 'State',
  on: 'on',
  off: 'off',
  failing: 'failing',
  since: 'since',
  reasons: {
    operator: 'Disabled by an operator',
    gone: 'Disabled: its receiver answered 410',
    failing: 'Disabled: every attempt of five days failed',
  } satisfies Record<DisabledReason, string>,
  reasonsInFull: {
    operator: 'An operator disabled this webhook.',
    gone: 'The receiver answered 410 Gone, which asks for no further events.',
    failing: 'Every attempt of five days failed, so the service stopped sending.',
  } satisfies Record<DisabledReason, string>,
  disabledTitle: 'This webhook is disabled',
  disabledText: 'Its events wait, and are sent in their order when it is enabled again.',
  failingTitle: 'Deliveries fail',
  firstFailure: 'First failure:',
  noneSince: 'No event was delivered since.',
  failingText:
    'Failed events are sent again for three days. After five days without a success the webhook is disabled.',

  // Creating and changing
  url: 'URL',
  urlHelp:
    'An https address of your application that the service can reach, such as https://shop.example/webhooks.',
  name: 'Name',
  nameHelp: 'To recognise the webhook in lists, for example the program that receives it.',
  eventHelp: {
    'session.created': 'a session was created',
    'session.started': 'a visitor has connected',
    'session.ended': 'the conversation is over; with its duration',
    'session.expired': 'no visitor has connected in time',
    'experience.published': 'a revision was published',
    'webhook.test': 'a test was sent',
  } satisfies Record<EventType, string>,
  noEvents: 'Choose at least one event.',
  change: 'Change',
  changeTitle: 'Change the webhook',
  changed: 'The webhook is changed.',

  // The secret
  shownTitle: 'The secret of the webhook',
  shownText:
    'Copy it now: it is shown only this once. Your application verifies with it that a request comes from this service.',
  secret: 'secret',
  env: '.env line',
  envCaption: 'In .env',
  notCopied: 'You have not copied the secret. It cannot be shown again. Close anyway?',
  closeAnyway: 'Close without copying',
  back: 'Back to the secret',
  done: 'Done',
  verify: 'Code that verifies',
  language: 'Receiver in',
  languages: { node: 'Node.js', python: 'Python', go: 'Go' },
  code: 'code',
  codeCaption: (language: keyof typeof webhookCommands) =>
    `Save as ${webhookCommands[language].split(' ').at(-1)} and run: ${webhookCommands[language]}`,
  newSecret: 'New secret',
  newSecretTitle: 'Create a new secret?',
  newSecretText:
    'For this time, requests carry a signature of each of the two secrets. If your application gets the new one before it has passed, no event is lost.',
  grace: 'The current secret also signs for',
  graces: [
    { value: '3600', label: 'an hour' },
    { value: '86400', label: 'a day' },
    { value: '604800', label: 'a week' },
    { value: '0', label: 'no longer: it stops at once' },
  ],
  createSecret: 'Create secret',

  // One webhook
  all: 'All webhooks',
  settings: 'Settings',
  id: 'Id',
  created: 'Created',
  formerSecret: 'Former secret',
  formerSecretSigns: 'also signs; ends',
  enable: 'Enable',
  isEnabled: 'The webhook is enabled. What waited is sent.',
  disable: 'Disable',
  disableTitle: 'Disable this webhook?',
  isDisabled: 'The webhook is disabled.',
  delete: 'Delete',
  deleteTitle: 'Delete this webhook?',
  deleteText: (url: string) =>
    `Nothing more is sent to ${url}, also not what waits. Its deliveries are deleted. This cannot be undone.`,
  deleteWebhook: 'Delete webhook',
  isDeleted: 'The webhook is deleted.',

  // Test
  test: 'Send test',
  testResult: 'Result of the test',
  testing: 'Sending webhook.test. The receiver has 15 seconds to answer.',
  testDelivered: 'delivered',
  testFailed: 'not delivered',
  testFailedHelp: 'The receiver must answer with a 2xx status within 15 seconds.',
  status: (status: number) => `Status ${status}`,
  took: (ms: number) => `in ${ms.toLocaleString('en')} ms`,
  response: 'Response',
  responseBeginning: 'Response, only the first KiB',
  noResponse: 'The response has no body.',
  dismiss: 'Close the result',

  // Deliveries
  deliveries: 'Deliveries',
  deliveriesCaption: 'Events of the webhook, newest first',
  noDeliveries: 'Nothing was sent yet. Send a test, or wait for the first event.',
  noMatch: 'No delivery has this status.',
  showAll: 'Show all',
  fresh: (count: number) => `Show ${plural(count, 'new event', 'new events')}`,
  deliveryStatus: 'Status',
  anyStatus: 'Any status',
  statuses: { pending: 'pending', delivered: 'delivered', failed: 'failed' } satisfies Record<
    DeliveryStatus,
    string
  >,
  event: 'Event',
  happened: 'Happened',
  lastAnswer: 'Last response',
  notYet: 'not sent yet',
  attempts: 'Attempts',
  next: 'next',
  details: 'Details',
  detailsOf: (eventId: string) => `Details of ${eventId}`,
  sendAgain: 'Send again',
  sendAgainOf: (eventId: string) => `Send again: ${eventId}`,
  isQueued: 'The event will be sent again.',
  isQueuedLater: 'The event will be sent again when the webhook is enabled.',
  body: 'Body',
  bodyItself: 'body',
  replay: 'Send a period again',
  replayText:
    'Sends all events of the period that this webhook lists, delivered or not, in their order and with their ids. They are stored for 30 days.',
  from: 'From',
  to: 'Until',
  replayed: (count: number) =>
    count === 0 ? 'This period has no events.' : `${plural(count, 'event', 'events')} will be sent again.`,
} as const;
