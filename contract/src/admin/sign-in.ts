import type { Static } from 'typebox';
import { optional, timestamp } from '../fields.ts';
import { cookie, location } from '../headers.ts';
import { jsonAnswer, type Operation } from '../operation.ts';
import Type from '../type.ts';

export const tag = { name: 'Signing in', description: 'Sign in with a browser, and see who is signed in.' };

/** Error codes of the routes by which a browser signs in. They need no credentials. */
const open = ['CROSS_ORIGIN_REFUSED', 'HOST_NOT_KNOWN', 'INTERNAL', 'UNAVAILABLE'] as const;

export const signInSchema = Type.Object(
  {
    ways: Type.Array(Type.Enum(['link', 'token', 'oidc']), {
      description: 'The ways to sign in. `oidc` is listed only if an identity provider is configured.',
    }),
    oidc: Type.Optional(
      Type.Object(
        {
          name: Type.String({
            description: 'Name of the identity provider, for the button.',
            examples: ['login.example.com'],
          }),
        },
        { description: 'The identity provider.' },
      ),
    ),
    signedIn: optional.boolean({
      description: 'True if the request has the cookie of a login that is valid. Absent otherwise.',
    }),
  },
  { $id: 'SignIn', description: 'How operators can sign in.' },
);

export type SignIn = Static<typeof signInSchema>;

export const signInOperation = {
  operationId: 'getSignIn',
  method: 'get',
  path: '/admin/sign-in',
  tag,
  summary: 'Read the ways to sign in',
  description: 'For the sign-in page of the console. Needs no credentials.',
  caller: 'anyone',
  answers: {
    200: jsonAnswer('The ways to sign in.', signInSchema, {
      all: { value: { ways: ['link', 'token', 'oidc'], oidc: { name: 'login.example.com' } } },
    }),
  },
  errors: ['INTERNAL', 'UNAVAILABLE'],
} satisfies Operation;

export const loginRequestSchema = Type.Object(
  {
    code: optional.string({ maxLength: 200, description: 'The code of a sign-in link.' }),
    token: optional.string({ maxLength: 600, description: 'The admin token or the token of an operator.' }),
  },
  {
    $id: 'LoginRequest',
    additionalProperties: false,
    minProperties: 1,
    maxProperties: 1,
    description: 'A code or a token.',
  },
);

export const loginOperation = {
  operationId: 'login',
  method: 'post',
  path: '/admin/login',
  tag,
  summary: 'Sign in',
  description:
    'Sets the cookie of a new login, which lasts 12 hours and ends after 60 minutes without a request. A code is valid once and for 10 minutes. After five failures within a minute, the client network must wait. Over plain http, signing in is possible only on a loopback address.',
  caller: 'anyone',
  action: 'login.create',
  body: { schema: loginRequestSchema, examples: { code: { value: { code: 'v8CXh0xkTqGd3n1Zb7WmJA' } } } },
  answers: { 204: { description: 'Signed in.', headers: cookie } },
  errors: ['INVALID_REQUEST', 'LOGIN_FAILED', 'TOO_MANY_LOGINS', ...open],
} satisfies Operation;

export const oidcStartOperation = {
  operationId: 'startOidc',
  method: 'get',
  path: '/admin/oidc/start',
  tag,
  summary: 'Sign in through the identity provider',
  description:
    'Redirects the browser to the identity provider. If that is not possible, redirects to `/console/#error=<code>`.',
  caller: 'anyone',
  query: Type.Object({
    returnTo: optional.string({
      pattern: '^#/[!-~]{0,500}$',
      errorMessage: 'must be a fragment that starts with #/',
      description: 'Where the console continues after signing in.',
      examples: ['#/prj_demo/overview'],
    }),
  }),
  answers: {
    302: {
      description:
        'To the identity provider; to the console if a page of another site sent the browser here.',
      headers: { ...location, ...cookie },
    },
  },
  errors: ['INVALID_REQUEST', ...open],
} satisfies Operation;

export const oidcCallbackOperation = {
  operationId: 'finishOidc',
  method: 'get',
  path: '/admin/oidc/callback',
  tag,
  summary: 'Return from the identity provider',
  description:
    'The redirect address to register at the identity provider. Sets the cookie of a new login and redirects to the console; if that fails, redirects to `/console/#error=<code>`.',
  caller: 'anyone',
  action: 'login.create',
  answers: { 302: { description: 'To the console.', headers: { ...location, ...cookie } } },
  errors: open,
} satisfies Operation;

export const logoutOperation = {
  operationId: 'logout',
  method: 'post',
  path: '/admin/logout',
  tag,
  summary: 'Sign out',
  description: 'Ends the login of the cookie. With a token there is nothing to end. No body is needed.',
  caller: 'operator',
  permission: 'read',
  action: 'login.end',
  answers: { 204: { description: 'Signed out.', headers: cookie } },
} satisfies Operation;

const record = {
  loginId: Type.String({
    pattern: '^lgn_',
    description: 'Id of the login.',
    examples: ['lgn_01kb2x7m9defgt4zq8s6w3n5vh'],
  }),
  createdAt: timestamp('When the browser signed in.'),
};

export const loginSchema = Type.Object(
  {
    ...record,
    operatorId: Type.String({ description: 'The operator. `bootstrap` is the holder of `ADMIN_TOKEN`.' }),
    lastSeenAt: timestamp('When the login was last used; written with a delay.'),
    address: Type.String({ description: 'Client address at sign-in.', examples: ['203.0.113.7'] }),
    agent: Type.String({ description: 'User-Agent at sign-in, shortened to 300 characters.' }),
    current: Type.Boolean({ description: 'Whether this request uses this login.' }),
  },
  { $id: 'Login', description: 'A browser that is signed in.' },
);

export type LoginRecord = Static<typeof loginSchema>;

export const loginListSchema = Type.Object(
  {
    logins: Type.Array(loginSchema, { description: 'Newest first.' }),
    nextCursor: optional.string({
      description: 'Send it as cursor to get the next page. Absent on the last one.',
    }),
  },
  { $id: 'LoginList', description: 'One page of the browsers that are signed in.' },
);

export type LoginList = Static<typeof loginListSchema>;

export const listLoginsOperation = {
  operationId: 'listLogins',
  method: 'get',
  path: '/admin/logins',
  tag,
  summary: 'List the logins',
  description:
    'Returns the logins of the caller, newest first, page by page. Owners also get those of the operators they may change.',
  caller: 'operator',
  permission: 'read',
  query: Type.Object(
    {
      cursor: optional.string({
        pattern: '^lgn_[A-Za-z0-9_-]{1,64}$',
        errorMessage: 'must be the nextCursor of an earlier page',
        description: 'The nextCursor of the previous page.',
      }),
      limit: optional.string({
        pattern: '^([1-9]\\d{0,2})$',
        errorMessage: 'must be a whole number from 1 to 500',
        description: 'Maximum number of logins, 1 to 500. Default: 100.',
        examples: ['100'],
      }),
    },
    { additionalProperties: false },
  ),
  answers: {
    200: jsonAnswer('The logins.', loginListSchema, {
      one: {
        value: {
          logins: [
            {
              loginId: 'lgn_01kb2x7m9defgt4zq8s6w3n5vh',
              operatorId: 'opr_01kb2x7m9defgt4zq8s6w3n5vh',
              createdAt: '2026-03-01T09:30:00.000Z',
              lastSeenAt: '2026-03-01T09:41:00.000Z',
              address: '203.0.113.7',
              agent: 'Mozilla/5.0',
              current: true,
            },
          ],
        },
      },
    }),
  },
} satisfies Operation;

export const endLoginOperation = {
  operationId: 'endLogin',
  method: 'delete',
  path: '/admin/logins/{loginId}',
  tag,
  summary: 'End a login',
  description:
    'The cookie is rejected immediately by the process that handles this request, and within five seconds by every other process. To end the login of another operator needs the role owner.',
  caller: 'operator',
  permission: 'read',
  action: 'login.end',
  params: Type.Object({
    loginId: Type.String({
      pattern: '^lgn_',
      errorMessage: 'must start with lgn_',
      description: 'Id of the login.',
      examples: ['lgn_01kb2x7m9defgt4zq8s6w3n5vh'],
    }),
  }),
  answers: { 204: { description: 'The login has ended.' } },
} satisfies Operation;

export const operations: readonly Operation[] = [
  signInOperation,
  loginOperation,
  oidcStartOperation,
  oidcCallbackOperation,
  logoutOperation,
  listLoginsOperation,
  endLoginOperation,
];
