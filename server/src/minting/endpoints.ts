import type { Source } from '@session-launch/contract/session';
import type { LaunchableExperience } from '../content/experiences.ts';
import type { KeyRing } from '../keys/authenticate.ts';
import { ApiError } from '../primitives/errors.ts';
import type { Call, Visitor } from './call.ts';
import { type MintRequest, readFromBackend, readFromPage } from './mint-request.ts';

/** An authenticated caller: the holder of an API key, or a page identified by its origin. */
export interface Caller {
  livemode: boolean;
  /** The only project that the caller may launch from. Absent: any project. */
  projectId?: string;
  /** The page's origin. */
  origin?: string;
}

/** Which allowlist must contain the page's origin. */
interface Allowlist {
  of: 'project' | 'experience';
  entries: readonly string[];
}

/** How a route records and returns launches. */
export interface LaunchForm {
  source: Source;
  /** Whether rate limits and the quota apply. */
  limited: boolean;
  /** Serialises a launch from the JSON of the session and the manifest. */
  answer(session: () => string, manifest: string): string;
}

/** One of the three mint endpoints of applications. They share the pipeline; this interface holds their differences. */
export interface Endpoint extends LaunchForm {
  path: string;
  /** Authenticates the caller: 401, 403. */
  admit(deps: { keyRing: KeyRing }, visitor: Visitor): Caller | Promise<Caller>;
  read(body: unknown): MintRequest;
  /** Whether an experience is visible on this route. Invisible ones get 404. */
  sees(experience: LaunchableExperience): boolean;
  /** The allowlist to check. Absent: the route does not accept pages. */
  allowlist?(experience: LaunchableExperience): Allowlist;
  /** Whether a page may read responses that are sent before its experience is known. */
  readable?: 'everywhere' | 'where listed';
  /** The scope within which equal Idempotency-Keys are the same key. Absent: the header is ignored. */
  scope?(caller: Caller, experience: LaunchableExperience, call: Call): string[];
  /** HTTP status of a successful launch. */
  status: 200 | 201;
}

export const launchAnswer: LaunchForm['answer'] = (session, manifest) =>
  `{"session":${session()},"launch":${manifest}}`;

const serverEndpoint: Endpoint = {
  path: '/v1/sessions',
  source: 'server',
  admit: ({ keyRing }, { authorization, client }) =>
    keyRing.authenticate(authorization, 'sessions:create', client),
  read: readFromBackend,
  sees: () => true,
  // Scoped to the project, so that a rotated key of the project replays too.
  scope: ({ livemode }, { projectId }) => ['/v1/sessions', projectId, livemode ? 'live' : 'test'],
  limited: false,
  status: 201,
  answer: launchAnswer,
};

/** Identifies a page by its origin. The allowlist is checked later, once the experience is known. */
function admitPage(_deps: unknown, { origin }: Visitor): Caller {
  if (origin === undefined || origin === '') throw new ApiError('ORIGIN_REQUIRED');
  return { livemode: true, origin };
}

const browserEndpoint: Endpoint = {
  path: '/v1/browser-sessions',
  source: 'browser',
  admit: admitPage,
  read: readFromPage,
  sees: () => true,
  allowlist: ({ project }) => ({ of: 'project', entries: project.allowedOrigins }),
  readable: 'everywhere',
  // Includes the client network, so that a guessed key does not return another visitor's token.
  scope: ({ origin = '' }, { projectId }, call) => [
    '/v1/browser-sessions',
    projectId,
    origin,
    call.client.network(),
  ],
  limited: true,
  status: 201,
  answer: launchAnswer,
};

const publicEndpoint: Endpoint = {
  path: '/v1/public-sessions',
  source: 'public',
  admit: admitPage,
  read: readFromPage,
  sees: (experience) => experience.public,
  allowlist: ({ allowedOrigins }) => ({ of: 'experience', entries: allowedOrigins }),
  readable: 'where listed',
  limited: true,
  status: 200,
  answer: (_session, manifest) => manifest,
};

export const endpoints: readonly Endpoint[] = [serverEndpoint, browserEndpoint, publicEndpoint];
