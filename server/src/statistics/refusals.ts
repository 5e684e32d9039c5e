import type { Fix, Refusal } from '@session-launch/contract/admin/overview';
import { allows, nearMiss, normaliseEntry } from '../origins/origin.ts';
import type { ExperienceState, ProjectState } from './project-state.ts';
import { otherOrigins } from './tally.ts';
import type { RefusalCount } from './tally-rows.ts';

/** What to do about a refusal. */
type Advice = Pick<Refusal, 'hint' | 'fix'>;

interface Refused {
  count: RefusalCount;
  project: ProjectState;
  /** Absent if it has been deleted. */
  experience: ExperienceState | undefined;
}

/** The limit in the details of a rate limit refusal, which `Tallies` counts as part of the code. */
const rateLimits = { client: 'mintsPerMinutePerClient', project: 'mintsPerMinute' } as const;

/** A refusal for the overview, with what helps now: settings that have been changed since are not suggested. */
export function refusalOf(
  count: RefusalCount,
  project: ProjectState,
  experience: ExperienceState | undefined,
): Refusal {
  const [code, detail] = count.code.split('.') as [string, string | undefined];
  return {
    code,
    door: count.endpoint,
    ...(count.origin === '' ? {} : { origin: count.origin }),
    ...(count.experienceId === '' ? {} : { experienceId: count.experienceId }),
    count: count.count,
    lastAt: count.lastAt.toISOString(),
    ...adviceOn(code, detail, { count, project, experience }),
  };
}

function adviceOn(code: string, detail: string | undefined, refused: Refused): Advice {
  const { project, experience } = refused;
  if (experience === undefined && refused.count.experienceId !== '')
    return { hint: 'The experience has been deleted since.' };
  switch (code) {
    case 'BROWSER_EMBEDS_DISABLED':
      if (project.browserEmbeds) return { hint: 'Browser embeds have been switched on since.' };
      return {
        hint: 'Browser embeds are switched off for this project, so pages cannot mint sessions.',
        fix: { kind: 'enable-embeds', projectId: project.projectId },
      };
    case 'RATE_LIMITED':
      return adviceOnLimit(project, rateLimits[detail as keyof typeof rateLimits]);
    case 'QUOTA_EXCEEDED':
      if (project.limits.sessionsPerDay !== null && project.used < project.limits.sessionsPerDay)
        return { hint: 'The daily quota is not used up at the moment.' };
      return adviceOnLimit(project, 'sessionsPerDay');
  }
  if (hints[code] !== undefined) return { hint: hints[code] };
  if (experience === undefined) return { hint: 'Requests for other experiences than those in this list.' };
  const experienceId = experience.id;
  switch (code) {
    case 'ORIGIN_NOT_ALLOWED':
      return adviceOnOrigin(refused, experience);
    case 'EXPERIENCE_NOT_PUBLISHED':
      if (experience.status === 'published') return { hint: 'The experience has been published since.' };
      return {
        hint: 'The experience is not published. Only test keys can launch drafts.',
        fix: { kind: 'publish', experienceId },
      };
    case 'EXPERIENCE_NOT_FOUND':
      return adviceOnHidden(refused, experience);
    case 'SECONDARY_LOCALE_REQUIRED':
      if (!experience.languages.dual || experience.languages.paired !== 'match')
        return { hint: 'The experience no longer needs secondaryLocale.' };
      return {
        hint: 'The experience lets the request choose the paired language. Send secondaryLocale, or fix the paired language.',
        fix: { kind: 'open-languages', experienceId },
      };
    default:
      return {};
  }
}

const hints: Record<string, string> = {
  IDEMPOTENCY_CONFLICT:
    'The application sent one Idempotency-Key with different bodies. Use a new key for each launch.',
  IDEMPOTENCY_IN_PROGRESS:
    'The application repeated a request before the first one was answered. Retry after a second.',
  UNAVAILABLE: 'The service was overloaded, or the database did not answer. See the logs of the service.',
  INTERNAL: 'An internal error occurred. See the logs of the service.',
};

function adviceOnOrigin({ count, project }: Refused, experience: ExperienceState): Advice {
  const isPublic = count.endpoint === 'public';
  const whose = isPublic ? 'experience' : 'project';
  const entries = isPublic ? experience.allowedOrigins : project.allowedOrigins;
  if (count.origin === otherOrigins) return { hint: `The ${whose} does not allow these origins.` };
  if (allows(entries, count.origin)) return { hint: 'This origin has been allowed since.' };
  const normalised = normaliseEntry(count.origin);
  if ('problem' in normalised || normalised.entry !== count.origin) {
    const problem = 'problem' in normalised ? `: ${normalised.problem}` : '';
    return { hint: `This origin cannot be allowed${problem}.` };
  }
  const near = nearMiss(entries, count.origin);
  const fix: Fix = isPublic
    ? { kind: 'allow-origin', origin: count.origin, experienceId: experience.id }
    : { kind: 'allow-origin', origin: count.origin, projectId: project.projectId };
  return { hint: `The ${whose} does not allow this origin.${near === undefined ? '' : ` ${near}`}`, fix };
}

/** Archived experiences, and at the public endpoint those that are not public, are answered as if they did not exist. */
function adviceOnHidden({ count }: Refused, { id, status, public: isPublic }: ExperienceState): Advice {
  if (status === 'archived')
    return { hint: 'The experience is archived.', fix: { kind: 'publish', experienceId: id } };
  if (count.endpoint === 'public' && !isPublic)
    return { hint: 'The experience is not public.', fix: { kind: 'make-public', experienceId: id } };
  return { hint: 'The experience can be launched now.' };
}

function adviceOnLimit(
  { projectId, limits }: ProjectState,
  limit: keyof ProjectState['limits'] | undefined,
): Advice {
  const value = limit && limits[limit];
  if (limit === undefined || value === undefined) return {};
  if (value === null) return { hint: `The limit ${limit} has been removed since.` };
  const fix: Fix = { kind: 'raise-limit', projectId, limit, value };
  return { hint: `The limit ${limit} of the project, ${value}, was reached.`, fix };
}
