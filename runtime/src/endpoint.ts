/** An OpenAI-compatible interface, wherever it runs. */
export interface Endpoint {
  url: string;
  apiKey?: string | undefined;
}

/** An engine failed. The message is ours; what the engine itself said may quote somebody and stands apart. */
export class EngineError extends Error {
  readonly status: number;
  readonly said: string | undefined;

  constructor(status: number, message: string, said?: string) {
    super(message);
    this.status = status;
    this.said = said;
  }
}

/** Why an engine failed, in words that quote nobody: those of a parser, for one, show what it could not read. */
export function reasonOf(error: Error): string {
  return error instanceof EngineError ? error.message : error.name;
}

/** Reads an answer that should be JSON. */
export async function readJson(response: Response, signal: AbortSignal): Promise<unknown> {
  const text = await unlessAborted(response.text(), signal);
  return parsed(text, response.status);
}

export function parsed(text: string, status: number): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new EngineError(status, 'the engine answered with something other than JSON');
  }
}

/** A busy engine is asked once more if it does not take longer than this. */
const longestRetryMs = 3000;

/** Sends a request. An engine that is busy for a moment is asked again, once. */
export async function post(
  { url, apiKey }: Endpoint,
  path: string,
  body: string | FormData,
  signal: AbortSignal,
): Promise<Response> {
  const headers: Record<string, string> = apiKey === undefined ? {} : { Authorization: `Bearer ${apiKey}` };
  if (typeof body === 'string') headers['Content-Type'] = 'application/json';
  const send = () =>
    fetch(`${url}${path}`, { method: 'POST', headers, body, signal }).catch((error: Error) => {
      if (signal.aborted) throw error;
      const { code } = (error.cause ?? {}) as { code?: string };
      throw new EngineError(0, `${url} cannot be reached: ${code ?? error.message}`);
    });
  let response = await send();
  const waitMs = retryAfterMs(response);
  if (waitMs !== undefined && waitMs <= longestRetryMs) {
    await response.body?.cancel();
    await pause(waitMs, signal);
    response = await send();
  }
  if (response.ok) return response;
  await response.body?.cancel();
  throw new EngineError(
    response.status,
    `${path} answered ${response.status}${meaning[response.status] ?? ''}`,
  );
}

const meaning: Record<number, string> = {
  401: ': the key is missing or wrong',
  403: ': the key may not do this',
  404: ': check the address and the model',
  429: ': too many requests',
};

function retryAfterMs(response: Response): number | undefined {
  if (response.status !== 429 && response.status !== 503) return undefined;
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  return Number.isFinite(seconds) ? seconds * 1000 : undefined;
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', leave);
      resolve();
    }, ms);
    signal.addEventListener('abort', leave, { once: true });
  });
}

/** Reading a body ends with the signal, whatever the connection does. */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const leave = () => reject(signal.reason);
    signal.addEventListener('abort', leave, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}
