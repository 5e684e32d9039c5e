import { BlockList, isIP } from 'node:net';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The only reader of the environment. Everything else receives what it needs as an argument. */
export type Environment = Record<string, string | undefined>;

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
}

/** What the command line needs to reach a running service. */
export interface ClientConfig {
  adminUrl: string;
  token?: string;
  tokenFile: string;
}

/** One variable that cannot be used: its name, what it got (masked when it is a secret) and what it wants. */
export interface ConfigProblem {
  variable: string;
  got: string;
  wants: string;
}

export class ConfigError extends Error {
  readonly problems: ConfigProblem[];

  constructor(problems: ConfigProblem[]) {
    const lines = problems.map((p) => `  ${p.variable} is ${p.got}; it must be ${p.wants}`);
    super(
      `the configuration has ${problems.length === 1 ? 'a problem' : `${problems.length} problems`}:\n${lines.join('\n')}`,
    );
    this.name = 'ConfigError';
    this.problems = problems;
  }
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
    meaning: 'Where the command line finds the admin API.',
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
];

/** Root of the repository or of the installed package: where `examples/` stands. */
const root = fileURLToPath(new URL('../../', import.meta.url));
export const demoProjectFile = join(root, 'examples', 'demo.yaml');
const demoAssets = join(root, 'examples', 'assets');

export function readConfig(env: Environment, cwd: string): Config {
  const read = new Reader(env);
  const dataDir = resolve(cwd, read.text('DATA_DIR') ?? './data');
  const databaseUrl = read.parsed(
    'DATABASE_URL',
    'a postgres:// address such as postgres://user:password@host:5432/name',
    parsePostgresUrl,
    maskUrl,
  );
  const token = adminToken(read);
  const publicUrl = read.parsed(
    'PUBLIC_URL',
    'an absolute http(s) address without query, fragment or credentials, such as https://launch.example.com',
    parsePublicUrl,
  );
  const trustProxy = read.parsed(
    'TRUST_PROXY',
    'a comma-separated list of IP addresses or CIDR ranges, such as 10.0.0.0/8,::1',
    parseProxies,
  );
  const demo = read.parsed('DEMO', 'on or off', (v) => (v === 'on' ? true : v === 'off' ? false : undefined));
  const config: Config = {
    host: read.text('HOST') ?? '127.0.0.1',
    port: read.integer('PORT', 0, 65_535) ?? 8080,
    admin: {
      host: read.text('ADMIN_HOST') ?? '127.0.0.1',
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
  };
  if (config.port !== 0 && config.port === config.admin.port && config.host === config.admin.host) {
    read.problems.push({
      variable: 'ADMIN_PORT',
      got: String(config.admin.port),
      wants: 'different from PORT',
    });
  }
  read.finish();
  return config;
}

export function readClientConfig(env: Environment, cwd: string): ClientConfig {
  const read = new Reader(env);
  const host = read.text('ADMIN_HOST') ?? '127.0.0.1';
  const port = read.integer('ADMIN_PORT', 1, 65_535) ?? 8081;
  const adminUrl =
    read.parsed('ADMIN_URL', 'an absolute http(s) address, such as http://127.0.0.1:8081', parseHttpUrl) ??
    `http://${bracketed(host)}:${port}`;
  const token = adminToken(read);
  const dataDir = resolve(cwd, read.text('DATA_DIR') ?? './data');
  read.finish();
  return { adminUrl, ...(token === undefined ? {} : { token }), tokenFile: tokenFile(dataDir) };
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

class Reader {
  readonly problems: ConfigProblem[] = [];
  readonly #env: Environment;

  constructor(env: Environment) {
    this.#env = env;
  }

  /** An unset variable and an empty one are the same thing. */
  text(variable: string): string | undefined {
    return this.parsed(variable, 'text without NUL characters', (value) =>
      value.includes('\0') ? undefined : value,
    );
  }

  integer(variable: string, min: number, max: number): number | undefined {
    return this.parsed(variable, `a whole number from ${min} to ${max}`, (value) => {
      const number = /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN;
      return number >= min && number <= max ? number : undefined;
    });
  }

  parsed<T>(
    variable: string,
    wants: string,
    parse: (value: string) => T | undefined,
    show: (value: string) => string = quote,
  ): T | undefined {
    const value = this.#env[variable]?.trim();
    if (value === undefined || value === '') return undefined;
    const parsed = parse(value);
    if (parsed === undefined) this.problems.push({ variable, got: show(value), wants });
    return parsed;
  }

  finish(): void {
    if (this.problems.length > 0) throw new ConfigError(this.problems);
  }
}

function quote(value: string): string {
  const short = value.length > 80 ? `${value.slice(0, 77)}...` : value;
  return JSON.stringify(short);
}

function mask(value: string): string {
  return `a secret of ${value.length} characters`;
}

function maskUrl(value: string): string {
  return quote(
    value.replace(/\/\/[^@/]*@/, '//***@').replace(/([?&](?:password|sslpassword)=)[^&]*/gi, '$1***'),
  );
}

function parseUrl(value: string): URL | undefined {
  return URL.canParse(value) ? new URL(value) : undefined;
}

function parsePostgresUrl(value: string): string | undefined {
  const url = parseUrl(value);
  return url && (url.protocol === 'postgres:' || url.protocol === 'postgresql:') ? value : undefined;
}

function parseHttpUrl(value: string): string | undefined {
  const url = parseUrl(value);
  return url && (url.protocol === 'http:' || url.protocol === 'https:')
    ? value.replace(/\/+$/, '')
    : undefined;
}

function parsePublicUrl(value: string): string | undefined {
  const text = parseHttpUrl(value);
  const url = text === undefined ? undefined : parseUrl(text);
  const bare = url && url.search === '' && url.hash === '' && url.username === '' && url.password === '';
  return bare ? url.href.replace(/\/+$/, '') : undefined;
}

function parseProxies(value: string): BlockList | undefined {
  const proxies = new BlockList();
  for (const part of value.split(',').map((p) => p.trim())) {
    const [address = '', bits, ...rest] = part.split('/');
    const version = isIP(address);
    if (version === 0 || rest.length > 0) return undefined;
    const family = version === 6 ? 'ipv6' : 'ipv4';
    if (bits === undefined) proxies.addAddress(address, family);
    else if (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 6 ? 128 : 32))
      proxies.addSubnet(address, Number(bits), family);
    else return undefined;
  }
  return proxies;
}
