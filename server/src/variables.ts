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
} from './config-values.ts';

import { variablesOfRuntime } from './variables-of-runtime.ts';

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

const bearerToken = matching(/^[\x21-\x7e]{16,512}$/, '16 to 512 printable ASCII characters without spaces');

/** Named apart: the service has a host and a port of its own. */
const prefixed = Object.fromEntries(
  Object.entries(variablesOfRuntime).map(([name, variable]) => [`ofRuntime.${name}`, variable]),
) as { [K in keyof typeof variablesOfRuntime as `ofRuntime.${K}`]: (typeof variablesOfRuntime)[K] };

/** An entry as it stands below: everything about a variable, so that a new one is one entry and its place in `Config`. */
function variable<T, V extends Omit<Variable<T>, keyof Kind<T>>>(kind: Kind<T>, entry: V): Kind<T> & V {
  return { ...kind, ...entry };
}

/**
 * Every variable, by its name in `Config` where it has one of its own. Reading, `--help` and docs/configuration.md
 * (`npm run docs`) come from here.
 */
export const variables = {
  host: variable(host, {
    name: 'HOST',
    default: '127.0.0.1',
    meaning:
      'IP address or host name that the public listener binds to. `0.0.0.0` or `::` opens it to the network.',
    readBy: 'service',
  }),
  port: variable(integer(0, 65_535), {
    name: 'PORT',
    default: '8080',
    meaning: 'Port of the public listener. `0` picks a free one and prints it.',
    readBy: 'service',
  }),
  adminHost: variable(host, {
    name: 'ADMIN_HOST',
    default: '127.0.0.1',
    meaning: 'Address that the admin listener binds to. Leave it on a private interface.',
    readBy: 'both',
  }),
  adminPort: variable(integer(0, 65_535), {
    name: 'ADMIN_PORT',
    default: '8081',
    meaning: 'Port of the admin listener. `0` picks a free one and prints it.',
    readBy: 'both',
  }),
  adminToken: variable(bearerToken, {
    name: 'ADMIN_TOKEN',
    meaning:
      'Bearer token of the admin API, 16 to 512 printable characters without spaces. Without it the embedded engine makes a token file in `DATA_DIR`, and a PostgreSQL deployment keeps the admin API off.',
    secret: 'whole',
    readBy: 'both',
  }),
  metricsToken: variable(bearerToken, {
    name: 'METRICS_TOKEN',
    meaning:
      'Bearer token that opens `/metrics` and nothing else, 16 to 512 printable characters without spaces. It must differ from the other tokens, and does not switch the admin listener on.',
    secret: 'whole',
    readBy: 'service',
  }),
  adminUrl: variable(baseUrl('http://127.0.0.1:8081'), {
    name: 'ADMIN_URL',
    otherwise: '`http://ADMIN_HOST:ADMIN_PORT`',
    meaning: 'Where the command line finds the admin API.',
    readBy: 'command line',
  }),
  databaseUrl: variable(postgresUrl, {
    name: 'DATABASE_URL',
    meaning: '`postgres://` address of PostgreSQL 15 or newer. Unset: the embedded engine, in `DATA_DIR`.',
    readBy: 'service',
  }),
  databaseWaitSeconds: variable(integer(0, 3600), {
    name: 'DATABASE_WAIT_SECONDS',
    default: '30',
    meaning:
      'How long a start waits for a PostgreSQL that cannot be reached yet. 0 to 3600; `0` does not wait. Wrong credentials, database names and TLS settings fail at once.',
    readBy: 'service',
  }),
  dataDir: variable(path, {
    name: 'DATA_DIR',
    default: './data',
    meaning:
      'Folder of the embedded database, the signing keys and the token files. Made when missing, for its owner only.',
    readBy: 'both',
  }),
  publicUrl: variable(baseUrl('https://launch.example.com'), {
    name: 'PUBLIC_URL',
    otherwise: '`http://HOST:PORT`',
    meaning: 'Address under which clients reach the service. It is the issuer (`iss`) of session tokens.',
    readBy: 'service',
  }),
  signingKeysFile: variable(path, {
    name: 'SIGNING_KEYS_FILE',
    otherwise: '`DATA_DIR/signing-keys.json`',
    meaning:
      'Private Ed25519 keys as a JSON Web Key Set. New tokens get the first; the rest are kept for older tokens. A start makes the file.',
    readBy: 'service',
  }),
  apiKeyPrefix: variable(matching(/^[a-z0-9]{1,16}$/, '1 to 16 lower-case letters and digits'), {
    name: 'API_KEY_PREFIX',
    default: 'sl',
    meaning:
      'First part of new API keys, 1 to 16 lower-case letters and digits. Keys made under an earlier prefix go on working.',
    readBy: 'service',
  }),
  tokenTtlSeconds: variable(integer(10, 7200), {
    name: 'TOKEN_TTL_SECONDS',
    default: '600',
    meaning: 'Lifetime of a session token: how long a client has to connect. 10 to 7200.',
    readBy: 'service',
  }),
  runtime: variable(onOrOff, {
    name: 'RUNTIME',
    default: 'on',
    meaning:
      '`on` or `off`: whether there is a runtime beside this service. Without one, the API for runtimes is open only where `RUNTIME_TOKEN` is set.',
    readBy: 'service',
  }),
  runtimeToken: variable(bearerToken, {
    name: 'RUNTIME_TOKEN',
    otherwise: 'a token file in `DATA_DIR`, made at the first start',
    meaning:
      'Bearer token of the API for runtimes, 16 to 512 printable characters without spaces. It opens nothing else, and must not be `ADMIN_TOKEN`. Runtimes elsewhere need it, and so do processes that share a database.',
    secret: 'whole',
    readBy: 'service',
  }),
  runtimeUrl: variable(websocketUrl, {
    name: 'RUNTIME_URL',
    otherwise: '`PUBLIC_URL` with `ws` or `wss`, and `/runtime`',
    meaning: 'Where clients connect when an experience has a websocket transport without `url`.',
    readBy: 'service',
  }),
  sessionRetentionDays: variable(integer(1, 36_500), {
    name: 'SESSION_RETENTION_DAYS',
    meaning:
      'Sessions that ended, or expired without a client, so many days ago are deleted. 1 to 36500. Unset: sessions are kept for good.',
    readBy: 'service',
  }),
  trustProxy: variable(proxies, {
    name: 'TRUST_PROXY',
    meaning:
      'Proxies whose `X-Forwarded-For` is believed, by the service and by a runtime of its own: a comma-separated list of addresses and CIDR ranges. Unset: none.',
    readBy: 'service',
  }),
  assetsDir: variable(path, {
    name: 'ASSETS_DIR',
    otherwise: 'the demo art',
    meaning: 'Folder with `avatars/` and `locations/`, served under the same names.',
    readBy: 'service',
  }),
  demo: variable(onOrOff, {
    name: 'DEMO',
    otherwise: 'on when embedded, off with PostgreSQL',
    meaning: '`on` or `off`: whether a start sets up the demo project where it does not exist yet.',
    readBy: 'service',
  }),
  logLevel: variable(oneOf(logLevels), {
    name: 'LOG_LEVEL',
    default: 'info',
    meaning:
      '`fatal`, `error`, `warn`, `info`, `debug`, `trace` or `silent`. Logs go to standard error, as JSON unless it is a terminal.',
    readBy: 'service',
  }),
  shutdownGraceSeconds: variable(integer(0, 300), {
    name: 'SHUTDOWN_GRACE_SECONDS',
    default: '5',
    meaning:
      'How long requests are still taken after SIGTERM at most, while balancers learn from `/readyz` to send no more. 0 to 300.',
    readBy: 'service',
  }),
  ...prefixed,
} as const satisfies Record<string, Variable<unknown>>;
