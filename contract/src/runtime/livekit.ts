import { notStored } from '../headers.ts';
import type { Operation } from '../operation.ts';
import Type from '../type.ts';

const tag = { name: 'LiveKit', description: 'For LiveKit servers whose rooms are used as a transport.' };

const eventSchema = Type.Object(
  {
    event: Type.String({ description: 'What happened. Events that are not about the client are ignored.' }),
    room: Type.Optional(
      Type.Object({ name: Type.String() }, { additionalProperties: true, description: 'The room.' }),
    ),
    participant: Type.Optional(
      Type.Object(
        { identity: Type.String() },
        { additionalProperties: true, description: 'The participant, for events about one.' },
      ),
    ),
  },
  { additionalProperties: true, description: 'A `WebhookEvent` of LiveKit.' },
);

export const livekitWebhookOperation: Operation = {
  operationId: 'receiveLivekitWebhook',
  method: 'post',
  path: '/runtime/v1/livekit',
  tag,
  summary: 'Receive a webhook of LiveKit',
  description:
    'LiveKit calls this when participants join and leave rooms; the URL belongs into its setting `webhook.urls`. A session begins when its client joins its room, and ends when the client has left it. Webhooks that are repeated, late or about anything else change nothing.\n\nLiveKit signs each request with `LIVEKIT_API_SECRET`: `Authorization` is a JWT whose claim `sha256` is the hash of the body.',
  caller: 'anyone',
  headers: Type.Object({
    Authorization: Type.String({ description: 'The JWT, without a scheme.', examples: ['eyJhbGciOi…'] }),
  }),
  bodies: {
    'application/webhook+json': {
      schema: eventSchema,
      examples: {
        joined: {
          value: {
            event: 'participant_joined',
            id: 'EV_2XyPQhVjhSUo',
            createdAt: '1772357402',
            room: { name: 'ses_01kb2x7m9defgt4zq8s6w3n5vh' },
            participant: { identity: 'user_ses_01kb2x7m9defgt4zq8s6w3n5vh' },
          },
        },
      },
    },
  },
  answers: { 204: { description: 'The event was applied, or changes nothing.' } },
  errors: ['INVALID_JSON', 'LIVEKIT_SIGNATURE_INVALID', 'PAYLOAD_TOO_LARGE', 'INTERNAL', 'UNAVAILABLE'],
  everyAnswer: notStored,
};
