import { LRUCache } from 'lru-cache';
import type { Revision } from '../documents/revision.ts';
import type { Pace } from '../limits/pace.ts';
import { entriesCovering } from '../origins/origin.ts';
import { isId } from '../primitives/ids.ts';
import type { CacheCounts } from '../store/cache/cache.ts';
import { type LookUpClient, LookUps } from '../store/cache/look-ups.ts';
import { type Changes, isOfProjects } from '../store/changes.ts';
import type { Database } from '../store/database.ts';
import { StoreUnavailable } from '../store/database-errors.ts';
import { findExperiences, findListing, findRevision, type LaunchableExperience } from './experiences.ts';

/** Maximum characters of JSON of all cached experiences, and of all cached revisions. A single one has up to 4 MiB. */
const maxExperienceCharacters = 64 * 1024 * 1024;
const maxRevisionCharacters = 32 * 1024 * 1024;

/** Caches experiences and allowlists for mints; at most five seconds behind the database. */
export interface Directory {
  experience(
    experienceId: string,
    client?: LookUpClient,
  ): LaunchableExperience | null | Promise<LaunchableExperience | null>;
  revision(projectId: string, experienceId: string, number: number): Promise<Revision>;
  /** Whether an origin is on the allowlist of any experience. A negative answer is delayed by the pace of its client network. */
  isListedAnywhere(origin: string, client: LookUpClient): Promise<boolean>;
  readonly counts: Record<'experiences' | 'origins' | 'revisions', CacheCounts>;
}

export function openDirectory(database: Database, changes: Changes, pace: Pace): Directory {
  const experiences = new LookUps(10_000, (ids) => findExperiences(database, ids), {
    maxSize: maxExperienceCharacters,
    sizeOf: ({ size }) => size,
  });
  const origins = new LookUps<string>(10_000, (names, before) => findListing(database, names, before));
  // Revisions are immutable, so cached ones never expire. They are cleared by a change without a version: something may have been deleted.
  const revisions = new LRUCache<string, Revision>({ max: 2_000, maxSize: maxRevisionCharacters });
  const revisionCounts = { hits: 0, misses: 0 };
  changes.onChange((change) => {
    if (!isOfProjects(change)) return;
    experiences.forget(change && (({ projectId }) => projectId === change.projectId));
    origins.forget();
    if (change?.version === undefined) revisions.clear();
  });
  return {
    counts: { experiences: experiences.counts, origins: origins.counts, revisions: revisionCounts },
    experience: (id, client) => (isId('exp', id) ? experiences.get(id, client) : null),
    isListedAnywhere: async (origin, client) => {
      try {
        const isListed = entriesCovering(origin).length > 0 && (await origins.get(origin, client)) !== null;
        if (!isListed) await pace.delay(client.network());
        return isListed;
      } catch (error) {
        // A preflight is answered even if the look-up was refused, but at the same pace.
        if (error instanceof StoreUnavailable && error.isNetworkLimit) await pace.delay(client.network());
        throw error;
      }
    },
    revision: async (projectId, experienceId, number) => {
      const key = `${experienceId} ${number}`;
      const known = revisions.get(key);
      if (known !== undefined) {
        revisionCounts.hits++;
        return known;
      }
      revisionCounts.misses++;
      const found = await findRevision(database, projectId, experienceId, number);
      if (found === undefined) throw new Error(`revision ${number} of ${experienceId} is missing`);
      revisions.set(key, found.revision, { size: found.size });
      return found.revision;
    },
  };
}
