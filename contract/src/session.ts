import type { Static } from 'typebox';
import { timestamp } from './fields.ts';
import Type from './type.ts';

export const modes = ['conversation', 'presenter'] as const;
export const speechInputModes = ['auto', 'manual', 'off'] as const;
/** By the door that minted it. */
export const sources = ['server', 'browser', 'public'] as const;
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

export type Mode = (typeof modes)[number];
export type SpeechInputMode = (typeof speechInputModes)[number];
export type Source = (typeof sources)[number];
export type Status = (typeof statuses)[number];
export type EndReason = (typeof endReasons)[number];

export const sessionId = Type.String({
  pattern: '^ses_',
  description: 'Id of the session.',
  examples: ['ses_01kb2x7m9defgt4zq8s6w3n5vh'],
});
export const mode = Type.Enum([...modes], { description: 'How the characters behave.' });
export const speechInputMode = Type.Enum([...speechInputModes], { description: 'How speech is taken in.' });
export const speechOnly = Type.Boolean({ description: 'True when the session is voice only.' });
export const locale = Type.String({
  description: 'The language the conversation is held in, resolved, as a canonical BCP 47 tag.',
  examples: ['en-US'],
});
export const secondaryLocale = Type.String({
  description: 'The paired language. Only sessions of dual experiences have it.',
  examples: ['es-MX'],
});
export const livemode = Type.Boolean({
  description: 'False for sessions minted with a test key. Sessions from browsers are always live.',
});
export const revision = Type.Integer({
  minimum: 1,
  description: 'The revision of the experience that the session is bound to.',
});
export const userId = Type.String({
  description: 'The user that the backend named when it minted the session.',
});
export const processorId = Type.String({
  description: 'The processor that the backend asked for when it minted the session.',
});

const fieldNames = 'must have at most 20 fields, with names of 1 to 40 characters';

export const metadata = Type.Unsafe<Record<string, string>>({
  type: 'object',
  maxProperties: 20,
  propertyNames: { pattern: '^[\\s\\S]{1,40}$', errorMessage: fieldNames },
  additionalProperties: { type: 'string', maxLength: 500 },
  errorMessage: fieldNames,
  description:
    'Facts of your own about the session, such as the number of an order: up to 20 texts of at most 500 characters, by names of 1 to 40. They are kept with the session and shown with it, and never reach the client.',
  examples: [{ orderId: '4711', campaign: 'spring' }],
});

/** What a session shows to its owner: safe to log, without any credential. */
export const sessionSchema = Type.Object(
  {
    sessionId,
    projectId: Type.String({ description: 'The project the session belongs to.', examples: ['prj_demo'] }),
    experienceId: Type.String({
      description: 'The experience that was launched.',
      examples: ['exp_harbor_guide'],
    }),
    revision,
    status: Type.Enum([...statuses], {
      description:
        'created from the mint on; active once a client has connected; ended when that is over, or when it was ended before; expired when nobody connected in time. An ended session stays ended.',
    }),
    livemode,
    source: Type.Enum([...sources], {
      description: 'The route that minted it: /v1/sessions, /v1/browser-sessions or /v1/public-sessions.',
    }),
    origin: Type.Optional(
      Type.String({ description: 'The origin of the page, for sessions from browsers.' }),
    ),
    userId: Type.Optional(userId),
    processorId: Type.Optional(processorId),
    metadata: Type.Optional(metadata),
    mode,
    speechInputMode,
    speechOnly,
    locale,
    secondaryLocale: Type.Optional(secondaryLocale),
    createdAt: timestamp('When the session was minted.'),
    expiresAt: timestamp('A client has to connect before this time.'),
    startedAt: Type.Optional(timestamp('When a client connected. Absent before.')),
    endedAt: Type.Optional(timestamp('When the session ended. Absent before.')),
    endReason: Type.Optional(
      Type.Enum([...endReasons], {
        description:
          'Why it ended: api_request (ended by its owner), client_ended, client_left, client_lost (its connection was lost for good), idle_timeout, max_duration, runtime_error, runtime_lost (the runtime fell silent) or server_shutdown. Absent before.',
      }),
    ),
    usage: Type.Object(
      {
        seconds: Type.Integer({
          minimum: 0,
          description: 'Whole seconds that a client was connected, as the runtime reported them so far.',
        }),
      },
      { description: 'What the session has used.' },
    ),
  },
  {
    $id: 'Session',
    description:
      'A persisted runtime session. It holds no credential, so it may be logged and stored. A field that says nothing about this session is left out.',
  },
);

export type SessionRecord = Static<typeof sessionSchema>;
