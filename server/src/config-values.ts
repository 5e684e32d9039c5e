import { BlockList, isIP } from 'node:net';

/** Variables as the process got them. */
export type Environment = Record<string, string | undefined>;

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

/** Reads variables one by one and keeps what is wrong with them, so that one start reports everything. */
export class Reader {
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

  host(variable: string): string | undefined {
    const wants =
      'an IP address or a host name without scheme, port or brackets, such as 127.0.0.1, :: or localhost';
    return this.parsed(variable, wants, (value) =>
      isIP(value) !== 0 || isHostName(value) ? value : undefined,
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

  isBad(variable: string): boolean {
    return this.problems.some((problem) => problem.variable === variable);
  }

  finish(): void {
    if (this.problems.length > 0) throw new ConfigError(this.problems);
  }
}

function quote(value: string): string {
  const short = value.length > 80 ? `${value.slice(0, 77)}...` : value;
  return JSON.stringify(short);
}

export function mask(value: string): string {
  return `a secret of ${value.length} characters`;
}

/** Hides all that may be a password: what goes wrong with an address is often an unescaped character in it. */
export function maskUrl(value: string): string {
  // Settings such as "host=db password=…": nobody knows which part is the password.
  if (!/:\/\/|@/.test(value) && /[=:\s]/.test(value))
    return `"***" (${value.length} characters without "://")`;
  return quote(
    value
      .replace(/([?&](?:ssl)?password=)[^&]*/gi, '$1***')
      .replace(/^([a-z][a-z0-9+.-]*:\/\/)?.*@/is, '$1***@'),
  );
}

/** Labels of letters, digits, "-" and "_". One that ends in a number is a mistyped IP address. */
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

export function parsePostgresUrl(value: string): string | undefined {
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

/** An http(s) address to build others on: nothing after its path, and no slash at its end. */
export function parseBaseUrl(value: string): string | undefined {
  const url = parseUrl(value);
  if (url === undefined || !['http:', 'https:'].includes(url.protocol)) return undefined;
  const isBare = url.search === '' && url.hash === '' && url.username === '' && url.password === '';
  return isBare ? url.href.replace(/\/+$/, '') : undefined;
}

export function parseProxies(value: string): BlockList | undefined {
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
