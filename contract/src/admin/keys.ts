import type { Static } from 'typebox';
import { id, optional, timestamp } from '../fields.ts';
import { jsonAnswer, type Operation, scopes } from '../operation.ts';
import Type from '../type.ts';
import { projectParams } from './projects.ts';

export const tag = { name: 'API keys', description: 'API keys of backends.' };

export const keyModes = ['test', 'live'] as const;
export type KeyMode = (typeof keyModes)[number];

/** The request to create a key. */
export const keyRequestSchema = Type.Object(
  {
    mode: Type.Enum(keyModes, { description: 'For tests or for live use.' }),
    scopes: Type.Array(Type.Enum(scopes), { minItems: 1, description: 'Scopes of the key.' }),
    name: optional.string({
      minLength: 1,
      maxLength: 200,
      description: 'A name for listings.',
      examples: ['backend'],
    }),
    expiresAt: optional.string({
      format: 'instant',
      errorMessage: 'must be an ISO 8601 time such as 2030-01-31T12:00:00Z',
      description: 'When the key expires. Absent: never.',
      examples: ['2030-01-31T12:00:00Z'],
    }),
  },
  { $id: 'KeyRequest', additionalProperties: false, description: 'The request to create a key.' },
);

export type KeyRequest = Static<typeof keyRequestSchema>;

const record = {
  keyId: Type.String({ pattern: '^key_', description: 'Id of the key.' }),
  projectId: Type.String({ description: 'The project that the key belongs to.', examples: ['prj_demo'] }),
  hint: Type.String({
    description: 'A hint by which the key is recognised; not enough to use it.',
    examples: ['sl_test_…Q3fk'],
  }),
  mode: Type.Enum(keyModes, { description: 'For tests or for live use.' }),
  scopes: Type.Array(Type.Enum(scopes), { description: 'Scopes of the key.' }),
  name: optional.string({ description: 'The name, if one was given.' }),
  createdAt: timestamp('When the key was created.'),
  expiresAt: Type.Optional(timestamp('When the key expires.')),
  revokedAt: Type.Optional(timestamp('When the key was revoked.')),
  lastUsedAt: Type.Optional(timestamp('When the key was last used; written with a delay.')),
};

export const keySchema = Type.Object(record, {
  $id: 'ApiKey',
  description: 'A key without its secret.',
});

export const createdKeySchema = Type.Object(
  { ...record, key: Type.String({ description: 'The key itself, shown only this once.' }) },
  { $id: 'CreatedApiKey', description: 'A new key, with its secret.' },
);

export const keyListSchema = Type.Object(
  { keys: Type.Array(keySchema, { description: 'Sorted by id, that is, by creation time.' }) },
  { $id: 'ApiKeyList', description: 'The keys of a project.' },
);

export type ApiKeyList = Static<typeof keyListSchema>;

/** The request to replace a key. */
export const keyReplacementSchema = Type.Object(
  {
    graceSeconds: optional.integer({
      minimum: 0,
      maximum: 604_800,
      errorMessage: 'must be a whole number from 0 to 604800',
      description: 'Seconds that the old key stays valid, 0 to 604800 (a week). Default: 3600.',
      examples: [3600],
    }),
  },
  { $id: 'KeyReplacement', additionalProperties: false, description: 'The request to replace a key.' },
);

export const replacedKeySchema = Type.Object(
  {
    ...createdKeySchema.properties,
    replaces: Type.String({ pattern: '^key_', description: 'Id of the old key.' }),
    oldExpiresAt: timestamp('When the old key expires.'),
  },
  { $id: 'ReplacedApiKey', description: 'A new key, with its secret, and the key that it replaces.' },
);

export const keyUpdateSchema = Type.Object(
  {
    name: Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'A name for listings.',
      examples: ['backend'],
    }),
  },
  { $id: 'KeyUpdate', additionalProperties: false, description: 'The request to rename a key.' },
);

export type ApiKeyRecord = Static<typeof keySchema>;
export type CreatedApiKey = Static<typeof createdKeySchema>;

const exampleKey = {
  keyId: 'key_01kb2x7m9defgt4zq8s6w3n5vh',
  projectId: 'prj_demo',
  hint: 'sl_test_…Q3fk',
  mode: 'test',
  scopes: ['sessions:create', 'sessions:read'],
  name: 'backend',
  createdAt: '2026-03-01T09:30:00.000Z',
};

export const listKeysOperation = {
  operationId: 'listKeys',
  method: 'get',
  path: '/admin/projects/{projectId}/keys',
  tag,
  summary: 'List the keys of a project',
  description: 'Returns all keys, including revoked and expired ones.',
  caller: 'operator',
  permission: 'read',
  params: projectParams,
  answers: {
    200: jsonAnswer('The keys.', keyListSchema, { one: { value: { keys: [exampleKey] } } }),
  },
} satisfies Operation;

export const createKeyOperation = {
  operationId: 'createKey',
  method: 'post',
  path: '/admin/projects/{projectId}/keys',
  tag,
  summary: 'Create a key',
  description: 'The response contains the key. The service stores only a hash of it.',
  caller: 'operator',
  permission: 'run-integration',
  action: 'key.create',
  furtherPermissions: [
    {
      permission: 'manage-projects',
      when: 'the key is for live use',
      appliesTo: (body) => (body as KeyRequest).mode === 'live',
    },
  ],
  params: projectParams,
  body: {
    schema: keyRequestSchema,
    examples: { test: { value: { mode: 'test', scopes: ['sessions:create'], name: 'backend' } } },
  },
  answers: {
    201: jsonAnswer('The key.', createdKeySchema, { test: { value: { ...exampleKey, key: 'sl_test_…' } } }),
  },
  errorExamples: {
    INVALID_REQUEST: {
      message: 'The request is not valid: mode must be one of test, live.',
      details: [{ path: 'mode', message: 'must be one of test, live' }],
    },
  },
} satisfies Operation;

const keyParams = Type.Object({
  keyId: id('key', 'Id of the key.', 'key_01kb2x7m9defgt4zq8s6w3n5vh'),
});

export const revokeKeyOperation = {
  operationId: 'revokeKey',
  method: 'post',
  path: '/admin/keys/{keyId}/revoke',
  tag,
  summary: 'Revoke a key',
  description:
    'The key is rejected immediately by the process that handles this request, and within five seconds by every other process. Revoking it again changes nothing. No body is needed.',
  caller: 'operator',
  permission: 'run-integration',
  action: 'key.revoke',
  params: keyParams,
  answers: {
    200: jsonAnswer('The key, revoked.', keySchema, {
      revoked: { value: { ...exampleKey, revokedAt: '2026-03-02T10:00:00.000Z' } },
    }),
  },
} satisfies Operation;

export const replaceKeyOperation = {
  operationId: 'replaceKey',
  method: 'post',
  path: '/admin/keys/{keyId}/replace',
  tag,
  summary: 'Replace a key',
  description:
    'Creates a key with the mode, scopes and name of the old one, and lets the old one expire after `graceSeconds`. An old key that expires earlier keeps its expiry. The new key has no expiry. A revoked or expired key cannot be replaced: 400. Replacing a live key needs the role owner.',
  caller: 'operator',
  permission: 'run-integration',
  action: 'key.replace',
  params: keyParams,
  body: { schema: keyReplacementSchema, examples: { hour: { value: { graceSeconds: 3600 } } } },
  answers: {
    201: jsonAnswer('The new key.', replacedKeySchema, {
      test: {
        value: {
          ...exampleKey,
          key: 'sl_test_…',
          replaces: 'key_01k9s4c2hbe8wv6m3q5x7z0nfp',
          oldExpiresAt: '2026-03-01T10:30:00.000Z',
        },
      },
    }),
  },
  errorExamples: {
    INVALID_REQUEST: {
      message: 'The request is not valid: keyId must name a key that is neither revoked nor expired.',
      details: [{ path: 'keyId', message: 'must name a key that is neither revoked nor expired' }],
    },
  },
} satisfies Operation;

export const updateKeyOperation = {
  operationId: 'updateKey',
  method: 'patch',
  path: '/admin/keys/{keyId}',
  tag,
  summary: 'Rename a key',
  description:
    'Changes the name of a key, even if it is revoked or expired. Renaming a live key needs the role owner.',
  caller: 'operator',
  permission: 'run-integration',
  action: 'key.update',
  params: keyParams,
  body: { schema: keyUpdateSchema, examples: { name: { value: { name: 'shop backend' } } } },
  answers: {
    200: jsonAnswer('The key.', keySchema, { renamed: { value: { ...exampleKey, name: 'shop backend' } } }),
  },
} satisfies Operation;

export const operations: readonly Operation[] = [
  listKeysOperation,
  createKeyOperation,
  revokeKeyOperation,
  replaceKeyOperation,
  updateKeyOperation,
];
