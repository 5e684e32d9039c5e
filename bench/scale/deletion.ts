import { setTimeout as sleep } from 'node:timers/promises';
import { onDatabase } from '@session-launch/testing/postgres-server.ts';
import { measure } from '../contestant.ts';
import type { Environment } from '../environment.ts';
import type { Measured } from '../load.ts';
import { type Entry, interleaved, type Pace, ratios } from '../rounds.ts';
import { median } from '../statistics.ts';
import { type Beside, besideMints } from '../steady-half.ts';
import { type Request, serverMint } from '../world.ts';
import { idAt, months, retentionDays } from './fill.ts';
import { dropMonth } from './partitions.ts';

/** A filled database and a service that mints into it. */
export interface Side {
  url: string;
  mint: Request;
  /** Of the service. */
  pid: number;
}

export async function startSide(environment: Environment, url: string, apiKey: string): Promise<Side> {
  const service = await environment.onPostgres(url, { env: { RUNTIME: 'off' } });
  return { url, mint: serverMint(service.url, apiKey), pid: service.pid };
}

/** Milliseconds for which a process deletes before it is measured. */
const warmUpMs = 10_000;

/** Maximum milliseconds until a process that was resumed deletes: longer than the interval between two rounds of its retention. */
const firstDeletionMs = 15_000;

export interface Deletion extends Beside {
  /** Sessions deleted per second by one process, at its own pace, beside the mints. */
  perSecond: number;
}

/** A second process of the service, which deletes old sessions at its own pace except while it is paused. */
interface Retention {
  /** Resolves at the next deletion, or after a while if nothing is left to delete. */
  resume(): Promise<void>;
  /** Returns how many sessions per second were deleted since `resume`. */
  pause(): Promise<number>;
  stop(): Promise<void>;
}

/**
 * Starts a second process of the service that deletes, and pauses it after its first deletions. A paused process is suspended by a signal, so
 * that its start and the compilation of its code are no part of a measurement.
 */
async function startRetention(environment: Environment, url: string): Promise<Retention> {
  const wait = (ms: number) => sleep(ms, undefined, { signal: environment.signal });
  const service = await environment.onPostgres(url, {
    env: { RUNTIME: 'off', SESSION_RETENTION_DAYS: String(retentionDays) },
  });
  const suspend = () => process.kill(service.pid, 'SIGSTOP');
  const wake = () => process.kill(service.pid, 'SIGCONT');
  let [began, first] = [0, 0];
  const resume = async () => {
    const before = await deletedSessions(url);
    wake();
    const latest = performance.now() + firstDeletionMs;
    while ((await deletedSessions(url)) === before && performance.now() < latest) await wait(200);
    [began, first] = [performance.now(), await deletedSessions(url)];
  };
  const pause = async () => {
    const seconds = (performance.now() - began) / 1000;
    const count = (await deletedSessions(url)) - first;
    suspend();
    return count / seconds;
  };
  const stop = async () => {
    wake();
    await service.stop();
  };
  try {
    await resume();
    await wait(warmUpMs);
    await pause();
  } catch (error) {
    // A suspended process would not end at the end of the run.
    wake();
    throw error;
  }
  return { resume, pause, stop };
}

/** Mints beside the retention of a second process. */
export async function besideRetention(
  environment: Environment,
  { url, mint }: Side,
  pace: Pace,
): Promise<Deletion> {
  const rates: number[] = [];
  const retention = await startRetention(environment, url);
  try {
    const start = async () => {
      await retention.resume();
      return { stop: async () => rates.push(await retention.pause()) };
    };
    const result = await besideMints(environment, mint, pace, { name: 'deletion', start });
    return { ...result, perSecond: median(rates) };
  } finally {
    await retention.stop();
  }
}

export interface Drops extends Beside {
  /** Milliseconds that each drop took. */
  dropMs: number[];
}

/** Mints beside the drop of a partition. Each round drops a month, and the newest one stays. */
export async function besideDrops(environment: Environment, { url, mint }: Side, pace: Pace): Promise<Drops> {
  const dropMs: number[] = [];
  const start = async () => {
    // In the middle of the measurement.
    const dropped = sleep((pace.seconds * 1000) / 2, undefined, { signal: environment.signal }).then(() =>
      dropMonth(url, dropMs.length),
    );
    return { stop: async () => dropMs.push(await dropped) };
  };
  const rounds = Math.min(pace.rounds, months - 1);
  const result = await besideMints(environment, mint, { ...pace, rounds }, { name: 'drop', start });
  return { ...result, dropMs };
}

/** Mints at their maximum into both tables: the ratios partitioned/plain of throughput and CPU time of all processes. */
export async function compareTables(
  environment: Environment,
  plain: Side,
  partitioned: Side,
  pace: Pace,
): Promise<{ perSecond: number[]; cpu: number[] }> {
  const entry = (contestant: string, { mint, pid }: Side): Entry => ({
    contestant,
    scenario: 'server mint',
    request: mint,
    pids: [pid, environment.postgresPid],
  });
  const entries = [entry('plain', plain), entry('partitioned', partitioned)];
  const [one, other] = await interleaved(environment, entries, {
    ...pace,
    seconds: Math.min(pace.seconds, 5),
  });
  return { perSecond: ratios(other!, one!, 'perSecond'), cpu: ratios(other!, one!, 'cpu') };
}

export interface WholeDeletion {
  /** Sessions deleted, in `seconds`. */
  sessions: number;
  seconds: number;
  /** Mints at half of the maximum rate: in pauses of the deletion, beside it, and while autovacuum worked on the table. */
  without: Measured[];
  beside: Measured[];
  besideVacuum: Measured[];
  /** Milliseconds from the last deletion until autovacuum was done; NaN if too few sessions were deleted for it to start. */
  vacuumMs: number;
}

/** Measurements beside the deletion between two pauses, in each of which one measurement is made without it. */
const betweenPauses = 8;

/**
 * Mints at `rate` while a second process deletes all remaining old sessions at its own pace, and until autovacuum is done. The deletion pauses
 * regularly, because the machine can become faster or slower while it takes place.
 */
export async function besideWholeDeletion(
  environment: Environment,
  { url, mint }: Side,
  { seconds, connections }: Pace,
  rate: number,
): Promise<WholeDeletion> {
  const { progress, signal } = environment;
  const [due, start, { count }] = [
    await dueSessions(url),
    await deletedSessions(url),
    await vacuumState(url),
  ];
  const done: WholeDeletion = {
    sessions: 0,
    seconds: 0,
    without: [],
    beside: [],
    besideVacuum: [],
    vacuumMs: Number.NaN,
  };
  let state = await vacuumState(url);
  /** Measures mints once. A measurement during which autovacuum ran does not count as one without another load. */
  const mintOnce = async (into: Measured[]) => {
    const measured = await measure({ ...mint, connections, seconds, rate }, signal);
    const before = state;
    state = await vacuumState(url);
    const isBesideVacuum = before.running || state.running;
    if (isBesideVacuum) done.besideVacuum.push(measured);
    if (!isBesideVacuum || into === done.beside) into.push(measured);
    if (into === done.beside) done.sessions = (await deletedSessions(url)) - start;
    const other = [into === done.beside ? 'deletion' : '', isBesideVacuum ? 'vacuum' : '']
      .filter(Boolean)
      .join(' and ');
    const load = other === '' ? 'without deletion' : `beside ${other}`;
    progress(
      `deleted ${done.sessions} of ${due} sessions; p99 of mints ${load}: ${measured.p99.toFixed(1)} ms`,
    );
  };
  const retention = await startRetention(environment, url);
  try {
    while (done.sessions < due) {
      await mintOnce(done.without);
      await retention.resume();
      const began = performance.now();
      for (let n = 0; n < betweenPauses && done.sessions < due; n++) await mintOnce(done.beside);
      done.seconds += (performance.now() - began) / 1000;
      await retention.pause();
    }
  } finally {
    await retention.stop();
  }
  const last = performance.now();
  progress('waiting for autovacuum');
  for (;;) {
    if (state.running) await mintOnce(done.besideVacuum);
    else if (!state.due) break;
    else {
      await sleep(500, undefined, { signal });
      state = await vacuumState(url);
    }
  }
  return { ...done, vacuumMs: state.count > count ? performance.now() - last : Number.NaN };
}

interface VacuumState {
  /** Finished autovacuums. */
  count: number;
  running: boolean;
  /** Whether enough rows are dead for autovacuum to start, by its default thresholds. */
  due: boolean;
}

async function vacuumState(url: string): Promise<VacuumState> {
  return onDatabase(url, async (client) => {
    const { rows } = await client.query<VacuumState>(
      `SELECT t.autovacuum_count::integer AS count, t.n_dead_tup > 50 + 0.2 * c.reltuples AS due,
              EXISTS (SELECT FROM pg_stat_progress_vacuum v WHERE v.relid = t.relid) AS running
         FROM pg_stat_user_tables t JOIN pg_class c ON c.oid = t.relid WHERE t.relname = 'sessions'`,
    );
    return rows[0]!;
  });
}

interface Queries {
  query<Row extends object>(text: string, values?: unknown[]): Promise<{ rows: Row[] }>;
}

/** Deletes with the function of the service, in large batches without pauses. */
export async function deleteAll(client: Queries, before: number): Promise<void> {
  let after = '';
  do {
    const { rows } = await client.query<{ looked_at: number; last_id: string }>(
      `SELECT looked_at, last_id FROM delete_old_sessions($1, ${idAt('$2::bigint')}, to_timestamp($2::bigint / 1000.0), 5000)`,
      [after, before],
    );
    after = rows[0]!.looked_at < 5_000 ? '' : rows[0]!.last_id;
  } while (after !== '');
}

/** Sessions deleted since the table was created. Counting the stored ones would take seconds of a core. */
async function deletedSessions(url: string): Promise<number> {
  return onDatabase(url, async (client) => {
    const { rows } = await client.query<{ count: number }>(
      `SELECT n_tup_del::float8 AS count FROM pg_stat_user_tables WHERE relname = 'sessions'`,
    );
    return rows[0]!.count;
  });
}

async function dueSessions(url: string): Promise<number> {
  return onDatabase(url, async (client) => {
    const { rows } = await client.query<{ count: number }>(
      `SELECT count(*)::integer AS count FROM sessions WHERE id < ${idAt('$1::bigint')}`,
      [Date.now() - retentionDays * 86_400_000],
    );
    return rows[0]!.count;
  });
}
