import type { Source } from '@session-launch/contract/session';
import type { Database } from '../store/database.ts';
import { isCollision, isOutage } from '../store/database-errors.ts';
import { bucketCount, bucketOf } from './durations.ts';
import { type Durations, maxCauses, maxNamed, otherOrigins, type Tally } from './tally.ts';
import { addDurations, addTallies } from './tally-rows.ts';

/** Longer Origin headers are cut. */
const maxOriginLength = 256;
/** Maximum counters in memory. Further combinations are not counted until the next flush. */
const maxTallies = 20_000;

/** What the rows of a project in the current minute name. */
interface Named {
  /** The combinations that are counted with their origin. */
  origins: Set<string>;
  /** Those that are counted with their experience only. */
  causes: Set<string>;
}

/** The counters of a project since the last flush: by endpoint, code, experience and origin. */
interface ProjectTallies {
  durations: Durations;
  byEndpoint: Map<Source, Map<string, Map<string, Map<string, Tally>>>>;
}

/**
 * Counts mints in memory, by project, minute, endpoint, code, experience and origin. `flush` adds the counters to the database, where those of
 * all processes add up. A crash loses the counts since the last flush.
 */
export class Tallies {
  readonly #database: Database;
  #minute = 0;
  #projects = new Map<string, ProjectTallies>();
  /** By project. */
  #named = new Map<string, Named>();
  #tallies: Tally[] = [];
  #durations: Durations[] = [];
  #flushing: Promise<void> | undefined;

  constructor(database: Database) {
    this.#database = database;
  }

  count(
    endpoint: Source,
    code: string,
    { id, projectId }: { id: string; projectId: string },
    origin: string,
    seconds: number,
  ): void {
    const now = Date.now();
    const minute = now - (now % 60_000);
    if (minute !== this.#minute) this.#start(minute);
    const project = this.#projects.get(projectId) ?? this.#addProject(projectId);
    const isLaunch = code === 'launched' || code === 'replayed';
    // Nothing reads the origins and the experiences of launches and replays.
    const [experienceId, sent] = isLaunch ? ['', ''] : [id, origin];
    const tally =
      project.byEndpoint.get(endpoint)?.get(code)?.get(experienceId)?.get(sent) ??
      this.#add(project, { projectId, minute, endpoint, code, experienceId, origin: sent });
    if (tally !== undefined) {
      tally.count++;
      tally.lastAt = now;
    }
    if (isLaunch) project.durations.counts[bucketOf(seconds)]!++;
  }

  /** Adds all counters to the database. Those of a flush that fails during an outage or through a deadlock are kept for the next one. */
  async flush(): Promise<void> {
    while (this.#flushing !== undefined) await this.#flushing.catch(() => undefined);
    this.#flushing = this.#write().finally(() => {
      this.#flushing = undefined;
    });
    await this.#flushing;
  }

  async #write(): Promise<void> {
    const tallies = this.#tallies;
    const durations = this.#durations;
    this.#tallies = [];
    this.#durations = [];
    this.#projects = new Map();
    try {
      await addTallies(this.#database, tallies);
    } catch (error) {
      if (mayRepeat(error)) {
        this.#tallies.unshift(...tallies);
        this.#durations.unshift(...durations.slice(-maxTallies));
      }
      throw error;
    }
    try {
      await addDurations(this.#database, durations);
    } catch (error) {
      if (mayRepeat(error)) this.#durations.unshift(...durations.slice(-maxTallies));
      throw error;
    }
  }

  #start(minute: number): void {
    this.#minute = minute;
    this.#projects = new Map();
    this.#named = new Map();
  }

  #addProject(projectId: string): ProjectTallies {
    const durations = { projectId, minute: this.#minute, counts: new Uint32Array(bucketCount) };
    const project = { durations, byEndpoint: new Map() };
    this.#projects.set(projectId, project);
    this.#durations.push(durations);
    return project;
  }

  #add(project: ProjectTallies, wanted: Omit<Tally, 'count' | 'lastAt'>): Tally | undefined {
    const named = this.#bounded(wanted);
    const byCode = child(project.byEndpoint, named.endpoint);
    const byOrigin = child(child(byCode, named.code), named.experienceId);
    const known = byOrigin.get(named.origin);
    if (known !== undefined || this.#tallies.length >= maxTallies) return known;
    const tally = { ...named, count: 0, lastAt: 0 };
    byOrigin.set(named.origin, tally);
    this.#tallies.push(tally);
    return tally;
  }

  /** Replaces the origin, and then the experience, of a combination beyond the limits of its project. */
  #bounded(wanted: Omit<Tally, 'count' | 'lastAt'>): Omit<Tally, 'count' | 'lastAt'> {
    const { projectId, endpoint, code, experienceId, origin } = wanted;
    if (experienceId === '') return wanted;
    let named = this.#named.get(projectId);
    if (named === undefined) {
      named = { origins: new Set(), causes: new Set() };
      this.#named.set(projectId, named);
    }
    const cause = `${endpoint} ${code} ${experienceId}`;
    if (origin !== '') {
      const cut = origin.slice(0, maxOriginLength);
      if (fits(named.origins, `${cause} ${cut}`, maxNamed)) return { ...wanted, origin: cut };
    }
    const other = { ...wanted, origin: origin === '' ? '' : otherOrigins };
    return fits(named.causes, cause, maxCauses) ? other : { ...other, experienceId: '' };
  }
}

/** Adds a combination unless the set is full. Returns whether the set has it. */
function fits(set: Set<string>, combination: string, most: number): boolean {
  if (set.size >= most && !set.has(combination)) return false;
  set.add(combination);
  return true;
}

function mayRepeat(error: unknown): boolean {
  return isOutage(error) || isCollision(error);
}

function child<Key, InnerKey, Value>(map: Map<Key, Map<InnerKey, Value>>, key: Key): Map<InnerKey, Value> {
  let inner = map.get(key);
  if (inner === undefined) {
    inner = new Map();
    map.set(key, inner);
  }
  return inner;
}
