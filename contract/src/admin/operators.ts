import type { Static } from 'typebox';
import { optional, timestamp } from '../fields.ts';
import { jsonAnswer, type Operation } from '../operation.ts';
import { roles } from '../roles.ts';
import Type from '../type.ts';
import { optionalVersionHeaders, versionEtag } from './changes.ts';
import { conflict } from './experience-examples.ts';

export const tag = { name: 'Operators', description: 'The people who use the admin API, and their roles.' };

/** An id of an operator in a request. */
export const operatorId = (description: string) =>
  Type.String({
    pattern: '^(opr_|bootstrap$)',
    errorMessage: 'must start with opr_',
    description,
    examples: ['opr_01kb2x7m9defgt4zq8s6w3n5vh'],
  });

const operatorParams = Type.Object({ operatorId: operatorId('Id of the operator.') });

const name = { minLength: 1, maxLength: 200, pattern: '\\S', errorMessage: 'must not be empty' };
const listedProjects = Type.Array(Type.String({ pattern: '^prj_', errorMessage: 'must start with prj_' }), {
  minItems: 1,
  maxItems: 1000,
});
const projectIds = Type.Optional(
  Type.Union([listedProjects, Type.Null()], {
    description: 'The projects that the operator may see and change. Null: all projects.',
    examples: [['prj_demo']],
    errorMessage: 'must be null or a list of 1 to 1000 project ids',
  }),
);

export const operatorRequestSchema = Type.Object(
  {
    name: Type.String({ ...name, description: 'Name for listings and the audit.', examples: ['Ada'] }),
    role: Type.Enum(roles, { description: 'The role.' }),
    projectIds,
  },
  {
    $id: 'OperatorRequest',
    additionalProperties: false,
    description: 'The request to create an operator. Without `projectIds` the operator sees all projects.',
  },
);

export type OperatorRequest = Static<typeof operatorRequestSchema>;

export const operatorChangeSchema = Type.Object(
  {
    name: optional.string({ ...name, description: 'The new name.', examples: ['Ada'] }),
    role: optional.oneOf(roles, { description: 'The new role.' }),
    projectIds,
  },
  {
    $id: 'OperatorChange',
    additionalProperties: false,
    description: 'The fields of an operator to change. Absent fields stay as they are.',
  },
);

export type OperatorChange = Static<typeof operatorChangeSchema>;

/** The fields by which every answer names an operator. */
export const operatorFields = {
  operatorId: Type.String({
    description: 'Id of the operator. `bootstrap` is the holder of `ADMIN_TOKEN`.',
    examples: ['opr_01kb2x7m9defgt4zq8s6w3n5vh'],
  }),
  name: Type.String({ description: 'Name of the operator.', examples: ['Ada'] }),
  role: Type.Enum(roles, { description: 'The role.' }),
  projectIds: Type.Union([Type.Array(Type.String()), Type.Null()], {
    description: 'The projects that the operator sees. Null: all projects.',
  }),
};

const record = {
  ...operatorFields,
  version: Type.Integer({
    minimum: 1,
    description: 'Counts the changes of the name, the role, the projects and the token.',
  }),
  createdAt: timestamp('When the operator was created.'),
  hasToken: Type.Boolean({ description: 'Whether the operator has a token.' }),
  issuer: optional.string({
    description:
      'The identity provider through which the operator signs in. It sets name and role at each sign-in.',
    examples: ['https://login.example.com'],
  }),
};

export const operatorSchema = Type.Object(record, {
  $id: 'Operator',
  description: 'An operator without the token.',
});

export const createdOperatorSchema = Type.Object(
  { ...record, token: Type.String({ description: 'The token, shown only this once.' }) },
  { $id: 'CreatedOperator', description: 'A new operator, with the token.' },
);

export const operatorListSchema = Type.Object(
  { operators: Type.Array(operatorSchema, { description: 'Sorted by id, that is, by creation time.' }) },
  { $id: 'OperatorList', description: 'Operators.' },
);

export type OperatorList = Static<typeof operatorListSchema>;

export const operatorTokenSchema = Type.Object(
  { token: Type.String({ description: 'The token, shown only this once.' }) },
  { $id: 'OperatorToken', description: 'The new token of an operator.' },
);

export type CreatedOperator = Static<typeof createdOperatorSchema>;
export type OperatorRecord = Static<typeof operatorSchema>;

export const exampleOperator = {
  operatorId: 'opr_01kb2x7m9defgt4zq8s6w3n5vh',
  name: 'Ada',
  role: 'developer',
  projectIds: ['prj_demo'],
};
const exampleRecord = {
  ...exampleOperator,
  version: 3,
  createdAt: '2026-03-01T09:30:00.000Z',
  hasToken: true,
};

export const listOperatorsOperation = {
  operationId: 'listOperators',
  method: 'get',
  path: '/admin/operators',
  tag,
  summary: 'List the operators',
  description:
    'Returns the operators whose projects the caller sees. The holder of `ADMIN_TOKEN` is not listed.',
  caller: 'operator',
  permission: 'manage-service',
  answers: {
    200: jsonAnswer('The operators.', operatorListSchema, { one: { value: { operators: [exampleRecord] } } }),
  },
} satisfies Operation;

export const createOperatorOperation = {
  operationId: 'createOperator',
  method: 'post',
  path: '/admin/operators',
  tag,
  summary: 'Create an operator',
  description:
    'The response contains the token of the operator. The service stores only a hash of it. A caller who is limited to projects can only create operators who are limited to some of them.',
  caller: 'operator',
  permission: 'manage-service',
  action: 'operator.create',
  body: {
    schema: operatorRequestSchema,
    examples: { developer: { value: { name: 'Ada', role: 'developer', projectIds: ['prj_demo'] } } },
  },
  answers: {
    201: jsonAnswer(
      'The operator.',
      createdOperatorSchema,
      { developer: { value: { ...exampleRecord, version: 1, token: 'slo_…' } } },
      versionEtag,
    ),
  },
} satisfies Operation;

export const changeOperatorOperation = {
  operationId: 'changeOperator',
  method: 'patch',
  path: '/admin/operators/{operatorId}',
  tag,
  summary: 'Change an operator',
  description:
    'With If-Match, the operator is changed only if nothing has changed since that version. Takes effect immediately in the process that handles this request, and within five seconds in every other process. `bootstrap` cannot be changed. Operators cannot take the role or the projects of the last operator who is an owner of all projects; the holder of `ADMIN_TOKEN` can.',
  caller: 'operator',
  permission: 'manage-service',
  action: 'operator.change',
  isVersioned: 'if sent',
  headers: optionalVersionHeaders,
  params: operatorParams,
  body: { schema: operatorChangeSchema, examples: { role: { value: { role: 'creator' } } } },
  answers: {
    200: jsonAnswer(
      'The operator.',
      operatorSchema,
      { creator: { value: { ...exampleRecord, version: 4, role: 'creator' } } },
      versionEtag,
    ),
  },
  errors: ['LAST_OWNER'],
  errorExamples: conflict,
} satisfies Operation;

export const deleteOperatorOperation = {
  operationId: 'deleteOperator',
  method: 'delete',
  path: '/admin/operators/{operatorId}',
  tag,
  summary: 'Remove an operator',
  description:
    'With If-Match, the operator is removed only if nothing has changed since that version. The token and the logins of the operator are rejected immediately by the process that handles this request, and within five seconds by every other process. An operator who signs in through an identity provider can do so again, limited to the same projects, until the provider refuses it. `bootstrap` cannot be removed. Operators cannot remove the last operator who is an owner of all projects; the holder of `ADMIN_TOKEN` can.',
  caller: 'operator',
  permission: 'manage-service',
  action: 'operator.delete',
  isVersioned: 'if sent',
  headers: optionalVersionHeaders,
  params: operatorParams,
  answers: { 204: { description: 'The operator has been removed.' } },
  errors: ['LAST_OWNER'],
  errorExamples: conflict,
} satisfies Operation;

export const replaceOperatorTokenOperation = {
  operationId: 'replaceOperatorToken',
  method: 'post',
  path: '/admin/operators/{operatorId}/token',
  tag,
  summary: 'Replace the token of an operator',
  description:
    'The earlier token and all logins of the operator, except the one that sends this request, are rejected from now on. With If-Match, the token is replaced only if nothing has changed since that version. No body is needed.',
  caller: 'operator',
  permission: 'manage-service',
  action: 'operator.token',
  isVersioned: 'if sent',
  headers: optionalVersionHeaders,
  params: operatorParams,
  answers: {
    200: jsonAnswer(
      'The new token.',
      operatorTokenSchema,
      { token: { value: { token: 'slo_…' } } },
      versionEtag,
    ),
  },
  errorExamples: conflict,
} satisfies Operation;

export const operations: readonly Operation[] = [
  listOperatorsOperation,
  createOperatorOperation,
  changeOperatorOperation,
  deleteOperatorOperation,
  replaceOperatorTokenOperation,
];
