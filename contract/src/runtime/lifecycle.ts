import type { Static } from 'typebox';
import { exampleManifest, exampleSession } from '../examples.ts';
import { optional } from '../fields.ts';
import type { SessionManifest } from '../manifest.ts';
import { jsonAnswer, type Operation } from '../operation.ts';
import type { Mind } from '../project-file/mind.ts';
import { toolBounds, toolName } from '../project-file/tools.ts';
import { endReasons, sessionSchema } from '../session.ts';
import Type from '../type.ts';
import { reportIntervalSeconds } from '../wire.ts';

export const tag = { name: 'Runtimes', description: 'Connect sessions and report their usage.' };

/** Identifies the runtime process that runs a session, for the lifetime of the process. */
const runtimeId = Type.String({
  pattern: '^[\\x21-\\x7e]{1,128}$',
  errorMessage: 'must be 1 to 128 printable characters without spaces',
  description: 'Id of the runtime process: a unique value that it generates when it starts.',
  examples: ['rt_7f3a'],
});

export const connectRequestSchema = Type.Object(
  {
    sessionToken: Type.String({
      minLength: 1,
      maxLength: 8192,
      description: 'The session token sent by the client.',
    }),
    runtimeId,
    client: optional.string({
      pattern: '^[\\x21-\\x7e]{1,64}$',
      errorMessage: 'must be 1 to 64 printable characters without spaces',
      description:
        'The network of the client, as seen by the runtime: an IPv4 address, or the first 64 bits of an IPv6 address. `concurrentSessionsPerClient` counts sessions by it; without it the session is not counted for that limit. It is stored while the session is active.',
      examples: ['203.0.113.7', '2001:db8:1:2::/64'],
    }),
  },
  { $id: 'ConnectRequest', description: 'The request to begin the session of a client.' },
);

export type ConnectRequest = Static<typeof connectRequestSchema>;

export const connectedSchema = Type.Object(
  {
    session: sessionSchema,
    manifest: Type.Unsafe<Omit<SessionManifest, 'sessionToken'>>({
      type: 'object',
      additionalProperties: true,
      description: 'The Session Manifest of the client, without its token.',
    }),
    mind: Type.Unsafe<Mind>({
      type: 'object',
      additionalProperties: true,
      description:
        'Configuration for the runtime only: the `mind` of the revision, as in the project file, with every text as a list of variants. Empty if the revision has none.',
    }),
    limits: Type.Object(
      {
        maxSeconds: Type.Integer({ description: 'Seconds after which the runtime ends the session.' }),
        idleSeconds: Type.Integer({
          description: 'Seconds without speech or text after which the runtime ends the session.',
        }),
      },
      { description: 'Time limits of the session, as in the manifest.' },
    ),
  },
  { $id: 'Connected', description: 'Everything that a runtime needs to run the session.' },
);

/** The response to `connect`. */
export type Connected = Static<typeof connectedSchema>;

export const reportSchema = Type.Object(
  {
    runtimeId,
    sessions: Type.Array(
      Type.Object(
        {
          sessionId: Type.String({ description: 'A session that the runtime runs or has run.' }),
          seconds: Type.Number({
            description:
              'Total seconds that the client has been connected. The service stores at least the value of earlier reports, and at most the time since the session began.',
          }),
          waiting: optional.boolean({
            description:
              'Whether the client is disconnected and may still resume. If such a session is ended, the time since the report is not metered.',
          }),
          ended: optional.oneOf(endReasons, { description: 'Why the session ended. Absent while it runs.' }),
        },
        { description: 'The state of one session.' },
      ),
      { maxItems: 10_000, description: 'All sessions of the process.' },
    ),
  },
  {
    $id: 'Report',
    description: `The report that a runtime sends every ${reportIntervalSeconds} seconds.`,
  },
);

export type Report = Static<typeof reportSchema>;

export const reportAnswerSchema = Type.Object(
  {
    end: Type.Array(
      Type.Object({
        sessionId: Type.String({ description: 'A session that has ended.' }),
        reason: Type.Enum(endReasons, { description: 'Why.' }),
      }),
      { description: 'Sessions of the report that the runtime has to close.' },
    ),
  },
  { $id: 'ReportAnswer', description: 'Instructions for the runtime.' },
);

export type ReportAnswer = Static<typeof reportAnswerSchema>;

export const toolCallRequestSchema = Type.Object(
  {
    runtimeId: Type.Optional(runtimeId),
    name: toolName,
    arguments: Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      additionalProperties: true,
      description: `The arguments, at most ${toolBounds.argumentBytes / 1024} KiB as JSON.`,
      examples: [{ people: 2, time: '19:30' }],
    }),
  },
  { $id: 'ToolCallRequest', description: 'A call of a tool of the experience.' },
);

export type ToolCallRequest = Static<typeof toolCallRequestSchema>;

/** Outcomes of a call. All but `done` are errors for the model. */
export const toolOutcomes = [
  'done',
  'invalid',
  'status',
  'too_big',
  'timeout',
  'forbidden',
  'network',
  'busy',
] as const;
export type ToolOutcome = (typeof toolOutcomes)[number];

export const toolCallResultSchema = Type.Object(
  {
    outcome: Type.Enum(toolOutcomes, {
      description:
        'done: the tool answered with a 2xx status. Otherwise: the arguments break the schema or are too large, and nothing was sent; another status; a response above the limit; no response in time; an address to which requests are not sent; a failed connection; too many calls in progress, and nothing was sent.',
    }),
    output: Type.String({
      description: 'What to tell the model: the response of the tool, or a sentence about the error.',
    }),
  },
  { $id: 'ToolCallResult', description: 'The result of a call.' },
);

export type ToolCallResult = Static<typeof toolCallResultSchema>;

const { sessionToken: _credential, ...manifest } = exampleManifest;

const sessionParams = Type.Object({
  sessionId: Type.String({
    description: 'Id of the session.',
    examples: ['ses_01kb2x7m9defgt4zq8s6w3n5vh'],
  }),
});

/** Error codes of every operation for runtimes. */
const always = ['INVALID_REQUEST', 'RUNTIME_TOKEN_INVALID', 'INTERNAL', 'UNAVAILABLE'] as const;
const errorExamples = { PAYLOAD_TOO_LARGE: { message: 'The request body is larger than 2 MiB.' } };

export const connectOperation = {
  operationId: 'connectSession',
  method: 'post',
  path: '/runtime/v1/sessions/{sessionId}/connect',
  tag,
  summary: 'Begin a session',
  description:
    'A runtime calls this when a client presents a session token. The service checks the token and makes the session active. Only one connect per session succeeds, even if several processes try at the same time.',
  caller: 'runtime-token',
  params: sessionParams,
  body: {
    schema: connectRequestSchema,
    examples: {
      one: { value: { sessionToken: 'eyJhbGciOi…', runtimeId: 'rt_7f3a', client: '203.0.113.7' } },
    },
  },
  answers: {
    200: jsonAnswer('The session is active.', connectedSchema, {
      begun: {
        value: {
          session: { ...exampleSession, status: 'active', startedAt: '2026-03-01T09:30:02.120Z' },
          manifest,
          mind: { greeting: { en: ['Good morning!'] } },
          limits: { maxSeconds: 900, idleSeconds: 120 },
        },
      },
    }),
  },
  errors: [
    ...always,
    'SESSION_TOKEN_INVALID',
    'SESSION_ALREADY_CONNECTED',
    'SESSION_ENDED',
    'CONCURRENCY_LIMIT',
  ],
  errorExamples,
} satisfies Operation;

export const reportOperation = {
  operationId: 'reportSessions',
  method: 'post',
  path: '/runtime/v1/reports',
  tag,
  summary: 'Report running sessions',
  description: `Every ${reportIntervalSeconds} seconds, one report for all sessions of a process. Reports may be repeated or delayed; usage never decreases. Sessions that another runtime connected and unknown sessions are ignored. A session without a report for 60 seconds ends as runtime_lost.`,
  caller: 'runtime-token',
  body: {
    schema: reportSchema,
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
    200: jsonAnswer('The report was accepted.', reportAnswerSchema, {
      end: { value: { end: [{ sessionId: 'ses_01kb2x7m9defgt4zq8s6w3n5vh', reason: 'api_request' }] } },
      nothing: { value: { end: [] } },
    }),
  },
  errors: always,
  errorExamples,
} satisfies Operation;

export const callToolOperation = {
  operationId: 'callTool',
  method: 'post',
  path: '/runtime/v1/sessions/{sessionId}/tools',
  tag,
  summary: 'Call a tool',
  description: `Calls a tool of the revision that the session runs: a POST request to its address with \`{sessionId, userId?, name, arguments}\`, signed with the tool secret of the project, if it has one. The request takes at most ${toolBounds.seconds} s and is sent once. Errors of the tool are part of the result. With a runtimeId, only the runtime that connected the session may call. A runtime makes at most ${toolBounds.callsPerTurn} calls in one turn.`,
  caller: 'runtime-token',
  params: sessionParams,
  body: {
    schema: toolCallRequestSchema,
    examples: {
      one: { value: { name: 'book_table', arguments: { people: 2, time: '19:30' } } },
    },
  },
  answers: {
    200: jsonAnswer('The result.', toolCallResultSchema, {
      done: { value: { outcome: 'done', output: '{"booked":true}' } },
      invalid: { value: { outcome: 'invalid', output: 'The arguments are not valid: people is required.' } },
    }),
  },
  errors: [...always, 'SESSION_NOT_FOUND', 'TOOL_NOT_FOUND'],
  errorExamples,
} satisfies Operation;

export const operations: readonly Operation[] = [connectOperation, reportOperation, callToolOperation];
