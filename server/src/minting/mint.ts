import type { Directory } from '../content/directory.ts';
import type { LaunchableExperience } from '../content/experiences.ts';
import type { KeyRing } from '../keys/authenticate.ts';
import { type Budget, rateLimitHeaders } from '../limits/headers.ts';
import type { RateLimits } from '../limits/rate.ts';
import { allows, nearMiss } from '../origins/origin.ts';
import { ApiError } from '../primitives/errors.ts';
import type { Claim } from '../recording/statement.ts';
import type { Call, Visitor } from './call.ts';
import { type DraftDeps, draftSession } from './draft.ts';
import type { Caller, Endpoint } from './endpoints.ts';
import { fingerprint } from './fingerprint.ts';
import { idempotencyHash, readIdempotencyKey } from './idempotency-key.ts';
import type { Launched, LaunchRecorder } from './launch-recorder.ts';

export interface MintDeps extends DraftDeps {
  keyRing: KeyRing;
  directory: Directory;
  rates: RateLimits;
  launchRecorder: LaunchRecorder;
  /** Whether the request comes from a page of this service, which may always launch the demo. */
  isOwnPage(projectId: string, origin: string): boolean;
}

export interface Answer {
  replayed: boolean;
  body: string;
  headers: Record<string, string>;
}

/** The pipeline of every mint. The contract defines the order of checks: the first failure is the response. */
export async function mint(deps: MintDeps, endpoint: Endpoint, call: Call): Promise<Answer> {
  let caller = await endpoint.admit(deps, call); // 401, 403
  const key = endpoint.scope && readIdempotencyKey(call.rawHeaders); // 400
  const body = await call.body(); // 415, 413, 400
  if (call.wasSlow()) caller = await endpoint.admit(deps, call); // The key may have been revoked in the meantime.
  const request = endpoint.read(body); // 400
  const experience = await findLaunchable(deps, endpoint, call, caller, request.experienceId); // 404, 403
  const budgets = endpoint.limited ? await spend(deps, call, experience) : []; // 429
  const draft = draftSession(deps, endpoint, call, caller, request, experience); // 404, 400, unless it is a replay
  const claim = key === undefined ? undefined : claimOf(endpoint.scope!(caller, experience, call), key, body);
  const launched = await deps.launchRecorder.record(draft, claim, budgets); // 409, 429, or a replay
  return answer(endpoint, launched, budgets);
}

/** Returns the requested experience if this caller may launch it on this route; otherwise throws 403 or 404. */
export async function findLaunchable(
  deps: MintDeps,
  endpoint: Endpoint,
  visitor: Visitor,
  caller: Caller,
  experienceId: string,
): Promise<LaunchableExperience> {
  const experience = await deps.directory.experience(experienceId, visitor.client);
  if (experience === null) throw new ApiError('EXPERIENCE_NOT_FOUND');
  if (caller.projectId !== undefined && experience.projectId !== caller.projectId)
    throw new ApiError('EXPERIENCE_FORBIDDEN');
  visitor.onFound(experience);
  if (experience.status === 'archived' || !endpoint.sees(experience))
    throw new ApiError('EXPERIENCE_NOT_FOUND');
  visitor.onExperience(experience);
  if (endpoint.allowlist)
    requireListed(deps, endpoint.allowlist(experience), experience, caller.origin ?? '');
  return experience;
}

function requireListed(
  { isOwnPage }: MintDeps,
  { of, entries }: ReturnType<NonNullable<Endpoint['allowlist']>>,
  { project, projectId }: LaunchableExperience,
  origin: string,
): void {
  const sent = { origin: origin.slice(0, 512) };
  if (!project.browserEmbeds) throw new ApiError('BROWSER_EMBEDS_DISABLED', { details: sent });
  if (allows(entries, origin) || (of === 'project' && isOwnPage(projectId, origin))) return;
  const hint = nearMiss(entries, origin);
  throw new ApiError('ORIGIN_NOT_ALLOWED', {
    message: `This origin is not on the allowlist of the ${of}. Add it to allowedOrigins and apply the project file.`,
    details: { ...sent, ...(hint === undefined ? {} : { hint }) },
  });
}

function spend(
  { rates }: MintDeps,
  call: Call,
  { projectId, project }: LaunchableExperience,
): Promise<Budget[]> {
  return rates.spend(projectId, project.limits, call.client.network());
}

function claimOf(scope: string[], key: string, body: unknown): Claim {
  return { hash: idempotencyHash(scope, key), fingerprint: fingerprint(body) };
}

function answer(endpoint: Endpoint, { body, replayed, day }: Launched, budgets: Budget[]): Answer {
  return {
    replayed,
    body,
    headers: {
      ...(endpoint.limited ? rateLimitHeaders(day === undefined ? budgets : [...budgets, day]) : {}),
      ...(replayed ? { 'Idempotent-Replayed': 'true' } : {}),
    },
  };
}
