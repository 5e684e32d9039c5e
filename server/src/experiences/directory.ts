import { LRUCache } from 'lru-cache';
import { isId } from '../ids.ts';
import type { Changes } from '../store/changes.ts';
import type { Database } from '../store/database.ts';
import { Remembered, type RememberedCounts } from '../store/remembered.ts';
import type { Revision } from './revision.ts';
import { allowedAnywhere, findLaunchable, findRevision, type LaunchableExperience } from './store.ts';

/** Experiences and allowlists as mints read them: from memory, at most five seconds behind the database. */
export interface Directory {
  experience(experienceId: string): LaunchableExperience | null | Promise<LaunchableExperience | null>;
  revision(projectId: string, experienceId: string, number: number): Promise<Revision>;
  /** Every origin entry of every experience. */
  everyOrigin(): Set<string> | Promise<Set<string>>;
  readonly counts: Record<'experiences' | 'origins' | 'revisions', RememberedCounts>;
}

export function openDirectory(database: Database, changes: Changes): Directory {
  const experiences = new Remembered(10_000, (id) => findLaunchable(database.orm, id));
  const origins = new Remembered(1, () => allowedAnywhere(database.orm));
  // Revisions never change, so they need no freshness.
  const revisions = new LRUCache<string, Revision>({ max: 2_000 });
  const revisionCounts = { hits: 0, misses: 0 };
  changes.onChange((change) => {
    if (change?.kind === 'key') return;
    experiences.forget(change && ((found) => found === null || found.projectId === change.id));
    origins.forget();
  });
  return {
    counts: { experiences: experiences.counts, origins: origins.counts, revisions: revisionCounts },
    experience: (id) => (isId('exp', id) ? experiences.get(id) : null),
    everyOrigin: () => origins.get('all'),
    revision: async (projectId, experienceId, number) => {
      const key = `${experienceId} ${number}`;
      const known = revisions.get(key);
      if (known !== undefined) {
        revisionCounts.hits++;
        return known;
      }
      revisionCounts.misses++;
      const found = await findRevision(database.orm, projectId, experienceId, number);
      if (found === undefined) throw new Error(`revision ${number} of ${experienceId} is missing`);
      revisions.set(key, found);
      return found;
    },
  };
}
