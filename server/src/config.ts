import { type BlockList, isIP } from 'node:net';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  type Environment,
  mask,
  maskUrl,
  parseBaseUrl,
  parsePostgresUrl,
  parseProxies,
  Reader,
} from './config-values.ts';

export { ConfigError, type ConfigProblem, type Environment } from './config-values.ts';

export type LogLevel = (typeof logLevels)[number];
const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

export interface Config {
  host: string;
  port: number;
  admin: {
    host: string;
    port: number;
    /** Absent: the embedded engine makes a token file; with PostgreSQL the admin listener stays off. */
    token?: string;
    tokenFile: string;
  };
  database: { engine: 'embedded'; dataDir: string } | { engine: 'postgres'; url: string };
  dataDir: string;
  /** Absent: derived from the address the service really listens on. */
  publicUrl?: string;
  signingKeysFile: string;
  apiKeyPrefix: string;
  tokenTtlSeconds: number;
  trustProxy?: BlockList;
  assetsDir: string;
  demo: boolean;
  logLevel: LogLevel;
  /** How long the public listener stays open at most after SIGTERM, for balancers to notice. */
  shutdownGraceSeconds: number;
}

/** What the command line needs to reach a running service. */
export interface ClientConfig {
  adminUrl: string;
  token?: string;
  tokenFile: string;
}

export interface Variable {
  name: string;
  default: string;
  meaning: string;
}

/** Every variable, for documentation and `--help`; a test compares this table with docs/configuration.md. */
export const variables: readonly Variable[] = [
  { name: 'HOST', default: '127.0.0.1', meaning: 'Address the public listener binds to.' },
  { name: 'PORT', default: '8080', meaning: 'Port of the public listener; 0 picks a free one.' },
  { name: 'ADMIN_HOST', default: '127.0.0.1', meaning: 'Address the admin listener binds to.' },
  { name: 'ADMIN_PORT', default: '8081', meaning: 'Port of the admin listener; 0 picks a free one.' },
  {
    name: 'ADMIN_TOKEN',
    default: '',
    meaning:
      'Bearer token of the admin API, at least 16 characters. Without it the embedded engine makes a token file in DATA_DIR, and a PostgreSQL deployment keeps the admin listener off.',
  },
  {
    name: 'ADMIN_URL',
    default: 'http://ADMIN_HOST:ADMIN_PORT',
    meaning: 'Where the command line finds the admin API; the service itself does not read it.',
  },
  {
    name: 'DATABASE_URL',
    default: '',
    meaning: 'postgres:// address of PostgreSQL 15 or newer. Unset: the embedded engine in DATA_DIR.',
  },
  {
    name: 'DATA_DIR',
    default: './data',
    meaning: 'Folder of the embedded database, the signing keys and the admin token file.',
  },
  {
    name: 'PUBLIC_URL',
    default: 'http://HOST:PORT',
    meaning: 'Address under which clients reach the service; the issuer of session tokens.',
  },
  {
    name: 'SIGNING_KEYS_FILE',
    default: 'DATA_DIR/signing-keys.json',
    meaning:
      'JSON Web Key Set of private Ed25519 keys; the first one signs. Made at the first start when missing.',
  },
  {
    name: 'API_KEY_PREFIX',
    default: 'sl',
    meaning: 'First part of new API keys: 1 to 16 lower-case letters and digits.',
  },
  { name: 'TOKEN_TTL_SECONDS', default: '600', meaning: 'Lifetime of a session token, 10 to 7200 seconds.' },
  {
    name: 'TRUST_PROXY',
    default: '',
    meaning: 'Comma-separated addresses or CIDR ranges of the proxies whose X-Forwarded-For is believed.',
  },
  {
    name: 'ASSETS_DIR',
    default: 'the demo art',
    meaning: 'Folder with avatars/ and locations/, served under the same names.',
  },
  {
    name: 'DEMO',
    default: 'on when embedded, off with PostgreSQL',
    meaning: 'on or off: whether a start provisions the demo project.',
  },
  { name: 'LOG_LEVEL', default: 'info', meaning: 'fatal, error, warn, info, debug, trace or silent.' },
  {
    name: 'SHUTDOWN_GRACE_SECONDS',
    default: '5',
    meaning:
      'How long after SIGTERM requests are still taken at most while balancers learn from /readyz to send no more, 0 to 300.',
  },
];

/** Root of the repository: where `examples/` stands. */
const root = fileURLToPath(new URL('../../', import.meta.url));
export const demoProjectFile = join(root, 'examples', 'demo.yaml');
const demoAssets = join(root, 'examples', 'assets');

const baseUrl = 'an absolute http(s) address without query, fragment, user name or password';

/** The only reader of the environment. Everything else receives what it needs as an argument. */
export function readConfig(env: Environment, cwd: string): Config {
  const read = new Reader(env);
  const dataDir = resolve(cwd, read.text('DATA_DIR') ?? './data');
  const databaseUrl = read.parsed(
    'DATABASE_URL',
    'a postgres:// address such as postgres://user:password@host:5432/name, with special characters in the password percent-encoded',
    parsePostgresUrl,
    maskUrl,
  );
  const token = adminToken(read);
  const publicUrl = read.parsed(
    'PUBLIC_URL',
    `${baseUrl}, such as https://launch.example.com`,
    parseBaseUrl,
    maskUrl,
  );
  const trustProxy = read.parsed(
    'TRUST_PROXY',
    'a comma-separated list of IP addresses or CIDR ranges, such as 10.0.0.0/8,::1',
    parseProxies,
  );
  const demo = read.parsed('DEMO', 'on or off', (v) => (v === 'on' ? true : v === 'off' ? false : undefined));
  const config: Config = {
    host: read.host('HOST') ?? '127.0.0.1',
    port: read.integer('PORT', 0, 65_535) ?? 8080,
    admin: {
      host: read.host('ADMIN_HOST') ?? '127.0.0.1',
      port: read.integer('ADMIN_PORT', 0, 65_535) ?? 8081,
      ...(token === undefined ? {} : { token }),
      tokenFile: tokenFile(dataDir),
    },
    database:
      databaseUrl === undefined ? { engine: 'embedded', dataDir } : { engine: 'postgres', url: databaseUrl },
    dataDir,
    ...(publicUrl === undefined ? {} : { publicUrl }),
    signingKeysFile: resolve(cwd, read.text('SIGNING_KEYS_FILE') ?? join(dataDir, 'signing-keys.json')),
    apiKeyPrefix:
      read.parsed('API_KEY_PREFIX', '1 to 16 lower-case letters and digits', (v) =>
        /^[a-z0-9]{1,16}$/.test(v) ? v : undefined,
      ) ?? 'sl',
    tokenTtlSeconds: read.integer('TOKEN_TTL_SECONDS', 10, 7200) ?? 600,
    ...(trustProxy === undefined ? {} : { trustProxy }),
    assetsDir: resolve(cwd, read.text('ASSETS_DIR') ?? demoAssets),
    demo: demo ?? databaseUrl === undefined,
    logLevel:
      read.parsed('LOG_LEVEL', `one of ${logLevels.join(', ')}`, (v) =>
        logLevels.find((level) => level === v),
      ) ?? 'info',
    shutdownGraceSeconds: read.integer('SHUTDOWN_GRACE_SECONDS', 0, 300) ?? 5,
  };
  if (!read.isBad('PORT') && !read.isBad('ADMIN_PORT') && listenersCollide(config)) {
    const { port } = config.admin;
    read.problems.push({
      variable: 'ADMIN_PORT',
      got: read.text('ADMIN_PORT') === undefined ? `${port} by default` : String(port),
      wants: 'different from PORT',
    });
  }
  read.finish();
  return config;
}

/** Two listeners on one port, where one address is the other or stands for all of the machine. */
function listenersCollide({ host, port, admin, database }: Config): boolean {
  const isAdminOn = admin.token !== undefined || database.engine === 'embedded';
  if (!isAdminOn || port === 0 || port !== admin.port) return false;
  return host === admin.host || [host, admin.host].some((address) => address in loopback);
}

export function readClientConfig(env: Environment, cwd: string): ClientConfig {
  const read = new Reader(env);
  const adminUrl =
    read.parsed('ADMIN_URL', `${baseUrl}, such as http://127.0.0.1:8081`, parseBaseUrl, maskUrl) ??
    adminAddress(read);
  const token = adminToken(read);
  const dataDir = resolve(cwd, read.text('DATA_DIR') ?? './data');
  read.finish();
  return { adminUrl, ...(token === undefined ? {} : { token }), tokenFile: tokenFile(dataDir) };
}

/** How to reach an address that means every one of the machine. */
const loopback: Record<string, string> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

function adminAddress(read: Reader): string {
  const host = read.host('ADMIN_HOST') ?? '127.0.0.1';
  const port =
    read.parsed(
      'ADMIN_PORT',
      'a whole number from 1 to 65535 for the command line (for a port that the service picked itself, set ADMIN_URL to the address that its start printed)',
      parsePort,
    ) ?? 8081;
  return `http://${bracketed(loopback[host] ?? host)}:${port}`;
}

function parsePort(value: string): number | undefined {
  const port = /^\d{1,5}$/.test(value) ? Number(value) : 0;
  return port >= 1 && port <= 65_535 ? port : undefined;
}

/** An IPv6 address as it stands in a URL. */
export function bracketed(host: string): string {
  return isIP(host) === 6 ? `[${host}]` : host;
}

function tokenFile(dataDir: string): string {
  return join(dataDir, 'admin-token');
}

function adminToken(read: Reader): string | undefined {
  return read.parsed(
    'ADMIN_TOKEN',
    '16 to 512 printable ASCII characters without spaces',
    (v) => (/^[\x21-\x7e]{16,512}$/.test(v) ? v : undefined),
    mask,
  );
}
