import type { VersionConflict } from '@session-launch/contract/admin/changes';
import { backgroundHeader } from '@session-launch/contract/background';
import type { ErrorEnvelope } from '@session-launch/contract/errors';
import { texts } from '../texts.ts';
import { isUnattended } from './attention.ts';
import { requireSameOperator, signInAgain, signIns } from './sign-in.ts';

/** Milliseconds after which a request that the service did not answer is repeated. */
export const retryMs = 5_000;

/** A refused or failed request. `code` is that of the service, or `OFFLINE` if it did not answer. */
export class ApiFailure extends Error {
  readonly status: number;
  readonly code: string;
  readonly details: unknown;
  readonly requestId: string | undefined;

  constructor(status: number, code: string, message: string, details?: unknown, requestId?: string) {
    super(message);
    this.name = 'ApiFailure';
    this.status = status;
    this.code = code;
    this.details = details;
    this.requestId = requestId;
  }
}

/** Whether a request was refused because its version is not the current one. */
export function isConflict(error: unknown): error is ApiFailure & { readonly details: VersionConflict } {
  return error instanceof ApiFailure && error.code === 'VERSION_CONFLICT';
}

export interface ApiRequest {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  query?: Record<string, string | undefined>;
  body?: unknown;
  /** An upload instead of a JSON body. */
  upload?: Blob;
  /** The version that the request changes. */
  version?: number;
  accept?: string;
  signal?: AbortSignal;
}

/** The URL of an admin route. Relative to the page, so that the console works below any path. */
export function adminUrl(path: string, query: ApiRequest['query'] = {}): string {
  const url = new URL(`../admin/${path}`, document.baseURI);
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) url.searchParams.set(name, value);
  return url.href;
}

/**
 * Sends a request and returns the JSON of the answer. After a 401, asks to sign in and sends it again. Rejects if another operator signs in.
 */
export async function request<T>(path: string, options: ApiRequest = {}): Promise<T> {
  const response = await send(path, options);
  if (response.status === 204 || response.status === 202) return undefined as T;
  return (await response.json()) as T;
}

/** The same, with the version that the answer has in its ETag. */
export async function requestVersioned<T>(
  path: string,
  options: ApiRequest = {},
): Promise<{ body: T; version: number }> {
  const response = await send(path, options);
  const version = Number(response.headers.get('etag')?.replaceAll(/\D/g, ''));
  return { body: (await response.json()) as T, version };
}

/** The same for an answer that is text, such as YAML or CSV. */
export async function requestText(path: string, options: ApiRequest = {}): Promise<string> {
  return (await send(path, options)).text();
}

async function send(path: string, options: ApiRequest): Promise<Response> {
  let sentAfter = signIns.peek();
  let response = await attempt(path, options);
  while (response.status === 401 && !['login', 'logout'].includes(path)) {
    if (sentAfter === signIns.peek()) await signInAgain();
    sentAfter = signIns.peek();
    response = await attempt(path, options);
  }
  if (response.ok) return response;
  throw await failure(response);
}

async function attempt(path: string, options: ApiRequest): Promise<Response> {
  const { method = 'GET', query, body, upload, version, accept = 'application/json', signal } = options;
  const isWrite = method !== 'GET';
  requireSameOperator();
  try {
    return await fetch(adminUrl(path, query), {
      method,
      headers: {
        accept,
        ...(upload === undefined && isWrite ? { 'content-type': 'application/json' } : {}),
        ...(version === undefined ? {} : { 'if-match': `"${version}"` }),
        ...(!isWrite && isUnattended() ? { [backgroundHeader]: 'true' } : {}),
      },
      body: upload ?? (isWrite ? JSON.stringify(body ?? {}) : null),
      ...(signal === undefined ? {} : { signal }),
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ApiFailure(0, 'OFFLINE', texts.offline.noAnswer);
  }
}

async function failure(response: Response): Promise<ApiFailure> {
  const { error } = (await response.json().catch(() => ({}))) as Partial<ErrorEnvelope>;
  if (error === undefined) return new ApiFailure(response.status, 'OFFLINE', texts.offline.foreign);
  return new ApiFailure(response.status, error.code, error.message, error.details, error.requestId);
}

/** What to tell a person about a failure. */
export function messageOf(error: unknown): string {
  if (error instanceof ApiFailure && error.code === 'UNAVAILABLE') return texts.offline.unavailableNow;
  return error instanceof Error ? error.message : String(error);
}
