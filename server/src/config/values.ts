import { type BlockList, isIP } from 'node:net';
import { resolve } from 'node:path';
import { proxyList } from '@session-launch/process/client-address';

/** Environment variables. */
export type Environment = Record<string, string | undefined>;

/** A variable with an invalid value: its name, the value (masked if it is a secret) and what is expected. */
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

/** The format of a value and its parser. */
export interface Kind<T> {
  wants: string;
  parse(value: string, cwd: string): T | undefined;
  /** What must be masked: the whole value, or the password in a URL. */
  secret?: 'whole' | 'password';
}

export interface Variable<T> extends Kind<T> {
  name: string;
  /** The default, written like a value. */
  default?: string;
  /** If there is no default: what happens when the variable is unset. */
  otherwise?: string;
  /** Markdown; `--help` shows it without its backticks. */
  meaning: string;
  /** The service also checks the variables of the included runtime at its start. */
  readBy: 'service' | 'command line' | 'both' | 'runtime';
}

/** A variable with a default always has a value. */
type ValueOf<V extends Variable<unknown>> =
  | NonNullable<ReturnType<V['parse']>>
  | (V extends { default: string } ? never : undefined);

/** The parsed value types. */
export type ServiceValues<T extends Record<string, Variable<unknown>>> = {
  [K in keyof T as T[K]['readBy'] extends 'command line' ? never : K]: ValueOf<T[K]>;
};

/** Parses variables and collects their problems, so that one start reports all of them. */
export class Reader {
  readonly problems: ConfigProblem[] = [];
  readonly #env: Environment;
  readonly #cwd: string;

  constructor(env: Environment, cwd: string) {
    this.#env = env;
    this.#cwd = cwd;
  }

  /** The value of a variable or its default. Also returns the default for an invalid value, because `finish` throws. */
  read<V extends Variable<unknown>>(variable: V): ValueOf<V> {
    const { name, wants, secret } = variable;
    const value = this.#written(name);
    const parsed = value === undefined ? undefined : variable.parse(value, this.#cwd);
    if (parsed !== undefined) return parsed as ValueOf<V>;
    if (value !== undefined) this.problems.push({ variable: name, got: shown(value, secret), wants });
    const byDefault = variable.default && variable.parse(variable.default, this.#cwd);
    return byDefault as ValueOf<V>;
  }

  readForService<T extends Record<string, Variable<unknown>>>(table: T): ServiceValues<T> {
    const entries = Object.entries(table).filter(
      ([, { readBy }]) => readBy === 'service' || readBy === 'both',
    );
    return Object.fromEntries(
      entries.map(([key, variable]) => [key, this.read(variable)]),
    ) as ServiceValues<T>;
  }

  isSet({ name }: { name: string }): boolean {
    return this.#written(name) !== undefined;
  }

  isBad({ name }: { name: string }): boolean {
    return this.problems.some((problem) => problem.variable === name);
  }

  finish(): void {
    if (this.problems.length > 0) throw new ConfigError(this.problems);
  }

  /** An empty variable counts as unset. */
  #written(name: string): string | undefined {
    return this.#env[name]?.trim() || undefined;
  }
}

export const host: Kind<string> = {
  wants: 'an IP address or a host name without scheme, port or brackets, such as 127.0.0.1, :: or localhost',
  parse: (value) => (isIP(value) !== 0 || isHostName(value) ? value : undefined),
};

export function integer(min: number, max: number): Kind<number> {
  return {
    wants: `a whole number from ${min} to ${max}`,
    parse: (value) => {
      const number = /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN;
      return number >= min && number <= max ? number : undefined;
    },
  };
}

/** A path; relative paths are resolved against the working directory. */
export const path: Kind<string> = {
  wants: 'text without NUL characters',
  parse: (value, cwd) => (value.includes('\0') ? undefined : resolve(cwd, value)),
};

export function matching(pattern: RegExp, wants: string): Kind<string> {
  return { wants, parse: (value) => (pattern.test(value) ? value : undefined) };
}

export function oneOf<const T extends string>(values: readonly T[]): Kind<T> {
  return {
    wants: `one of ${values.join(', ')}`,
    parse: (value) => values.find((known) => known === value),
  };
}

export const onOrOff: Kind<boolean> = {
  wants: 'on or off',
  parse: (value) => (value === 'on' ? true : value === 'off' ? false : undefined),
};

export const postgresUrl: Kind<string> = {
  wants:
    'a postgres:// address such as postgres://user:password@host:5432/name, with special characters in the password percent-encoded',
  parse: parsePostgresUrl,
  secret: 'password',
};

/** An http(s) base URL. */
export function baseUrl(example: string): Kind<string> {
  return {
    wants: `an absolute http(s) address without query, fragment, user name or password, such as ${example}`,
    parse: parseBaseUrl,
    secret: 'password',
  };
}

/** The issuer of an identity provider. Plain http is accepted only on this machine. */
export const issuerUrl: Kind<string> = {
  wants:
    'an https address without query, fragment, user name or password, such as https://login.example.com (http only on localhost)',
  parse: (value) => {
    const url = parseBaseUrl(value) === undefined ? undefined : new URL(value);
    // An issuer is compared exactly, so a slash at the end is kept.
    return url !== undefined && (url.protocol === 'https:' || isLoopback(url.hostname)) ? value : undefined;
  },
  secret: 'password',
};

/** Whether a host name of a URL is that of this machine. */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
}

export const text = matching(/^[\x21-\x7e]{1,512}$/, '1 to 512 printable ASCII characters without spaces');

/** A complete URL that clients connect to. */
export const websocketUrl: Kind<string> = {
  wants:
    'an absolute ws(s) address without fragment, user name or password, such as wss://runtime.example.com/session',
  parse: (value) => {
    const url = parseUrl(value);
    if (url === undefined || !['ws:', 'wss:'].includes(url.protocol)) return undefined;
    return url.hash === '' && url.username === '' && url.password === '' ? url.href : undefined;
  },
  secret: 'password',
};

export const proxies: Kind<BlockList> = {
  wants: 'a comma-separated list of IP addresses or CIDR ranges, such as 10.0.0.0/8,::1',
  parse: proxyList,
};

function shown(value: string, secret: Kind<unknown>['secret']): string {
  if (secret === 'whole') return `a secret of ${value.length} characters`;
  return secret === 'password' ? maskUrl(value) : quote(value);
}

function quote(value: string): string {
  const short = value.length > 80 ? `${value.slice(0, 77)}...` : value;
  return JSON.stringify(short);
}

/** Masks everything that may be a password: invalid URLs often contain an unescaped character in the password. */
function maskUrl(value: string): string {
  // Key-value settings such as "host=db password=…" are masked entirely.
  if (!/:\/\/|@/.test(value) && /[=:\s]/.test(value))
    return `"***" (${value.length} characters without "://")`;
  return quote(
    value
      .replace(/([?&](?:ssl)?password=)[^&]*/gi, '$1***')
      .replace(/^([a-z][a-z0-9+.-]*:\/\/)?.*@/is, '$1***@'),
  );
}

/** Whether the value consists of labels of letters, digits, "-" and "_". If the last label is a number, the value is a mistyped IP address. */
function isHostName(value: string): boolean {
  const label = '[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?';
  return (
    value.length <= 253 &&
    new RegExp(`^${label}(\\.${label})*$`, 'i').test(value) &&
    !/(^|\.)\d+$/.test(value)
  );
}

function parseUrl(value: string): URL | undefined {
  return URL.canParse(value) ? new URL(value) : undefined;
}

function parsePostgresUrl(value: string): string | undefined {
  const url = /^postgres(ql)?:\/\//i.test(value) ? parseUrl(value) : undefined;
  return url && [url.username, url.password, url.pathname].every(isDecodable) ? value : undefined;
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** Rejects a URL with a query, a fragment or credentials; removes slashes at the end. */
function parseBaseUrl(value: string): string | undefined {
  const url = parseUrl(value);
  if (url === undefined || !['http:', 'https:'].includes(url.protocol)) return undefined;
  const isBare = url.search === '' && url.hash === '' && url.username === '' && url.password === '';
  return isBare ? url.href.replace(/\/+$/, '') : undefined;
}
