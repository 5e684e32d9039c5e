import type { Source } from '@session-launch/contract/session';
import type { Database } from '../store/database.ts';
import { isCollision, isOutage } from '../store/database-errors.ts';
import { bucketCount, bucketOf } from './durations.ts';
import { type Durations, maxNamed, otherOrigins, type Tally } from './tally.ts';
import { addDurations, addTallies } from './tally-rows.ts';

/** Longer Origin headers are cut. */
const maxOriginLength = 256;
/** Maximum counters in memory. Further combinations are not counted until the next flush. */
const maxTallies = 20_000;

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
  /** The combinations of each project that are counted with their origin in the current minute. */
  #named = new Map<string, Set<string>>();
  #tallies: Tally[] = [];
  #durations: Durations[] = [];
  #flushing: Promise<void> | undefined;

  constructor(database: Database) {
    this.#database = database;
  }

  count(
    endpoint: Source,
    code: string,
    { id: experienceId, projectId }: { id: string; projectId: string },
    origin: string,
    seconds: number,
  ): void {
    const now = Date.now();
    const minute = now - (now % 60_000);
    if (minute !== this.#minute) this.#start(minute);
    const project = this.#projects.get(projectId) ?? this.#addProject(projectId);
    const isLaunch = code === 'launched' || code === 'replayed';
    // Nothing reads the origins of launches and replays.
    const sent = isLaunch ? '' : origin;
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
    const { endpoint, code, experienceId } = wanted;
    const origin = this.#countedOrigin(wanted);
    const byCode = child(project.byEndpoint, endpoint);
    const byOrigin = child(child(byCode, code), experienceId);
    const known = byOrigin.get(origin);
    if (known !== undefined || this.#tallies.length >= maxTallies) return known;
    const tally = { ...wanted, origin, count: 0, lastAt: 0 };
    byOrigin.set(origin, tally);
    this.#tallies.push(tally);
    return tally;
  }

  #countedOrigin({
    projectId,
    endpoint,
    code,
    experienceId,
    origin,
  }: Omit<Tally, 'count' | 'lastAt'>): string {
    if (origin === '') return origin;
    const cut = origin.slice(0, maxOriginLength);
    const combination = `${endpoint} ${code} ${experienceId} ${cut}`;
    const named = this.#named.get(projectId) ?? new Set<string>();
    this.#named.set(projectId, named);
    if (named.size >= maxNamed && !named.has(combination)) return otherOrigins;
    named.add(combination);
    return cut;
  }
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
