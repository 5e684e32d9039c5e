import type { Static } from 'typebox';
import { exampleEndedSession, exampleSession } from '../examples.ts';
import { id, optional, timestamp } from '../fields.ts';
import { jsonAnswer, type Operation } from '../operation.ts';
import { endReasons, sessionSchema, sources, statuses } from '../session.ts';
import Type from '../type.ts';
import { projectParams } from './projects.ts';

export const tag = { name: 'Sessions', description: 'Sessions of a project.' };
const instant = (description: string) =>
  optional.string({
    format: 'instant',
    errorMessage: 'must be an ISO 8601 time such as 2030-01-31T12:00:00Z',
    description,
    examples: ['2026-03-01T00:00:00Z'],
  });

/** Filters of the session list. Query parameters are strings. */
export const sessionQuerySchema = Type.Object(
  {
    limit: optional.string({
      pattern: '^([1-9]\\d{0,2})$',
      errorMessage: 'must be a whole number from 1 to 500',
      description: 'Maximum number of sessions, 1 to 500. Default: 100.',
      examples: ['100'],
    }),
    cursor: optional.string({
      pattern: '^ses_[A-Za-z0-9_-]{1,64}$',
      errorMessage: 'must be the nextCursor of an earlier page',
      description: 'The nextCursor of the previous page.',
    }),
    experienceId: optional.string({
      pattern: '^exp_[A-Za-z0-9_-]{1,64}$',
      errorMessage: 'must start with exp_',
      description: 'Only sessions of this experience.',
      examples: ['exp_harbor_guide'],
    }),
    status: optional.oneOf(statuses, { description: 'Only sessions in this state.' }),
    source: optional.oneOf(sources, { description: 'Only sessions minted by this route.' }),
    userId: optional.string({ minLength: 1, maxLength: 256, description: 'Only sessions of this user.' }),
    origin: optional.string({
      minLength: 1,
      maxLength: 512,
      description: 'Only sessions from pages of this origin.',
      examples: ['https://shop.example'],
    }),
    locale: optional.string({
      format: 'bcp47',
      errorMessage: 'must be a language tag such as en-US',
      description: 'Only sessions whose resolved language is exactly this one.',
      examples: ['en-US'],
    }),
    livemode: optional.oneOf(['true', 'false'], {
      description: 'Only live sessions, or only test sessions.',
    }),
    from: instant('Only sessions minted at this time or later.'),
    to: instant('Only sessions minted before this time.'),
  },
  { additionalProperties: false },
);

export type SessionQuery = Static<typeof sessionQuerySchema>;

export const sessionPageSchema = Type.Object(
  {
    sessions: Type.Array(sessionSchema, { description: 'Newest first.' }),
    nextCursor: optional.string({
      description: 'Send it as cursor to get the next page. Absent on the last one.',
    }),
  },
  { $id: 'SessionPage', description: 'One page of sessions.' },
);

export type SessionPage = Static<typeof sessionPageSchema>;

export const listSessionsOperation = {
  operationId: 'listSessions',
  method: 'get',
  path: '/admin/projects/{projectId}/sessions',
  tag,
  summary: 'List the sessions of a project',
  description:
    'Newest first, page by page. With several filters, a request examines at most 2000 sessions, and it reads at most about 1 MB of what their launches were given, so a page can have fewer sessions than `limit`, or none, and still a `nextCursor`.',
  caller: 'operator',
  permission: 'read',
  params: projectParams,
  query: sessionQuerySchema,
  answers: {
    200: jsonAnswer('A page of sessions.', sessionPageSchema, {
      last: { summary: 'The last page', value: { sessions: [exampleSession] } },
    }),
  },
} satisfies Operation;

const sessionParams = Type.Object({
  sessionId: id('ses', 'Id of the session.', 'ses_01kb2x7m9defgt4zq8s6w3n5vh'),
});
export const sessionDetailSchema = Type.Object(
  {
    session: sessionSchema,
    timeline: Type.Array(
      Type.Object(
        {
          at: timestamp('When it happened.'),
          what: Type.Enum(['created', 'connected', 'ended', 'expired'], { description: 'What happened.' }),
          by: optional.string({ description: 'The operator who did it. Absent: no operator.' }),
          reason: optional.oneOf(endReasons, { description: 'Why the session ended.' }),
        },
        { description: 'One event of the session.' },
      ),
      { description: 'Oldest first.' },
    ),
  },
  { $id: 'SessionDetail', description: 'A session and what happened to it.' },
);

export type SessionDetail = Static<typeof sessionDetailSchema>;

export const getSessionOperation = {
  operationId: 'getSessionDetail',
  method: 'get',
  path: '/admin/sessions/{sessionId}',
  tag,
  summary: 'Read a session',
  description: 'The session record and its timeline. It contains no token and nothing that was said.',
  caller: 'operator',
  permission: 'read',
  params: sessionParams,
  answers: {
    200: jsonAnswer('The session.', sessionDetailSchema, {
      created: {
        value: {
          session: exampleSession,
          timeline: [{ at: '2026-03-01T09:30:00.000Z', what: 'created' }],
        },
      },
    }),
  },
} satisfies Operation;

export const endedSessionSchema = Type.Object(
  { session: sessionSchema },
  { $id: 'EndedSession', description: 'A session that has ended.' },
);

export const endSessionOperation = {
  operationId: 'endSessionAsOperator',
  method: 'post',
  path: '/admin/sessions/{sessionId}/end',
  tag,
  summary: 'End a session',
  description:
    'Ends a session with the reason `api_request`. Its runtime disconnects the client after its next report, within about five seconds. Ending it again changes nothing. No body is needed.',
  caller: 'operator',
  permission: 'run-integration',
  action: 'session.end',
  params: sessionParams,
  answers: {
    200: jsonAnswer('The session, ended.', endedSessionSchema, {
      ended: { value: { session: exampleEndedSession } },
    }),
  },
} satisfies Operation;

export const forgottenSchema = Type.Object(
  {
    sessions: Type.Integer({ minimum: 0, description: 'Number of sessions that named the user.' }),
  },
  { $id: 'ForgottenUser', description: 'The result of forgetting a user.' },
);

export const forgetUserOperation = {
  operationId: 'forgetUser',
  method: 'delete',
  path: '/admin/projects/{projectId}/users/{userId}',
  tag,
  summary: 'Forget a user',
  description:
    'Removes `userId` and `metadata` from every session of the user, and ends those that have not ended. A replay of such a launch has neither of them; processes that have just replayed one stop within five seconds. Sessions are changed in batches, so a user with 100,000 sessions takes a while; if the request is interrupted, send it again. The audit records only the beginning of a hash of the userId.',
  caller: 'operator',
  permission: 'manage-projects',
  action: 'user.forget',
  params: Type.Object({
    ...projectParams.properties,
    userId: Type.String({
      minLength: 1,
      maxLength: 256,
      description: 'The user, as sent in the mint requests, percent-encoded.',
      examples: ['user-42'],
    }),
  }),
  answers: {
    200: jsonAnswer('The user is forgotten.', forgottenSchema, { some: { value: { sessions: 12 } } }),
  },
} satisfies Operation;

export const operations: readonly Operation[] = [
  listSessionsOperation,
  getSessionOperation,
  endSessionOperation,
  forgetUserOperation,
];
