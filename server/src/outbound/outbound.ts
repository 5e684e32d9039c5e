import { Agent, type Dispatcher } from 'undici';
import { dnsResolve, ForbiddenAddress, openConnector, type Resolve, systemResolve } from './connect.ts';
import { type OutboundRules, urlProblem } from './target.ts';

/** A request to an address that a user of the service has chosen. */
export interface OutboundRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  url: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
  /** Maximum milliseconds until the response has been read, including name resolution and the connection. */
  timeoutMs: number;
  /** Maximum bytes of the response body to read. When there are more, the connection is closed. */
  maxResponseBytes: number;
  signal?: AbortSignal;
}

export interface OutboundResponse {
  status: number;
  /** By lower-case name. The values of a repeated header are joined with commas. */
  headers: Record<string, string>;
  /** At most `maxResponseBytes`. */
  body: Buffer;
  /** Whether the body was longer than `maxResponseBytes`. */
  isTruncated: boolean;
}

/** Why a request got no response: the rules forbid its address, it took too long, the network failed, or its signal was aborted. */
export type OutboundFailure = 'forbidden' | 'timeout' | 'network' | 'aborted';

export class OutboundError extends Error {
  readonly failure: OutboundFailure;

  constructor(failure: OutboundFailure, message: string, options?: ErrorOptions) {
    super(message, options);
    this.failure = failure;
  }
}

interface OutboundOptions extends OutboundRules {
  /** For tests: resolves host names. */
  resolve?: Resolve;
}

/** Milliseconds after which a connection is not used again, so that changes of a name take effect. */
const connectionMs = 10_000;
const idleMs = 4_000;
const maxConnectMs = 15_000;
/** Maximum bytes of all response headers together. */
const maxHeaderBytes = 16 * 1024;

/**
 * HTTP requests to addresses that users of the service choose. The rules apply to the URL and to the address that its name resolves to.
 * Redirects are not followed, responses are not decompressed, and proxies of the environment are not used.
 */
export class Outbound {
  readonly #rules: OutboundRules;
  readonly #agent: Agent;

  constructor({ resolve, ...rules }: OutboundOptions) {
    this.#rules = rules;
    // Names of private addresses may be in /etc/hosts only.
    const resolveName = resolve ?? (rules.allowPrivate ? systemResolve : (name: string) => dnsResolve(name));
    this.#agent = new Agent({
      connect: openConnector(this.#rules, resolveName, maxConnectMs),
      clientTtl: connectionMs,
      keepAliveTimeout: idleMs,
      keepAliveMaxTimeout: idleMs,
      maxHeaderSize: maxHeaderBytes,
      // The timeout of the whole request is shorter.
      headersTimeout: 0,
      bodyTimeout: 0,
      pipelining: 1,
    });
  }

  /** Sends a request once. Any status is a response; throws an OutboundError if there is none. */
  async send(request: OutboundRequest): Promise<OutboundResponse> {
    const { method, url, headers = {}, body, timeoutMs, maxResponseBytes } = request;
    const problem = urlProblem(url, this.#rules);
    if (problem !== undefined) throw new OutboundError('forbidden', `the URL ${problem}`);
    const timeout = new AbortController();
    const timer = setTimeout(() => timeout.abort(), timeoutMs);
    const signal =
      request.signal === undefined ? timeout.signal : AbortSignal.any([timeout.signal, request.signal]);
    try {
      const response = await beforeAbort(
        signal,
        this.#agent.request({
          origin: new URL(url).origin,
          path: pathOf(url),
          method,
          headers: { 'accept-encoding': 'identity', ...headers },
          body: body ?? null,
          signal,
        }),
      );
      const read = await readBody(response.body, maxResponseBytes, signal);
      return { status: response.statusCode, headers: joined(response.headers), ...read };
    } catch (error) {
      throw failureOf(error, { timeoutMs, isTimeout: timeout.signal.aborted, isAborted: signal.aborted });
    } finally {
      clearTimeout(timer);
    }
  }

  /** Closes all connections. Requests in flight fail. */
  async close(): Promise<void> {
    await this.#agent.destroy();
  }
}

function pathOf(url: string): string {
  const { pathname, search } = new URL(url);
  return pathname + search;
}

/** undici notices an abort only when the connection is open, and resolving a name has no time limit of its own. */
async function beforeAbort<T>(signal: AbortSignal, pending: Promise<T>): Promise<T> {
  let abort = () => {};
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason);
  });
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([pending, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

type ResponseBody = Dispatcher.ResponseData['body'];

async function readBody(
  stream: ResponseBody,
  maxBytes: number,
  signal: AbortSignal,
): Promise<{ body: Buffer; isTruncated: boolean }> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    signal.throwIfAborted();
    chunks.push(chunk);
    bytes += chunk.length;
    // Leaving the loop destroys the stream, and with it the connection.
    if (bytes > maxBytes) return { body: Buffer.concat(chunks).subarray(0, maxBytes), isTruncated: true };
  }
  return { body: Buffer.concat(chunks), isTruncated: false };
}

function joined(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : (value ?? ''),
    ]),
  );
}

function failureOf(
  error: unknown,
  { timeoutMs, isTimeout, isAborted }: { timeoutMs: number; isTimeout: boolean; isAborted: boolean },
): OutboundError {
  const cause = { cause: error };
  if (isTimeout)
    return new OutboundError('timeout', `no complete response within ${timeoutMs / 1000} s`, cause);
  if (isAborted) return new OutboundError('aborted', 'the request was aborted', cause);
  if (error instanceof ForbiddenAddress) return new OutboundError('forbidden', error.message, cause);
  return new OutboundError('network', messageOf(error), cause);
}

/** Errors of connections that were tried on several addresses have no message of their own. */
function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return messageOf(error.errors[0]);
  return error instanceof Error ? error.message : String(error);
}
