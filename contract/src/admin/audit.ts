import type { Static } from 'typebox';
import { optional, timestamp } from '../fields.ts';
import { jsonAnswer, type Operation } from '../operation.ts';
import Type from '../type.ts';
import { changeSchema } from './changes.ts';
import { tag } from './status.ts';

/** How an operator authenticated; `file` marks the changes of an applied project file. */
export const vias = ['token', 'console', 'oidc', 'file'] as const;

/** Filters of the audit. Query parameters are strings. */
export const auditQuerySchema = Type.Object(
  {
    projectId: optional.string({
      pattern: '^prj_[A-Za-z0-9_-]{1,64}$',
      errorMessage: 'must start with prj_',
      description: 'Only changes in this project.',
      examples: ['prj_demo'],
    }),
    operatorId: optional.string({
      pattern: '^(bootstrap|opr_[A-Za-z0-9_-]{1,64})$',
      errorMessage: 'must be bootstrap or start with opr_',
      description: 'Only changes by this operator. `bootstrap` is the holder of ADMIN_TOKEN.',
      examples: ['bootstrap'],
    }),
    action: optional.string({
      pattern: '^[a-z][a-z.-]{0,63}$',
      errorMessage: 'must be an action such as key.create',
      description: 'Only this action.',
      examples: ['key.create'],
    }),
    cursor: optional.string({
      pattern: '^aud_[A-Za-z0-9_-]{1,64}$',
      errorMessage: 'must be the nextCursor of an earlier page',
      description: 'The nextCursor of the previous page.',
    }),
    limit: optional.string({
      pattern: '^([1-9]\\d{0,2})$',
      errorMessage: 'must be a whole number from 1 to 500',
      description: 'Maximum number of entries, 1 to 500. Default: 100. Ignored for application/x-ndjson.',
      examples: ['100'],
    }),
  },
  { additionalProperties: false },
);

export type AuditQuery = Static<typeof auditQuerySchema>;

export const auditEntrySchema = Type.Object(
  {
    auditId: Type.String({ pattern: '^aud_', description: 'Id of the entry. Ids sort by time.' }),
    at: timestamp('When the change was made.'),
    actor: Type.Object(
      {
        operatorId: Type.String({
          description: 'The operator; `bootstrap` is the holder of ADMIN_TOKEN.',
          examples: ['bootstrap'],
        }),
        name: Type.String({ description: 'The name of the operator at that time.', examples: ['bootstrap'] }),
        via: Type.Enum(vias, { description: 'How the change was made.' }),
      },
      { description: 'Who made the change.' },
    ),
    action: Type.String({ description: 'The action.', examples: ['key.create'] }),
    projectId: optional.string({ description: 'The project that was changed. Absent: none in particular.' }),
    target: Type.String({
      description: 'The id of what was changed. For a forgotten user, the beginning of a hash of the userId.',
      examples: ['key_01kb2x7m9defgt4zq8s6w3n5vh'],
    }),
    changes: Type.Array(changeSchema, {
      description: 'What was changed. Long values are shortened; secrets are never included.',
    }),
    requestId: Type.String({ description: 'The request that made the change, as in the log.' }),
    address: Type.String({ description: 'The client address of that request.' }),
  },
  { $id: 'AuditEntry', description: 'One recorded change.' },
);

export type AuditEntry = Static<typeof auditEntrySchema>;

export const auditPageSchema = Type.Object(
  {
    entries: Type.Array(auditEntrySchema, { description: 'Newest first.' }),
    nextCursor: optional.string({
      description: 'Send it as cursor to get the next page. Absent on the last one.',
    }),
  },
  { $id: 'AuditPage', description: 'One page of the audit.' },
);

export type AuditPage = Static<typeof auditPageSchema>;

const exampleEntry = {
  auditId: 'aud_01kb2x7m9defgt4zq8s6w3n5vh',
  at: '2026-03-01T09:30:00.000Z',
  actor: { operatorId: 'bootstrap', name: 'bootstrap', via: 'token' },
  action: 'key.update',
  projectId: 'prj_demo',
  target: 'key_01kb2x7m9defgt4zq8s6w3n5vh',
  changes: [{ path: 'name', before: 'backend', after: 'shop backend' }],
  requestId: 'req_01kb2x7m9defgt4zq8s6w3n5vh',
  address: '203.0.113.7',
};

export const auditOperation = {
  operationId: 'listAudit',
  method: 'get',
  path: '/admin/audit',
  tag,
  summary: 'Read the audit',
  description:
    'Every change that was made through this API, newest first, page by page. An operator limited to projects sees only the entries of those projects. A request reads a limited number of entries, so a page can have fewer entries than `limit`, or none, and still a `nextCursor`.\n\nWith `Accept: application/x-ndjson` the answer is all matching entries, one JSON object per line.',
  caller: 'operator',
  permission: 'read',
  query: auditQuerySchema,
  answers: {
    200: {
      ...jsonAnswer('The entries.', auditPageSchema, {
        last: { summary: 'The last page', value: { entries: [exampleEntry] } },
      }),
      bodies: {
        'application/x-ndjson': {
          schema: Type.String(),
          examples: { one: { value: `${JSON.stringify(exampleEntry)}\n` } },
        },
      },
    },
  },
} satisfies Operation;

export const operations: readonly Operation[] = [auditOperation];
