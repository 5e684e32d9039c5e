import { roles } from '@session-launch/contract/roles';
import { variablesOfRuntime } from './runtime-variables.ts';
import {
  baseUrl,
  host,
  integer,
  issuerUrl,
  type Kind,
  matching,
  oneOf,
  onOrOff,
  path,
  postgresUrl,
  proxies,
  text,
  type Variable,
  websocketUrl,
} from './values.ts';

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

const bearerToken: Kind<string> = {
  ...matching(/^[\x21-\x7e]{16,512}$/, '16 to 512 printable ASCII characters without spaces'),
  secret: 'whole',
};

type Entry = Omit<Variable<unknown>, keyof Kind<unknown> | 'name' | 'readBy'> & {
  readBy?: 'command line' | 'both';
};
type ReadBy<E> = E extends { readBy: infer Reader } ? Reader : 'service';

/** One variable, read by the service unless `entry` says otherwise. A new one also needs a field in `Config`. */
function variable<T, E extends Entry>(name: string, kind: Kind<T>, entry: E) {
  const readBy = (entry.readBy ?? 'service') as ReadBy<E>;
  return { ...kind, ...entry, name, readBy };
}

/** The variables of the service and the command line, keyed by their name in `Config` where they have one. */
export const variables = {
  host: variable('HOST', host, {
    default: '127.0.0.1',
    meaning:
      'IP address or host name that the public listener binds to. `0.0.0.0` or `::` binds to all interfaces.',
  }),
  port: variable('PORT', integer(0, 65_535), {
    default: '8080',
    meaning: 'Port of the public listener. `0` selects a free port and prints it.',
  }),
  adminHost: variable('ADMIN_HOST', host, {
    default: '127.0.0.1',
    meaning: 'Address that the admin listener binds to. Use a private interface.',
    readBy: 'both',
  }),
  adminPort: variable('ADMIN_PORT', integer(0, 65_535), {
    default: '8081',
    meaning: 'Port of the admin listener. `0` selects a free port and prints it.',
    readBy: 'both',
  }),
  adminToken: variable('ADMIN_TOKEN', bearerToken, {
    meaning:
      'Bearer token of the admin API, 16 to 512 printable characters without spaces. If unset, the embedded engine creates a token file in `DATA_DIR`; with PostgreSQL, the admin API is disabled.',
    readBy: 'both',
  }),
  metricsToken: variable('METRICS_TOKEN', bearerToken, {
    meaning:
      'Bearer token that gives access only to `/metrics`, 16 to 512 printable characters without spaces. It must differ from the other tokens and does not enable the admin listener.',
  }),
  adminUrl: variable('ADMIN_URL', baseUrl('http://127.0.0.1:8081'), {
    otherwise: '`http://ADMIN_HOST:ADMIN_PORT`',
    meaning:
      'Address at which the command line and browsers reach the admin listener, such as the https address of a proxy. The service uses it for sign-in links and as a known host name.',
    readBy: 'both',
  }),
  oidcIssuer: variable('OIDC_ISSUER', issuerUrl, {
    meaning:
      'Issuer of the OpenID Connect provider through which operators sign in. Requires `OIDC_CLIENT_ID` and `OIDC_CLIENT_SECRET`. If unset, operators sign in with links and tokens only.',
  }),
  oidcClientId: variable('OIDC_CLIENT_ID', text, {
    meaning: 'Client id of this service at the provider.',
  }),
  oidcClientSecret: variable(
    'OIDC_CLIENT_SECRET',
    { ...text, secret: 'whole' },
    {
      meaning: 'Client secret of this service at the provider.',
    },
  ),
  oidcRoleClaim: variable('OIDC_ROLE_CLAIM', text, {
    default: 'role',
    meaning:
      'Claim of the ID token or of the user info that holds the role: `viewer`, `creator`, `developer` or `owner`, as a text or in a list.',
  }),
  oidcDefaultRole: variable('OIDC_DEFAULT_ROLE', oneOf(roles), {
    meaning:
      'Role of people whose claim holds none: `viewer`, `creator`, `developer` or `owner`. If unset, they cannot sign in.',
  }),
  auditRetentionDays: variable('AUDIT_RETENTION_DAYS', integer(1, 36_500), {
    default: '400',
    meaning: 'Days after which entries of the audit are deleted, 1 to 36500.',
  }),
  databaseUrl: variable('DATABASE_URL', postgresUrl, {
    meaning:
      '`postgres://` address of PostgreSQL 15 or newer. If unset, the embedded engine is used, with its data in `DATA_DIR`.',
  }),
  databaseWaitSeconds: variable('DATABASE_WAIT_SECONDS', integer(0, 3600), {
    default: '30',
    meaning:
      'Maximum seconds that a start waits for PostgreSQL to become reachable, 0 to 3600. `0` does not wait. Wrong credentials, database names and TLS settings fail immediately.',
  }),
  dataDir: variable('DATA_DIR', path, {
    default: './data',
    meaning:
      'Folder of the embedded database, the signing keys and the token files. Created if missing, accessible only to its owner.',
    readBy: 'both',
  }),
  publicUrl: variable('PUBLIC_URL', baseUrl('https://launch.example.com'), {
    otherwise: '`http://HOST:PORT`',
    meaning: 'Address at which clients reach the service. It is the issuer (`iss`) of session tokens.',
  }),
  signingKeysFile: variable('SIGNING_KEYS_FILE', path, {
    otherwise: '`DATA_DIR/signing-keys.json`',
    meaning:
      'Private Ed25519 keys as a JSON Web Key Set. The first key signs new tokens; the others are published for older tokens. Created at startup if missing.',
  }),
  apiKeyPrefix: variable(
    'API_KEY_PREFIX',
    matching(/^[a-z0-9]{1,16}$/, '1 to 16 lower-case letters and digits'),
    {
      default: 'sl',
      meaning:
        'Prefix of new API keys, 1 to 16 lower-case letters and digits. Keys with an earlier prefix remain valid.',
    },
  ),
  tokenTtlSeconds: variable('TOKEN_TTL_SECONDS', integer(10, 7200), {
    default: '600',
    meaning: 'Lifetime of a session token in seconds, 10 to 7200. A client must connect within this time.',
  }),
  runtime: variable('RUNTIME', onOrOff, {
    default: 'on',
    meaning:
      '`on` or `off`: whether the service starts the included runtime. With `off`, the API for runtimes is enabled only if `RUNTIME_TOKEN` is set.',
  }),
  runtimeToken: variable('RUNTIME_TOKEN', bearerToken, {
    otherwise: 'a token file in `DATA_DIR`, created at the first start',
    meaning:
      'Bearer token of the API for runtimes, 16 to 512 printable characters without spaces. It gives access to nothing else and must differ from `ADMIN_TOKEN`. Required for runtimes on other machines and for processes that share a database.',
  }),
  runtimeUrl: variable('RUNTIME_URL', websocketUrl, {
    otherwise: '`PUBLIC_URL` with `ws` or `wss` and the path `/runtime`',
    meaning: 'Address to which clients connect if the websocket transport of an experience has no `url`.',
  }),
  sessionRetentionDays: variable('SESSION_RETENTION_DAYS', integer(1, 36_500), {
    meaning:
      'Days after which sessions that ended, or expired without a client, are deleted, 1 to 36500. If unset, sessions are never deleted.',
  }),
  livekitApiKey: variable('LIVEKIT_API_KEY', text, {
    meaning:
      'API key of the LiveKit server, for experiences with the transport `livekit`. Requires `LIVEKIT_API_SECRET`. If unset, such experiences cannot be launched.',
  }),
  livekitApiSecret: variable(
    'LIVEKIT_API_SECRET',
    { ...text, secret: 'whole' },
    {
      meaning:
        'Secret of that key. It signs the tokens of clients and the requests to LiveKit, and verifies its webhooks.',
    },
  ),
  webhookAllowPrivate: variable('WEBHOOK_ALLOW_PRIVATE', onOrOff, {
    default: 'off',
    meaning:
      '`on` or `off`: whether webhooks and tools may have loopback and private addresses, the loopback ones also with http. With `off`, only https to public addresses is allowed. With `on`, anyone who may edit experiences or webhooks can send requests to servers in the network of the service.',
  }),
  trustProxy: variable('TRUST_PROXY', proxies, {
    meaning:
      'Proxies whose `X-Forwarded-For` is trusted, by the service and by a standalone runtime: a comma-separated list of addresses and CIDR ranges. If unset, none is trusted.',
  }),
  assetsDir: variable('ASSETS_DIR', path, {
    otherwise: 'the demo art',
    meaning: 'Folder with `avatars/` and `locations/`, which are served under these paths.',
  }),
  demo: variable('DEMO', onOrOff, {
    otherwise: '`on` with the embedded engine, `off` with PostgreSQL',
    meaning: '`on` or `off`: whether a start creates the demo project if it does not exist.',
  }),
  logLevel: variable('LOG_LEVEL', oneOf(logLevels), {
    default: 'info',
    meaning:
      '`fatal`, `error`, `warn`, `info`, `debug`, `trace` or `silent`. Logs are written to standard error, as JSON unless it is a terminal.',
  }),
  shutdownGraceSeconds: variable('SHUTDOWN_GRACE_SECONDS', integer(0, 300), {
    default: '5',
    meaning:
      'Maximum seconds that requests are still accepted after SIGTERM, while load balancers receive 503 from `/readyz`, 0 to 300.',
  }),
} as const satisfies Record<string, Variable<unknown>>;

/** All variables, including the runtime's. `--help` and docs/configuration.md (`npm run docs`) are derived from this list. */
export const allVariables: readonly Variable<unknown>[] = [
  ...Object.values(variables),
  ...Object.values(variablesOfRuntime),
];
