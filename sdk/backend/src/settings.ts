export interface SessionLaunchOptions {
  /** URL of the service, such as https://launch.example.com. */
  baseUrl: string;
  /** The API key, or a function that returns it. The function is called before every attempt. */
  apiKey: string | (() => string | Promise<string>);
  /** Timeout of each attempt in milliseconds. Default: 10 000. */
  timeoutMs?: number;
  /** Maximum number of retries after the first attempt. Default: 2. */
  maxRetries?: number;
  /** Maximum delay before a retry in milliseconds. If `Retry-After` is longer, the call throws without a retry. Default: 5 000. */
  maxRetryWaitMs?: number;
  fetch?: typeof fetch;
  /** Called for every retry and for failures in a relay. Events contain neither API keys nor tokens. */
  log?(event: object): void;
}

/** The validated options with their defaults applied. */
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
    throw new TypeError('apiKey must be a string or a function; check that the variable with the key is set');
  if (typeof apiKey === 'string') checkedKey(apiKey);
  return {
    baseUrl: readBaseUrl(options.baseUrl),
    readKey: async () => checkedKey(typeof apiKey === 'function' ? await apiKey() : apiKey),
    timeoutMs: timerMs(1, 'timeoutMs', options.timeoutMs ?? 10_000),
    maxRetries: atLeast(0, 'maxRetries', options.maxRetries ?? 2),
    maxRetryWaitMs: timerMs(0, 'maxRetryWaitMs', options.maxRetryWaitMs ?? 5_000),
    // Called without a receiver: some runtimes throw "Illegal invocation" if `this` is not the global object.
    fetch: (...request) => (options.fetch ?? globalThis.fetch)(...request),
    log: log && ((event) => void quietly(() => log.call(options, event))),
  };
}

/** Rejects keys that are not valid in a header: fetch would include the key in its error message. */
function checkedKey(key: unknown): string {
  const text = typeof key === 'string' ? key.trim() : '';
  if (!/^[\x21-\x7e]+$/.test(text))
    throw new TypeError(
      'apiKey is empty or contains characters that are not allowed in a key; check that the variable with the key is set',
    );
  return text;
}

function readBaseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.search || url.hash)
    throw new TypeError(
      'baseUrl must be an absolute http or https address without query and fragment, such as https://launch.example.com',
    );
  if (url.username || url.password) throw new TypeError('baseUrl must not contain a user name or a password');
  return url.href.replace(/\/+$/, '');
}

export function atLeast(minimum: number, name: string, value: number): number {
  if (typeof value !== 'number' || !(value >= minimum))
    throw new TypeError(`${name} must be a number of at least ${minimum}`);
  return value;
}

/** The longest time of a timer, about 25 days; a longer one would fire at once. */
const maxTimerMs = 2 ** 31 - 1;

export function timerMs(minimum: number, name: string, value: number): number {
  return Math.min(atLeast(minimum, name, value), maxTimerMs);
}

/** Ignores exceptions of the log function, also of an asynchronous one, so that they neither fail the call nor end the process. */
async function quietly(work: () => unknown): Promise<void> {
  try {
    await work();
  } catch {}
}
