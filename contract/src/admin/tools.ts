import type { Static } from 'typebox';
import { optional, timestamp } from '../fields.ts';
import { jsonAnswer, type Operation } from '../operation.ts';
import { toolBounds, toolName, toolParameters, toolUrl } from '../project-file/tools.ts';
import { toolOutcomes } from '../runtime/lifecycle.ts';
import Type from '../type.ts';
import { projectParams } from './projects.ts';

export const tag = {
  name: 'Tools',
  description: 'The secret that signs calls of tools, and trying a tool of an experience.',
};

/** The request to create or replace the secret. */
export const toolSecretRequestSchema = Type.Object(
  {
    graceSeconds: optional.integer({
      minimum: 0,
      maximum: 604_800,
      errorMessage: 'must be a whole number from 0 to 604800',
      description:
        'Seconds that the old secret, if there is one, also signs: 0 to 604800 (a week). Default: 86400.',
      examples: [86_400],
    }),
  },
  {
    $id: 'ToolSecretRequest',
    additionalProperties: false,
    description: 'The request to create or replace the tool secret.',
  },
);

const createdAt = timestamp('When the secret was created.');
const oldExpiresAt = Type.Optional(timestamp('Until when the secret before it also signs.'));

export const createdToolSecretSchema = Type.Object(
  {
    secret: Type.String({
      description:
        'The secret, in the format of Standard Webhooks: "whsec_" and 32 bytes in base64. Shown only this once.',
      examples: ['whsec_…'],
    }),
    createdAt,
    oldExpiresAt,
  },
  { $id: 'CreatedToolSecret', description: 'A new tool secret.' },
);

export type CreatedToolSecret = Static<typeof createdToolSecretSchema>;

export const toolSecretStateSchema = Type.Object(
  {
    isSigned: Type.Boolean({ description: 'Whether calls are signed: whether there is a secret.' }),
    createdAt: Type.Optional(createdAt),
    oldExpiresAt,
  },
  { $id: 'ToolSecretState', description: 'Whether a project has a tool secret. The secret is never shown.' },
);

export type ToolSecretState = Static<typeof toolSecretStateSchema>;

export const toolTrialSchema = Type.Object(
  {
    name: toolName,
    url: toolUrl,
    parameters: Type.Optional(toolParameters),
    arguments: Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      additionalProperties: true,
      description: 'The arguments.',
      examples: [{ people: 2, time: '19:30' }],
    }),
  },
  { $id: 'ToolTrial', additionalProperties: false, description: 'A call of a tool that is being edited.' },
);

export type ToolTrial = Static<typeof toolTrialSchema>;

const headers = (description: string, example: Record<string, string>) =>
  Type.Unsafe<Record<string, string>>({
    type: 'object',
    additionalProperties: { type: 'string' },
    description,
    examples: [example],
  });

export const toolTrialResultSchema = Type.Object(
  {
    outcome: Type.Enum(toolOutcomes, { description: 'As in a conversation; see `callTool`.' }),
    output: Type.String({ description: 'The output that a model would get.' }),
    milliseconds: Type.Integer({ minimum: 0, description: 'Milliseconds until the result.' }),
    request: Type.Optional(
      Type.Object(
        {
          headers: headers('The headers that the service set.', { 'webhook-id': 'tcl_…' }),
          body: Type.String({ description: 'The body.' }),
        },
        { description: 'The request. Absent if none was sent.' },
      ),
    ),
    response: Type.Optional(
      Type.Object(
        {
          status: Type.Integer({ description: 'The status.' }),
          headers: headers('The headers.', { 'content-type': 'application/json' }),
          body: Type.String({
            description: `The body, at most ${toolBounds.responseBytes / 1024} KiB.`,
          }),
        },
        { description: 'The response. Absent if there was none.' },
      ),
    ),
  },
  { $id: 'ToolTrialResult', description: 'What the service sent, and what came back.' },
);

export type ToolTrialResult = Static<typeof toolTrialResultSchema>;

const path = '/admin/projects/{projectId}/tool-secret';

export const readToolSecretOperation = {
  operationId: 'readToolSecret',
  method: 'get',
  path,
  tag,
  summary: 'Read whether calls of tools are signed',
  description:
    'Returns whether the project has a tool secret. The secret itself is shown only when it is created.',
  caller: 'operator',
  permission: 'read',
  params: projectParams,
  answers: {
    200: jsonAnswer('The state.', toolSecretStateSchema, {
      signed: { value: { isSigned: true, createdAt: '2026-03-01T09:30:00.000Z' } },
      unsigned: { value: { isSigned: false } },
    }),
  },
} satisfies Operation;

export const createToolSecretOperation = {
  operationId: 'createToolSecret',
  method: 'post',
  path,
  tag,
  summary: 'Create or replace the tool secret',
  description:
    'From now on, calls of the tools of this project are signed with a new secret, as in Standard Webhooks. The old secret, if there is one, also signs for `graceSeconds`, so that the tool server can be changed in that time: such calls carry both signatures.',
  caller: 'operator',
  permission: 'run-integration',
  action: 'tool-secret.create',
  params: projectParams,
  body: {
    schema: toolSecretRequestSchema,
    isOptional: true,
    examples: { day: { value: { graceSeconds: 86_400 } } },
  },
  answers: {
    201: jsonAnswer('The secret.', createdToolSecretSchema, {
      first: { value: { secret: 'whsec_…', createdAt: '2026-03-01T09:30:00.000Z' } },
    }),
  },
} satisfies Operation;

export const tryToolOperation = {
  operationId: 'tryTool',
  method: 'post',
  path: '/admin/projects/{projectId}/tool-calls',
  tag,
  summary: 'Try a tool',
  description:
    'Calls an address as in a conversation, with the same checks, limits and signature, and shows the request and the response. The `sessionId` is a new id of no session. The tool receives a real call.',
  caller: 'operator',
  permission: 'edit-experiences',
  params: projectParams,
  body: {
    schema: toolTrialSchema,
    examples: {
      one: {
        value: {
          name: 'book_table',
          url: 'https://booking.example.com/tools/book',
          arguments: { people: 2, time: '19:30' },
        },
      },
    },
  },
  answers: {
    200: jsonAnswer('The result.', toolTrialResultSchema, {
      done: {
        value: {
          outcome: 'done',
          output: '{"booked":true}',
          milliseconds: 84,
          request: { headers: { 'webhook-id': 'tcl_…' }, body: '{"sessionId":"ses_…","name":"book_table"}' },
          response: { status: 200, headers: { 'content-type': 'application/json' }, body: '{"booked":true}' },
        },
      },
    }),
  },
} satisfies Operation;

export const operations: readonly Operation[] = [
  readToolSecretOperation,
  createToolSecretOperation,
  tryToolOperation,
];
