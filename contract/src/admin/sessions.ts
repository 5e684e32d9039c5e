import type { Static } from 'typebox';
import { exampleSession } from '../examples.ts';
import { optional } from '../fields.ts';
import { jsonAnswer, type Operation } from '../operation.ts';
import { sessionSchema, sources, statuses } from '../session.ts';
import Type from '../type.ts';
import { ofAProject } from './errors.ts';
import { projectParams } from './projects.ts';

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
  tag: 'Sessions',
  summary: 'List the sessions of a project',
  description: 'Newest first, page by page.',
  caller: 'admin-token',
  params: projectParams,
  query: sessionQuerySchema,
  answers: {
    200: jsonAnswer('A page of sessions.', sessionPageSchema, {
      last: { summary: 'The last page', value: { sessions: [exampleSession] } },
    }),
  },
  errors: ofAProject,
} satisfies Operation;
