import type { Answer } from './attempt.ts';
import type { CatalogEntry, ServerMintRequest, Session, SessionLaunchResponse } from './contract.ts';
import { InvalidRequestError, ServiceError } from './errors.ts';
import { requestIdOf } from './refusal.ts';
import { hideToken } from './secrets.ts';
import { type RequestOptions, send } from './send.ts';
import { readOptions, type SessionLaunchOptions, type Settings } from './settings.ts';

export type Minted = SessionLaunchResponse & {
  /** True if an earlier request with the same idempotency key minted this launch. */
  replayed: boolean;
  requestId: string;
};

export interface Catalog {
  /** Sorted by `sortOrder`, then by id. Empty if `notModified`. */
  experiences: CatalogEntry[];
  /** Pass it to the next call, which then returns `notModified` if the catalog is unchanged. */
  etag: string;
  /** True if the catalog still matches the `etag` that was passed. */
  notModified: boolean;
}

export interface Sessions {
  /** Mints a session. Retries use the same idempotency key, so the session is minted once. */
  mint(request: ServerMintRequest, options?: RequestOptions): Promise<Minted>;
  get(sessionId: string, options?: RequestOptions): Promise<Session>;
  /** Ends a session. Idempotent: ending an ended session changes nothing. */
  end(sessionId: string, options?: RequestOptions): Promise<Session>;
}

export interface Experiences {
  list(projectId: string, options?: RequestOptions & { etag?: string }): Promise<Catalog>;
  bySlug(projectId: string, slug: string, options?: RequestOptions): Promise<CatalogEntry>;
}

/** Gives the relay access to the settings of its client. */
export let settingsOf: (client: SessionLaunch) => Settings;

/** A client of the service for backends. */
export class SessionLaunch {
  readonly sessions: Sessions;
  readonly experiences: Experiences;
  readonly #settings: Settings;

  static {
    settingsOf = (client) => client.#settings;
  }

  constructor(options: SessionLaunchOptions) {
    if ('document' in globalThis)
      throw new Error(
        'SessionLaunch is for backends: in a page, every visitor could read the API key. Launch through a relay, or with @session-launch/browser.',
      );
    const settings = readOptions(options);
    this.#settings = settings;
    this.sessions = {
      mint: (request, options) => mint(settings, request, options),
      get: async (sessionId, options) => {
        const path = `/v1/sessions/${segment('sessionId', sessionId)}`;
        return json(await send(settings, 'sessions.get', { method: 'GET', path }, options));
      },
      end: async (sessionId, options) => {
        const path = `/v1/sessions/${segment('sessionId', sessionId)}/end`;
        return json(await send(settings, 'sessions.end', { method: 'POST', path }, options));
      },
    };
    this.experiences = {
      list: (projectId, options) => list(settings, projectId, options),
      bySlug: async (projectId, slug, options) => {
        const path = `${catalogPath(projectId)}/${segment('slug', slug)}`;
        return json(await send(settings, 'experiences.bySlug', { method: 'GET', path }, options));
      },
    };
  }
}

async function mint(
  settings: Settings,
  request: ServerMintRequest,
  options: RequestOptions = {},
): Promise<Minted> {
  const key = options.idempotencyKey ?? crypto.randomUUID();
  // The service validates the key, too, but fetch throws for characters that a header cannot contain.
  if (!/^[\x20-\x7e]{1,256}$/.test(key))
    throw new InvalidRequestError('idempotencyKey must be 1 to 256 printable ASCII characters.', {
      code: 'IDEMPOTENCY_KEY_INVALID',
      retryable: false,
      attempts: 0,
    });
  const call = {
    method: 'POST',
    path: '/v1/sessions',
    headers: { 'Idempotency-Key': key },
    body: JSON.stringify(request),
  } as const;
  const answer = await send(settings, 'sessions.mint', call, options);
  const { session, launch } = json<SessionLaunchResponse>(answer);
  if (typeof launch?.sessionToken !== 'string') throw notTheService(answer);
  return {
    session,
    launch: hideToken(launch),
    replayed: answer.headers.get('Idempotent-Replayed') === 'true',
    requestId: requestIdOf(answer) ?? '',
  };
}

async function list(
  settings: Settings,
  projectId: string,
  { etag, ...options }: RequestOptions & { etag?: string } = {},
): Promise<Catalog> {
  const headers: Record<string, string> = etag === undefined ? {} : { 'If-None-Match': etag };
  const call = { method: 'GET', path: catalogPath(projectId), headers } as const;
  const answer = await send(settings, 'experiences.list', call, options);
  const notModified = answer.status === 304;
  const { experiences } = notModified ? { experiences: [] } : json<{ experiences: CatalogEntry[] }>(answer);
  if (!Array.isArray(experiences)) throw notTheService(answer);
  return { experiences, etag: answer.headers.get('ETag') ?? etag ?? '', notModified };
}

function catalogPath(projectId: string): string {
  return `/v1/projects/${segment('projectId', projectId)}/experiences`;
}

/** Encodes an id as one path segment. */
function segment(name: string, value: string): string {
  // URL parsing resolves `.` and `..` even if the dots are percent-encoded.
  if (typeof value !== 'string' || /^\.{0,2}$/.test(value)) throw new TypeError(`${name} must be an id`);
  return encodeURIComponent(value);
}

type Answered = Answer & { attempts: number };

function json<T>(answer: Answered): T {
  try {
    const value = JSON.parse(answer.text);
    if (typeof value === 'object' && value !== null) return value;
  } catch {}
  throw notTheService(answer);
}

function notTheService({ status, attempts }: Answered): ServiceError {
  return new ServiceError('The response is not from the service. Does baseUrl point to it?', {
    code: 'INVALID_ANSWER',
    status,
    retryable: false,
    attempts,
  });
}
