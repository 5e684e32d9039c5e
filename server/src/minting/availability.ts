import { type Availability, pageEndpoints, unavailableCodes } from '@session-launch/contract/availability';
import type { LaunchableExperience } from '../content/experiences.ts';
import { quotaDay, secondsUntilTomorrow } from '../limits/quota.ts';
import { ApiError } from '../primitives/errors.ts';
import { refusals } from '../sessions/lifecycle.ts';
import type { Database, Statement } from '../store/database.ts';
import type { Visitor } from './call.ts';
import { type Endpoint, endpoints } from './endpoints.ts';
import { findLaunchable, type MintDeps } from './mint.ts';

export interface AvailabilityDeps extends MintDeps {
  database: Database;
}

export const readUse: Statement = {
  name: 'read_use',
  text: `SELECT coalesce((SELECT d.used FROM daily_sessions d WHERE d.project_id = $1 AND d.day = $2::date), 0) AS used,
                coalesce((SELECT c.active FROM active_counts c WHERE c.project_id = $1), 0) AS active,
                CASE WHEN $3::text IS NULL THEN 0
                     ELSE (SELECT count(*) FROM active_sessions a WHERE a.project_id = $1 AND a.client = $3)::integer
                 END AS "activeOfClient"`,
};

/**
 * Whether a session of this experience could start from this page now: the checks of a mint that do not depend on its body, in their order, and
 * those of connecting. Counts and stores nothing.
 */
export async function availability(
  deps: AvailabilityDeps,
  endpoint: Endpoint,
  visitor: Visitor,
  experienceId: string,
): Promise<Availability> {
  try {
    const caller = await endpoint.admit(deps, visitor);
    const experience = await findLaunchable(deps, endpoint, visitor, caller, experienceId);
    await deps.rates.check(experience.projectId, experience.project.limits, visitor.client.network());
    if (experience.status !== 'published') throw new ApiError('EXPERIENCE_NOT_PUBLISHED');
    deps.transports.require(experience.revision.runtime.transport);
    await requireFreeSlot(deps.database, experience, visitor.client.network());
    return { available: true };
  } catch (error) {
    const code = error instanceof ApiError ? unavailableCodes.find((one) => one === error.code) : undefined;
    if (code === undefined) throw error;
    const { message, headers } = error as ApiError;
    const seconds = headers['Retry-After'];
    return {
      available: false,
      code,
      message,
      ...(seconds === undefined ? {} : { retryAfter: Number(seconds) }),
    };
  }
}

/** What a visitor of a page at this origin would get now at each endpoint, from a network that has no sessions. */
export async function availabilityAt(
  deps: AvailabilityDeps,
  experienceId: string,
  origin: string,
): Promise<Record<(typeof pageEndpoints)[number], Availability>> {
  const visitor: Visitor = {
    authorization: undefined,
    origin,
    client: { network: () => '' },
    onFound: () => {},
    onExperience: () => {},
  };
  const ask = (name: (typeof pageEndpoints)[number]) =>
    availability(deps, endpointOf(name), visitor, experienceId);
  const [browser, ofPublic] = await Promise.all(pageEndpoints.map(ask));
  return { browser: browser!, public: ofPublic! };
}

export function endpointOf(name: (typeof pageEndpoints)[number]): Endpoint {
  return endpoints.find(({ source }) => source === name)!;
}

/** Throws if the quota of the day or a limit of concurrent sessions is used up. */
async function requireFreeSlot(
  database: Database,
  { projectId, project }: LaunchableExperience,
  network: string,
): Promise<void> {
  const { sessionsPerDay, concurrentSessions, concurrentSessionsPerClient } = project.limits;
  if (sessionsPerDay === null && concurrentSessions === null && concurrentSessionsPerClient === null) return;
  const at = new Date();
  const [use] = await database.query<{ used: number; active: number; activeOfClient: number }>(
    'everyday',
    readUse,
    [projectId, quotaDay(at), concurrentSessionsPerClient === null ? null : network],
  );
  const { used, active, activeOfClient } = use!;
  if (sessionsPerDay !== null && used >= sessionsPerDay)
    throw new ApiError('QUOTA_EXCEEDED', { headers: { 'Retry-After': String(secondsUntilTomorrow(at)) } });
  if (concurrentSessions !== null && active >= concurrentSessions) throw refusals.limit();
  if (concurrentSessionsPerClient !== null && activeOfClient >= concurrentSessionsPerClient)
    throw refusals.client_limit();
}
