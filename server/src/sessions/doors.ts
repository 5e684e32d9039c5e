import type { Source } from '@session-launch/contract/session';
import { ApiError } from '../errors.ts';
import type { LaunchableExperience } from '../experiences/store.ts';
import type { KeyRing } from '../keys/authenticate.ts';
import type { Call } from './call.ts';
import { type MintRequest, readFromBackend, readFromPage } from './mint-request.ts';

/** Whom a door has let in: the holder of a key, or a page at an origin. */
export interface Caller {
  livemode: boolean;
  /** The only project that it may launch from. Absent: any. */
  projectId?: string;
  /** Of a page. */
  origin?: string;
}

/** Whose allowlist a page's origin has to be on. */
interface Allowlist {
  of: 'project' | 'experience';
  entries: readonly string[];
}

/** One of the three ways in. They share the pipeline and differ in what stands here. */
export interface Door {
  path: string;
  source: Source;
  /** Who is calling: 401, 403. */
  admit(deps: { keyRing: KeyRing }, call: Call): Caller | Promise<Caller>;
  read(body: unknown): MintRequest;
  /** Experiences that it does not see do not exist for its callers. */
  sees(experience: LaunchableExperience): boolean;
  /** Where a page's origin has to stand. Absent: pages are not let in at all. */
  allowlist?(experience: LaunchableExperience): Allowlist;
  /** Whether a page may read what is answered before its experience is known. */
  readable?: 'everywhere' | 'where listed';
  /** Where an Idempotency-Key counts as the same. Absent: the header has no effect. */
  scope?(caller: Caller, experience: LaunchableExperience, call: Call): string[];
  /** Whether rate limits and quota count its mints. */
  limited: boolean;
  /** The status of a launch. */
  status: 200 | 201;
  /** How a launch is written, from the JSON of its two parts. */
  answer(session: () => string, manifest: string): string;
}

const launchAnswer: Door['answer'] = (session, manifest) => `{"session":${session()},"launch":${manifest}}`;

const serverDoor: Door = {
  path: '/v1/sessions',
  source: 'server',
  admit: ({ keyRing }, call) => keyRing.authenticate(call.authorization, 'sessions:create', call.client),
  read: readFromBackend,
  sees: () => true,
  // A rotated key of the project replays, too.
  scope: ({ livemode }, { projectId }) => ['/v1/sessions', projectId, livemode ? 'live' : 'test'],
  limited: false,
  status: 201,
  answer: launchAnswer,
};

/** A page is told from others by its origin; whether it is listed shows once the experience is known. */
function admitPage(_deps: unknown, { origin }: Call): Caller {
  if (origin === undefined || origin === '') throw new ApiError('ORIGIN_REQUIRED');
  return { livemode: true, origin };
}

const browserDoor: Door = {
  path: '/v1/browser-sessions',
  source: 'browser',
  admit: admitPage,
  read: readFromPage,
  sees: () => true,
  allowlist: ({ project }) => ({ of: 'project', entries: project.allowedOrigins }),
  readable: 'everywhere',
  // A guessed key must not fetch the token of another visitor of the same page.
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

const publicDoor: Door = {
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

export const doors: readonly Door[] = [serverDoor, browserDoor, publicDoor];
