import type { AdminRoutes } from '@session-launch/contract/admin/api';
import type { VersionConflict } from '@session-launch/contract/admin/changes';
import { backgroundHeader } from '@session-launch/contract/background';
import { type AnswerOf, type ArgumentsOf, requestOf } from '@session-launch/contract/call';
import type { ErrorEnvelope } from '@session-launch/contract/errors';
import { texts } from '../texts/texts.ts';
import { isUnattended } from './attention.ts';
import { requireSameOperator, signInAgain, signIns } from './sign-in.ts';

/** Milliseconds after which a request that the service did not answer is repeated. */
export const retryMs = 5_000;
/** Milliseconds after which a change without an answer is given up. Dialogs cannot be closed while their change is running. */
const changeTimeoutMs = 60_000;

/** A refused or failed request. `code` is that of the service, `OFFLINE` if it did not answer, or `NO_ANSWER` if it may have made the change. */
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

type Route = keyof AdminRoutes;
type AnswerTo<R extends Route> = AnswerOf<AdminRoutes[R]>;
type Rest<R extends Route> = ArgumentsOf<AdminRoutes[R], Blob, { signal?: AbortSignal | undefined }>;

/** The URL of a path. Relative to the page, so that the console works below any path. */
const urlOf = (path: string) => new URL(`..${path}`, document.baseURI).href;

/** The URL of an admin route for the browser itself. */
export function adminUrl<R extends Route>(route: R, ...[options]: Rest<R>): string {
  return urlOf(requestOf(route, options).path);
}

/**
 * Sends a request and returns the JSON of the answer. After a 401, asks to sign in and sends it again. Rejects if another operator signs in.
 */
export async function request<R extends Route>(route: R, ...[options]: Rest<R>): Promise<AnswerTo<R>> {
  return jsonOf<R>(await send(route, options));
}

/** The same, with the version that the answer has in its ETag. */
export async function requestVersioned<R extends Route>(
  route: R,
  ...[options]: Rest<R>
): Promise<{ body: AnswerTo<R>; version: number }> {
  const response = await send(route, options);
  const version = Number(response.headers.get('etag')?.replaceAll(/\D/g, ''));
  return { body: await jsonOf<R>(response), version };
}

/** The same for an answer that is text, such as YAML or CSV. */
export async function requestText<R extends Route>(route: R, ...[options]: Rest<R>): Promise<string> {
  return (await send(route, options)).text();
}

async function jsonOf<R extends Route>(response: Response): Promise<AnswerTo<R>> {
  const text = await response.text();
  return (text === '' ? undefined : JSON.parse(text)) as AnswerTo<R>;
}

interface Sendable {
  file?: Blob;
  signal?: AbortSignal | undefined;
}

async function send(route: Route, options: Sendable = {}): Promise<Response> {
  let sentAfter = signIns.peek();
  let response = await attempt(route, options);
  while (response.status === 401 && !signsInOrOut.includes(route)) {
    if (sentAfter === signIns.peek()) await signInAgain();
    sentAfter = signIns.peek();
    response = await attempt(route, options);
  }
  if (response.ok) return response;
  throw await failure(response);
}

const signsInOrOut: Route[] = ['POST /admin/login', 'POST /admin/logout'];

async function attempt(route: Route, { signal, ...parts }: Sendable): Promise<Response> {
  const { method, path, headers, body = null } = requestOf(route, parts);
  const isTimed = method !== 'GET' && parts.file === undefined && signal === undefined;
  const end = isTimed ? AbortSignal.timeout(changeTimeoutMs) : signal;
  if (method === 'GET' && isUnattended()) headers[backgroundHeader] = 'true';
  requireSameOperator();
  try {
    return await fetch(urlOf(path), { method, headers, body: parts.file ?? body, signal: end ?? null });
  } catch (error) {
    if (signal?.aborted) throw error;
    if (end?.aborted) throw new ApiFailure(0, 'NO_ANSWER', texts.offline.noAnswerToChange);
    throw new ApiFailure(0, 'OFFLINE', texts.offline.noAnswer);
  }
}

async function failure(response: Response): Promise<ApiFailure> {
  const { error } = (await response.json().catch(() => ({}))) as Partial<ErrorEnvelope>;
  if (error === undefined) return new ApiFailure(response.status, 'OFFLINE', texts.offline.foreign);
  return new ApiFailure(response.status, error.code, error.message, error.details, error.requestId);
}

/** The problems that the service found in the fields of a request, by their paths. */
export function problemsOf(error: unknown): Record<string, string> {
  if (!(error instanceof ApiFailure) || !Array.isArray(error.details)) return {};
  const details = error.details as { path: string; message: string }[];
  return Object.fromEntries(details.map(({ path, message }) => [path, message]));
}

/** What to tell a person about a failure. */
export function messageOf(error: unknown): string {
  if (error instanceof ApiFailure && error.code === 'UNAVAILABLE') return texts.offline.unavailableNow;
  return error instanceof Error ? error.message : String(error);
}
