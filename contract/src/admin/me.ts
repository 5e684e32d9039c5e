import type { Static } from 'typebox';
import { timestamp } from '../fields.ts';
import { jsonAnswer, type Operation } from '../operation.ts';
import Type from '../type.ts';
import { exampleOperator, operatorFields, operatorId } from './operators.ts';
import { tag } from './sign-in.ts';

export const meSchema = Type.Object(
  {
    operator: Type.Object(operatorFields, { description: 'The caller.' }),
    login: Type.Optional(
      Type.Object(
        {
          loginId: Type.String({ pattern: '^lgn_', description: 'Id of the login.' }),
          createdAt: timestamp('When the browser signed in.'),
          expiresAt: timestamp('When the login ends at the latest.'),
        },
        { description: 'The login of the cookie. Absent if the request has a token.' },
      ),
    ),
    version: Type.String({ description: 'Version of the program.', examples: ['0.2.0'] }),
    engine: Type.Enum(['embedded', 'postgres'], { description: 'The database engine.' }),
    publicUrl: Type.String({
      description: 'Public URL of the service.',
      examples: ['https://launch.example.com'],
    }),
  },
  { $id: 'Me', description: 'The caller and the service.' },
);

export type Me = Static<typeof meSchema>;

export const meOperation = {
  operationId: 'getMe',
  method: 'get',
  path: '/admin/me',
  tag,
  summary: 'Read who is calling',
  description: 'For the console.',
  caller: 'operator',
  permission: 'read',
  answers: {
    200: jsonAnswer('The caller.', meSchema, {
      cookie: {
        value: {
          operator: exampleOperator,
          login: {
            loginId: 'lgn_01kb2x7m9defgt4zq8s6w3n5vh',
            createdAt: '2026-03-01T09:30:00.000Z',
            expiresAt: '2026-03-01T21:30:00.000Z',
          },
          version: '0.2.0',
          engine: 'postgres',
          publicUrl: 'https://launch.example.com',
        },
      },
    }),
  },
} satisfies Operation;

export const loginLinkRequestSchema = Type.Object(
  {
    operatorId: Type.Optional(operatorId('The operator whom the link signs in. Absent: the caller.')),
  },
  { $id: 'LoginLinkRequest', additionalProperties: false, description: 'The request to create a link.' },
);

export const loginLinkSchema = Type.Object(
  {
    url: Type.String({
      description: 'Single-use sign-in URL. The first browser that opens it is signed in.',
      examples: ['https://admin.example.com/console/#code=v8CXh0xkTqGd3n1Zb7WmJA'],
    }),
    expiresAt: timestamp('When the link expires.'),
  },
  { $id: 'LoginLink', description: 'A sign-in link.' },
);

export type LoginLink = Static<typeof loginLinkSchema>;

export const createLoginLinkOperation = {
  operationId: 'createLoginLink',
  method: 'post',
  path: '/admin/login-links',
  tag,
  summary: 'Create a sign-in link',
  description:
    'The link works once, within 10 minutes. Every operator can create one for themselves; a link for another operator needs the role owner. If a signed-in browser creates a link for its own operator, the new login ends no later than the one of that browser.',
  caller: 'operator',
  permission: 'read',
  action: 'login-link.create',
  body: { schema: loginLinkRequestSchema, examples: { own: { value: {} } } },
  answers: {
    201: jsonAnswer('The link.', loginLinkSchema, {
      own: {
        value: {
          url: 'https://admin.example.com/console/#code=v8CXh0xkTqGd3n1Zb7WmJA',
          expiresAt: '2026-03-01T09:40:00.000Z',
        },
      },
    }),
  },
  errors: ['OPERATOR_NOT_FOUND'],
} satisfies Operation;

export const operations: readonly Operation[] = [meOperation, createLoginLinkOperation];
