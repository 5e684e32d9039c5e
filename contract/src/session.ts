import type { Static } from 'typebox';
import { optional, timestamp } from './fields.ts';
import Type from './type.ts';

export const modes = ['conversation', 'presenter'] as const;
export const speechInputModes = ['auto', 'manual', 'off'] as const;
/** The route that minted the session. */
export const sources = ['server', 'browser', 'public', 'preview'] as const;
export const statuses = ['created', 'active', 'ended', 'expired'] as const;
/** Why a session ended. */
export const endReasons = [
  'api_request',
  'client_ended',
  'client_left',
  'client_lost',
  'idle_timeout',
  'max_duration',
  'runtime_error',
  'runtime_lost',
  'server_shutdown',
] as const;

export type SessionMode = (typeof modes)[number];
export type SpeechInputMode = (typeof speechInputModes)[number];
export type Source = (typeof sources)[number];
export type Status = (typeof statuses)[number];
export type EndReason = (typeof endReasons)[number];

export const sessionId = Type.String({
  pattern: '^ses_',
  description: 'Id of the session.',
  examples: ['ses_01kb2x7m9defgt4zq8s6w3n5vh'],
});
export const mode = Type.Enum(modes, { description: 'Whether the characters converse or present.' });
export const speechInputMode = Type.Enum(speechInputModes, {
  description: 'How the microphone is used: automatically, on demand or never.',
});
export const speechOnly = Type.Boolean({ description: 'True if the session is voice-only.' });
export const locale = Type.String({
  description: 'The resolved language of the conversation, as a canonical BCP 47 tag.',
  examples: ['en-US'],
});
export const secondaryLocale = Type.String({
  description: 'The paired language. Only sessions of dual experiences have it.',
  examples: ['es-MX'],
});
export const livemode = Type.Boolean({
  description:
    'False for sessions minted with a test key and for previews. Other sessions from browsers are always live.',
});
export const revision = Type.Integer({
  minimum: 1,
  description: 'The revision of the experience that the session is bound to.',
});
export const userId = Type.String({
  description: 'The user, as sent by the backend in the mint request.',
});
export const processorId = Type.String({
  description: 'The processor, as sent by the backend in the mint request.',
});

const fieldNames = 'must have at most 20 fields, with names of 1 to 40 characters';

export const metadata = Type.Unsafe<Record<string, string>>({
  type: 'object',
  maxProperties: 20,
  propertyNames: { pattern: '^[\\s\\S]{1,40}$', errorMessage: fieldNames },
  additionalProperties: { type: 'string', maxLength: 500 },
  errorMessage: fieldNames,
  description:
    'Your own metadata, such as an order number: up to 20 values of at most 500 characters, with names of 1 to 40 characters. Stored and returned with the session; never sent to the client.',
  examples: [{ orderId: '4711', campaign: 'spring' }],
});

/** The session record: safe to log, without any credential. */
export const sessionSchema = Type.Object(
  {
    sessionId,
    projectId: Type.String({ description: 'The project the session belongs to.', examples: ['prj_demo'] }),
    experienceId: Type.String({
      description: 'The experience that was launched.',
      examples: ['exp_harbor_guide'],
    }),
    revision,
    status: Type.Enum(statuses, {
      description:
        'created: no client has connected yet; active: a client has connected; ended: the session has ended, with or without a client; expired: no client connected in time. An ended session stays ended.',
    }),
    livemode,
    source: Type.Enum(sources, {
      description:
        'The route that minted it: /v1/sessions, /v1/browser-sessions, /v1/public-sessions or /preview-sessions.',
    }),
    origin: optional.string({ description: 'The origin of the page, for sessions from browsers.' }),
    userId: Type.Optional(userId),
    processorId: Type.Optional(processorId),
    metadata: Type.Optional(metadata),
    mode,
    speechInputMode,
    speechOnly,
    locale,
    secondaryLocale: Type.Optional(secondaryLocale),
    createdAt: timestamp('When the session was minted.'),
    expiresAt: timestamp('A client must connect before this time.'),
    startedAt: Type.Optional(timestamp('When a client connected. Absent before.')),
    endedAt: Type.Optional(timestamp('When the session ended. Absent before.')),
    endReason: optional.oneOf(endReasons, {
      description:
        'Why the session ended: api_request (ended through the API), client_ended, client_left, client_lost (the connection was lost and not resumed), idle_timeout, max_duration, runtime_error, runtime_lost (the runtime stopped reporting) or server_shutdown. Absent until then.',
    }),
    usage: Type.Object(
      {
        seconds: Type.Integer({
          minimum: 0,
          description: 'Whole seconds that a client was connected, from the reports of the runtime.',
        }),
      },
      { description: 'Metered usage.' },
    ),
  },
  {
    $id: 'Session',
    description:
      'A persisted runtime session. It contains no credential, so it may be logged and stored. Fields that do not apply are absent.',
  },
);

export type SessionRecord = Static<typeof sessionSchema>;
