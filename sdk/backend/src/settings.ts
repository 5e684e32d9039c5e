export interface SessionLaunchOptions {
  /** Where the service is, such as https://launch.example.com. */
  baseUrl: string;
  /** The key, or a function that fetches it; it is asked before every try. */
  apiKey: string | (() => string | Promise<string>);
  /** For each try; 10 000. */
  timeoutMs?: number;
  /** Tries after the first one; 2. */
  maxRetries?: number;
  /** A longer `Retry-After` is thrown instead of waited for; 5 000. */
  maxRetryWaitMs?: number;
  fetch?: typeof fetch;
  /** Hears of every retry, and of what goes wrong in a relay. It gets neither keys nor tokens. */
  log?(event: object): void;
}

/** The options as calls use them. */
export interface Settings {
  baseUrl: string;
  readKey(): Promise<string>;
  timeoutMs: number;
  maxRetries: number;
  maxRetryWaitMs: number;
  fetch: typeof fetch;
  log: ((event: object) => void) | undefined;
}

export function readOptions(options: SessionLaunchOptions): Settings {
  const { apiKey, log } = options;
  if (typeof apiKey !== 'string' && typeof apiKey !== 'function')
    throw new TypeError('apiKey must be a text or a function; is the variable with the key set?');
  if (typeof apiKey === 'string') checkedKey(apiKey);
  return {
    baseUrl: readBaseUrl(options.baseUrl),
    readKey: async () => checkedKey(typeof apiKey === 'function' ? await apiKey() : apiKey),
    timeoutMs: atLeast(1, 'timeoutMs', options.timeoutMs ?? 10_000),
    maxRetries: atLeast(0, 'maxRetries', options.maxRetries ?? 2),
    maxRetryWaitMs: atLeast(0, 'maxRetryWaitMs', options.maxRetryWaitMs ?? 5_000),
    // Called without an owner: some runtimes refuse their own fetch as the method of another object.
    fetch: (...request) => (options.fetch ?? globalThis.fetch)(...request),
    log: log && ((event) => quietly(() => log.call(options, event))),
  };
}

/** A key that cannot stand in a header is refused here, because fetch would repeat it in its message. */
function checkedKey(key: unknown): string {
  const text = typeof key === 'string' ? key.trim() : '';
  if (!/^[\x21-\x7e]+$/.test(text))
    throw new TypeError(
      'apiKey is empty or holds characters that no key has; is the variable with the key set?',
    );
  return text;
}

function readBaseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.search || url.hash)
    throw new TypeError(
      'baseUrl must be an absolute http or https address, such as https://launch.example.com',
    );
  if (url.username || url.password) throw new TypeError('baseUrl must not hold a user name or a password');
  return url.href.replace(/\/+$/, '');
}

export function atLeast(minimum: number, name: string, value: number): number {
  if (typeof value !== 'number' || !(value >= minimum))
    throw new TypeError(`${name} must be a number of at least ${minimum}`);
  return value;
}

/** A log that fails must not fail the call. */
function quietly(work: () => void): void {
  try {
    work();
  } catch {}
}
