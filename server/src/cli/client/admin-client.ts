import { readFile } from 'node:fs/promises';
import type { AdminRoutes } from '@session-launch/contract/admin/api';
import type { VersionConflict } from '@session-launch/contract/admin/changes';
import { type AnswerOf, type ArgumentsOf, requestOf } from '@session-launch/contract/call';
import { type ErrorEnvelope, errorTable } from '@session-launch/contract/errors';
import type { ClientConfig } from '../../config/config.ts';
import { CliFailure } from '../terminal/failure.ts';
import { TimeUp, within } from './deadline.ts';

export type AdminFailureKind =
  | 'no-token'
  | 'unreachable'
  | 'timeout'
  | 'unauthorized'
  | 'refused'
  | 'not-the-admin-api';

/** A failed request to the admin API. `code` and `details` come from its error envelope. */
export class AdminFailure extends CliFailure {
  readonly kind: AdminFailureKind;
  readonly code: string | undefined;
  readonly details: unknown;

  constructor(
    kind: AdminFailureKind,
    message: string,
    rest: { code?: string; details?: unknown; cause?: unknown } = {},
  ) {
    super(message, { exitCode: kind === 'no-token' ? 2 : 1, cause: rest.cause });
    this.name = 'AdminFailure';
    this.kind = kind;
    this.code = rest.code;
    this.details = rest.details;
  }
}

/** The text of a project file. */
export interface FileBody {
  type: 'application/json' | 'application/yaml';
  text: string;
}

interface Settings {
  /** Timeout for the complete response; 10 by default. */
  timeoutSeconds?: number;
}

type Route = keyof AdminRoutes;
type Rest<R extends Route> = ArgumentsOf<AdminRoutes[R], FileBody, Settings>;
/** Those answers to a route that have the field. */
type AnswerWith<Answer, Field extends string> = Answer extends { [F in Field]: unknown } ? Answer : never;
type FieldOf<Answer> = Answer extends object ? keyof Answer & string : never;

export interface AdminClient {
  /** Returns the JSON of a 2xx response, which must have `field`; throws an AdminFailure otherwise. */
  json<R extends Route, Field extends FieldOf<AnswerOf<AdminRoutes[R]>>>(
    field: Field,
    route: R,
    ...[options]: Rest<R>
  ): Promise<AnswerWith<AnswerOf<AdminRoutes[R]>, Field>>;
  text<R extends Route>(route: R, ...[options]: Rest<R>): Promise<string>;
}

/** Timeout for requests that read or write a whole project file; enough for 4 MiB on a busy machine. */
export const projectFileTimeoutSeconds = 120;

export function createAdminClient(config: ClientConfig): AdminClient {
  const text = async (route: Route, options: Sendable = {}): Promise<string> => {
    const token = config.token ?? (await readToken(config.tokenFile));
    const { response, body } = await send(config.adminUrl, token, route, options);
    if (!response.ok) throw refusal(config.adminUrl, response, body);
    return body;
  };
  const json: AdminClient['json'] = async (field, route, ...[options]) => {
    const answer = parseJson(await text(route, options));
    if (typeof answer === 'object' && answer !== null && field in answer) return answer as never;
    throw notTheAdminApi(config.adminUrl, `a body without ${field}`);
  };
  return { json, text };
}

async function readToken(file: string): Promise<string> {
  let token: string;
  try {
    token = (await readFile(file, 'utf8')).trim();
  } catch (cause) {
    const why =
      (cause as NodeJS.ErrnoException).code === 'ENOENT'
        ? `${file} does not exist; an embedded service creates it at its first start`
        : `${file} cannot be read: ${(cause as NodeJS.ErrnoException).code}`;
    throw new AdminFailure(
      'no-token',
      `no admin token: set ADMIN_TOKEN, or DATA_DIR to the data folder of the service (${why})`,
      { cause },
    );
  }
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  throw new AdminFailure(
    'no-token',
    `${file} does not hold an admin token: set ADMIN_TOKEN, or restart the service without that file`,
  );
}

interface Sendable extends Settings {
  file?: FileBody;
}

async function send(
  adminUrl: string,
  token: string,
  route: Route,
  { timeoutSeconds = 10, ...parts }: Sendable,
): Promise<{ response: Response; body: string }> {
  const { method, path, headers, body = null } = requestOf(route, parts);
  headers.authorization = `Bearer ${token}`;
  if (parts.file !== undefined) headers['content-type'] = parts.file.type;
  try {
    return await within(timeoutSeconds, async (signal) => {
      const response = await fetch(`${adminUrl}${path}`, {
        method,
        headers,
        body: parts.file?.text ?? body,
        // A redirected POST would arrive as a GET.
        redirect: 'manual',
        signal,
      });
      return { response, body: await response.text() };
    });
  } catch (cause) {
    if (!(cause instanceof TimeUp)) {
      throw new AdminFailure('unreachable', unreachable(adminUrl, cause), { cause });
    }
    const message = `the admin API at ${adminUrl} did not answer within ${timeoutSeconds} seconds`;
    throw new AdminFailure('timeout', message, { cause });
  }
}

function unreachable(adminUrl: string, error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const code = (cause as NodeJS.ErrnoException).code;
  const why =
    code === undefined || code === 'ECONNREFUSED'
      ? 'is the service running?'
      : code === 'ENOTFOUND'
        ? 'the host name cannot be resolved'
        : `${code}; is the service running?`;
  return `cannot reach the admin API at ${adminUrl}: ${why} (set ADMIN_URL to point elsewhere)`;
}

function refusal(adminUrl: string, response: Response, body: string): AdminFailure {
  if (response.status === 401) {
    return new AdminFailure(
      'unauthorized',
      `the admin API at ${adminUrl} refused the token: set ADMIN_TOKEN to the token of that service, or DATA_DIR to its data folder`,
    );
  }
  if (response.status >= 300 && response.status < 400) {
    return notTheAdminApi(adminUrl, `a redirect to ${response.headers.get('location') ?? 'nowhere'}`);
  }
  const error = envelope(parseJson(body));
  if (error === undefined) {
    const type = response.headers.get('content-type')?.split(';')[0] ?? 'nothing';
    return notTheAdminApi(adminUrl, `status ${response.status} and ${type}`);
  }
  if (error.code === 'NOT_FOUND' && error.message === errorTable.NOT_FOUND.message) {
    return notTheAdminApi(adminUrl, 'status 404');
  }
  const request = response.status >= 500 && error.requestId ? ` (request id ${error.requestId})` : '';
  return new AdminFailure('refused', `${error.message}${inOneLine(error)}${request}`, error);
}

function notTheAdminApi(adminUrl: string, got: string): AdminFailure {
  return new AdminFailure(
    'not-the-admin-api',
    `${adminUrl} answers with ${got}, so it is not the admin API: set ADMIN_URL to the admin address of the service`,
  );
}

type ErrorFacts = ErrorEnvelope['error'];

function envelope(answer: unknown): ErrorFacts | undefined {
  const error = (answer as { error?: Partial<ErrorFacts> } | undefined | null)?.error;
  return typeof error?.code === 'string' && typeof error.message === 'string'
    ? (error as ErrorFacts)
    : undefined;
}

/** The error details, without those that the message already contains. */
function inOneLine({ code, message, details }: ErrorFacts): string {
  if (details === undefined || details === null) return '';
  if (code === 'VERSION_CONFLICT') return ` ${conflictInOneLine(details as VersionConflict)}`;
  const parts = (Array.isArray(details) ? details : [details])
    .map((detail: { path?: unknown; message?: unknown } | string | null) =>
      typeof detail === 'object' && typeof detail?.message === 'string'
        ? `${detail.path ?? ''} ${detail.message}`.trim()
        : JSON.stringify(detail),
    )
    .filter((part) => !message.includes(part));
  return parts.length === 0 ? '' : ` ${parts.join('; ')}`;
}

/** How many changed fields of a conflict are named. */
const maxNamed = 5;

/** Who changed what, without the values, which can be whole documents. */
function conflictInOneLine({ version, by, at, changes }: VersionConflict): string {
  const named = changes.slice(0, maxNamed).map(({ path }) => path || 'everything');
  const more = changes.length - named.length;
  const what = more > 0 ? `${named.join(', ')} and ${more} more` : named.join(', ');
  return `Version ${version}, by ${by} at ${at}${what === '' ? '' : `, changed ${what}`}.`;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
