import { variablesOfRuntime } from './runtime-variables.ts';
import {
  baseUrl,
  host,
  integer,
  type Kind,
  matching,
  oneOf,
  onOrOff,
  path,
  postgresUrl,
  proxies,
  type Variable,
  websocketUrl,
} from './values.ts';

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

const bearerToken = matching(/^[\x21-\x7e]{16,512}$/, '16 to 512 printable ASCII characters without spaces');

/** Everything about one variable. A new variable needs one entry here and one field in `Config`. */
function variable<T, V extends Omit<Variable<T>, keyof Kind<T>>>(kind: Kind<T>, entry: V): Kind<T> & V {
  return { ...kind, ...entry };
}

/** The variables of the service and the command line, keyed by their name in `Config` where they have one. */
export const variables = {
  host: variable(host, {
    name: 'HOST',
    default: '127.0.0.1',
    meaning:
      'IP address or host name that the public listener binds to. `0.0.0.0` or `::` binds to all interfaces.',
    readBy: 'service',
  }),
  port: variable(integer(0, 65_535), {
    name: 'PORT',
    default: '8080',
    meaning: 'Port of the public listener. `0` selects a free port and prints it.',
    readBy: 'service',
  }),
  adminHost: variable(host, {
    name: 'ADMIN_HOST',
    default: '127.0.0.1',
    meaning: 'Address that the admin listener binds to. Use a private interface.',
    readBy: 'both',
  }),
  adminPort: variable(integer(0, 65_535), {
    name: 'ADMIN_PORT',
    default: '8081',
    meaning: 'Port of the admin listener. `0` selects a free port and prints it.',
    readBy: 'both',
  }),
  adminToken: variable(bearerToken, {
    name: 'ADMIN_TOKEN',
    meaning:
      'Bearer token of the admin API, 16 to 512 printable characters without spaces. If unset, the embedded engine creates a token file in `DATA_DIR`; with PostgreSQL, the admin API is disabled.',
    secret: 'whole',
    readBy: 'both',
  }),
  metricsToken: variable(bearerToken, {
    name: 'METRICS_TOKEN',
    meaning:
      'Bearer token that gives access only to `/metrics`, 16 to 512 printable characters without spaces. It must differ from the other tokens and does not enable the admin listener.',
    secret: 'whole',
    readBy: 'service',
  }),
  adminUrl: variable(baseUrl('http://127.0.0.1:8081'), {
    name: 'ADMIN_URL',
    otherwise: '`http://ADMIN_HOST:ADMIN_PORT`',
    meaning: 'Address at which the command line calls the admin API.',
    readBy: 'command line',
  }),
  databaseUrl: variable(postgresUrl, {
    name: 'DATABASE_URL',
    meaning:
      '`postgres://` address of PostgreSQL 15 or newer. If unset, the embedded engine is used, with its data in `DATA_DIR`.',
    readBy: 'service',
  }),
  databaseWaitSeconds: variable(integer(0, 3600), {
    name: 'DATABASE_WAIT_SECONDS',
    default: '30',
    meaning:
      'Maximum seconds that a start waits for PostgreSQL to become reachable, 0 to 3600. `0` does not wait. Wrong credentials, database names and TLS settings fail immediately.',
    readBy: 'service',
  }),
  dataDir: variable(path, {
    name: 'DATA_DIR',
    default: './data',
    meaning:
      'Folder of the embedded database, the signing keys and the token files. Created if missing, accessible only to its owner.',
    readBy: 'both',
  }),
  publicUrl: variable(baseUrl('https://launch.example.com'), {
    name: 'PUBLIC_URL',
    otherwise: '`http://HOST:PORT`',
    meaning: 'Address at which clients reach the service. It is the issuer (`iss`) of session tokens.',
    readBy: 'service',
  }),
  signingKeysFile: variable(path, {
    name: 'SIGNING_KEYS_FILE',
    otherwise: '`DATA_DIR/signing-keys.json`',
    meaning:
      'Private Ed25519 keys as a JSON Web Key Set. The first key signs new tokens; the others are published for older tokens. Created at startup if missing.',
    readBy: 'service',
  }),
  apiKeyPrefix: variable(matching(/^[a-z0-9]{1,16}$/, '1 to 16 lower-case letters and digits'), {
    name: 'API_KEY_PREFIX',
    default: 'sl',
    meaning:
      'Prefix of new API keys, 1 to 16 lower-case letters and digits. Keys with an earlier prefix remain valid.',
    readBy: 'service',
  }),
  tokenTtlSeconds: variable(integer(10, 7200), {
    name: 'TOKEN_TTL_SECONDS',
    default: '600',
    meaning: 'Lifetime of a session token in seconds, 10 to 7200. A client must connect within this time.',
    readBy: 'service',
  }),
  runtime: variable(onOrOff, {
    name: 'RUNTIME',
    default: 'on',
    meaning:
      '`on` or `off`: whether the service starts the included runtime. With `off`, the API for runtimes is enabled only if `RUNTIME_TOKEN` is set.',
    readBy: 'service',
  }),
  runtimeToken: variable(bearerToken, {
    name: 'RUNTIME_TOKEN',
    otherwise: 'a token file in `DATA_DIR`, created at the first start',
    meaning:
      'Bearer token of the API for runtimes, 16 to 512 printable characters without spaces. It gives access to nothing else and must differ from `ADMIN_TOKEN`. Required for runtimes on other machines and for processes that share a database.',
    secret: 'whole',
    readBy: 'service',
  }),
  runtimeUrl: variable(websocketUrl, {
    name: 'RUNTIME_URL',
    otherwise: '`PUBLIC_URL` with `ws` or `wss` and the path `/runtime`',
    meaning: 'Address to which clients connect if the websocket transport of an experience has no `url`.',
    readBy: 'service',
  }),
  sessionRetentionDays: variable(integer(1, 36_500), {
    name: 'SESSION_RETENTION_DAYS',
    meaning:
      'Days after which sessions that ended, or expired without a client, are deleted, 1 to 36500. If unset, sessions are never deleted.',
    readBy: 'service',
  }),
  trustProxy: variable(proxies, {
    name: 'TRUST_PROXY',
    meaning:
      'Proxies whose `X-Forwarded-For` is trusted, by the service and by a standalone runtime: a comma-separated list of addresses and CIDR ranges. If unset, none is trusted.',
    readBy: 'service',
  }),
  assetsDir: variable(path, {
    name: 'ASSETS_DIR',
    otherwise: 'the demo art',
    meaning: 'Folder with `avatars/` and `locations/`, which are served under these paths.',
    readBy: 'service',
  }),
  demo: variable(onOrOff, {
    name: 'DEMO',
    otherwise: '`on` with the embedded engine, `off` with PostgreSQL',
    meaning: '`on` or `off`: whether a start creates the demo project if it does not exist.',
    readBy: 'service',
  }),
  logLevel: variable(oneOf(logLevels), {
    name: 'LOG_LEVEL',
    default: 'info',
    meaning:
      '`fatal`, `error`, `warn`, `info`, `debug`, `trace` or `silent`. Logs are written to standard error, as JSON unless it is a terminal.',
    readBy: 'service',
  }),
  shutdownGraceSeconds: variable(integer(0, 300), {
    name: 'SHUTDOWN_GRACE_SECONDS',
    default: '5',
    meaning:
      'Maximum seconds that requests are still accepted after SIGTERM, while load balancers receive 503 from `/readyz`, 0 to 300.',
    readBy: 'service',
  }),
} as const satisfies Record<string, Variable<unknown>>;

/** All variables, including the runtime's. `--help` and docs/configuration.md (`npm run docs`) are derived from this list. */
export const allVariables: readonly Variable<unknown>[] = [
  ...Object.values(variables),
  ...Object.values(variablesOfRuntime),
];
