import type { Static } from 'typebox';
import { exampleManifest, exampleSession } from '../examples.ts';
import { notStored } from '../headers.ts';
import type { SessionManifest } from '../manifest.ts';
import type { Operation } from '../operation.ts';
import type { Mind } from '../project-file/mind.ts';
import { endReasons, type SessionRecord } from '../session.ts';
import Type from '../type.ts';
import { reportIntervalSeconds } from '../wire.ts';

const tag = 'Runtimes';

/** The response to `connect`. */
export interface Connected {
  session: SessionRecord;
  manifest: Omit<SessionManifest, 'sessionToken'>;
  mind: Mind;
  limits: SessionManifest['limits'];
}

/** Identifies the runtime process that runs a session, for the lifetime of the process. */
const runtimeId = Type.String({
  pattern: '^[\\x21-\\x7e]{1,128}$',
  errorMessage: 'must be 1 to 128 printable characters without spaces',
  description: 'Names the process of the runtime: whatever it chooses at its start, unlike any other.',
  examples: ['rt_7f3a'],
});

export const connectRequestSchema = Type.Object(
  {
    sessionToken: Type.String({
      minLength: 1,
      maxLength: 8192,
      description: 'The session token that the client brought.',
    }),
    runtimeId,
    client: Type.Optional(
      Type.String({
        pattern: '^[\\x21-\\x7e]{1,64}$',
        errorMessage: 'must be 1 to 64 printable characters without spaces',
        description:
          'The network of the client, as the runtime saw it: an IPv4 address, or the first 64 bits of an IPv6 address. `concurrentSessionsPerClient` counts sessions by it; without it the session is not counted for that limit. It is stored while the session is active.',
        examples: ['203.0.113.7', '2001:db8:1:2::/64'],
      }),
    ),
  },
  { $id: 'ConnectRequest', description: 'A client has come to a runtime.' },
);

export type ConnectRequest = Static<typeof connectRequestSchema>;

export const connectedSchema = Type.Object(
  {
    session: Type.Ref('Session#'),
    manifest: Type.Object(
      {},
      { additionalProperties: true, description: 'The Session Manifest of the client, without its token.' },
    ),
    mind: Type.Unsafe<Mind>({
      type: 'object',
      additionalProperties: true,
      description:
        'What only the runtime knows: the `mind` of the revision, as in the project file, with every text as a list of variants. Empty where the revision has none.',
    }),
    limits: Type.Object(
      {
        maxSeconds: Type.Integer({ description: 'The runtime ends the session when it has lasted so long.' }),
        idleSeconds: Type.Integer({ description: 'And when nobody has said anything for so long.' }),
      },
      { description: 'How long the session may last, in seconds. The manifest says the same.' },
    ),
  },
  { $id: 'Connected', description: 'All that a runtime needs to run the session.' },
);

export const reportSchema = Type.Object(
  {
    runtimeId,
    sessions: Type.Array(
      Type.Object(
        {
          sessionId: Type.String({ description: 'A session that it runs, or ran.' }),
          seconds: Type.Number({
            description:
              'For how long its client was connected so far. Less than was reported before, or more than has passed since the session began, counts as that.',
          }),
          waiting: Type.Optional(
            Type.Boolean({
              description:
                'Whether the session has no client at the moment and waits for it to resume. If such a session is ended, the time since the report is not metered.',
            }),
          ),
          ended: Type.Optional(Type.Enum([...endReasons], { description: 'Why it is over, once it is.' })),
        },
        { description: 'How one session does.' },
      ),
      { maxItems: 10_000, description: 'All sessions of the process.' },
    ),
  },
  {
    $id: 'Report',
    description: `What a runtime reports every ${reportIntervalSeconds} seconds.`,
  },
);

export type Report = Static<typeof reportSchema>;

export const reportAnswerSchema = Type.Object(
  {
    end: Type.Array(
      Type.Object({
        sessionId: Type.String({ description: 'A session that is over.' }),
        reason: Type.Enum([...endReasons], { description: 'Why.' }),
      }),
      { description: 'Sessions of the report that the runtime has to close.' },
    ),
  },
  { $id: 'ReportAnswer', description: 'What the runtime has to do.' },
);

export type ReportAnswer = Static<typeof reportAnswerSchema>;

const { sessionToken: _credential, ...manifest } = exampleManifest;

export const connectOperation: Operation = {
  operationId: 'connectSession',
  method: 'post',
  path: '/runtime/v1/sessions/{sessionId}/connect',
  tag,
  summary: 'Begin a session',
  description:
    'A runtime calls this when a client brings a session token. The service checks the token and makes the session active, once: of any number of attempts, whichever process they reach, one succeeds.',
  caller: 'runtime-token',
  params: Type.Object({
    sessionId: Type.String({
      description: 'Id of the session.',
      examples: ['ses_01kb2x7m9defgt4zq8s6w3n5vh'],
    }),
  }),
  body: {
    schema: Type.Ref('ConnectRequest#'),
    examples: {
      one: { value: { sessionToken: 'eyJhbGciOi…', runtimeId: 'rt_7f3a', client: '203.0.113.7' } },
    },
  },
  answers: {
    200: {
      description: 'The session is active.',
      headers: {},
      content: {
        schema: Type.Ref('Connected#'),
        examples: {
          begun: {
            value: {
              session: { ...exampleSession, status: 'active', startedAt: '2026-03-01T09:30:02.120Z' },
              manifest,
              mind: { greeting: { en: ['Good morning!'] } },
              limits: { maxSeconds: 900, idleSeconds: 120 },
            },
          },
        },
      },
    },
  },
  errors: [
    'INVALID_JSON',
    'INVALID_REQUEST',
    'PAYLOAD_TOO_LARGE',
    'RUNTIME_TOKEN_INVALID',
    'SESSION_TOKEN_INVALID',
    'SESSION_ALREADY_CONNECTED',
    'SESSION_ENDED',
    'CONCURRENCY_LIMIT',
    'INTERNAL',
    'UNAVAILABLE',
  ],
  errorExamples: { PAYLOAD_TOO_LARGE: { message: 'The request body is larger than 2 MiB.' } },
  everyAnswer: notStored,
};

export const reportOperation: Operation = {
  operationId: 'reportSessions',
  method: 'post',
  path: '/runtime/v1/reports',
  tag,
  summary: 'Report running sessions',
  description: `Every ${reportIntervalSeconds} seconds, one report for all sessions of a process. Reports may be repeated and may come late; they only ever add. Sessions that another runtime connected and unknown sessions are ignored. A session without a report for 60 seconds ends as runtime_lost.`,
  caller: 'runtime-token',
  body: {
    schema: Type.Ref('Report#'),
    examples: {
      several: {
        value: {
          runtimeId: 'rt_7f3a',
          sessions: [
            { sessionId: 'ses_01kb2x7m9defgt4zq8s6w3n5vh', seconds: 35 },
            { sessionId: 'ses_01kb2x7m9defgt4zq8s6w3n5vk', seconds: 20, waiting: true },
            { sessionId: 'ses_01kb2x7m9defgt4zq8s6w3n5vj', seconds: 12.4, ended: 'client_left' },
          ],
        },
      },
    },
  },
  answers: {
    200: {
      description: 'It is taken.',
      headers: {},
      content: {
        schema: Type.Ref('ReportAnswer#'),
        examples: {
          end: { value: { end: [{ sessionId: 'ses_01kb2x7m9defgt4zq8s6w3n5vh', reason: 'api_request' }] } },
          nothing: { value: { end: [] } },
        },
      },
    },
  },
  errors: [
    'INVALID_JSON',
    'INVALID_REQUEST',
    'PAYLOAD_TOO_LARGE',
    'RUNTIME_TOKEN_INVALID',
    'INTERNAL',
    'UNAVAILABLE',
  ],
  errorExamples: { PAYLOAD_TOO_LARGE: { message: 'The request body is larger than 2 MiB.' } },
  everyAnswer: notStored,
};
