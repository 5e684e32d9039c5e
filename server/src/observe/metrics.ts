import { type Source, sources } from '@session-launch/contract/session';
import { collectDefaultMetrics, Registry } from 'prom-client';
import type { CacheCounts } from '../store/cache/cache.ts';
import type { LookUpCounts } from '../store/cache/look-ups.ts';
import type { Database } from '../store/database.ts';
import { Counter, Histogram } from './counters.ts';
import { type RuntimeStatus, showRuntime } from './runtime-metrics.ts';
import { type Sample, show } from './sampled-metric.ts';
import type { Traffic } from './traffic.ts';

const durationBounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20];
const batchBounds = [1, 2, 4, 8, 16, 32, 64, 128, 256];

/** Counters of session events. */
export interface LifecycleCounts {
  /** By outcome: `active`, or the code of the refusal. */
  connected(outcome: string): void;
  metered(seconds: number): void;
  lost(sessions: number): void;
}

/** Counters that the parts of the service update while they work. */
export interface Metrics {
  registry: Registry;
  /** Counts a mint by outcome: `launched`, `replayed` or the error code. */
  minted(door: Source, outcome: string, seconds: number): void;
  batchWritten(size: number): void;
  /** Counts session events. */
  lifecycle: LifecycleCounts;
}

/** Requests in flight in a part of the API, and the number rejected for overload. */
export interface Load {
  readonly inFlight: number;
  readonly refused: number;
}

/** Values that are read when metrics are collected, never during a request. */
export interface MetricSources {
  database: Pick<Database, 'pools' | 'own'>;
  queueLength: () => number;
  caches: Record<string, CacheCounts | LookUpCounts>;
  /** Traffic of the public listener. */
  traffic: Traffic;
  openConnections: () => Promise<number>;
  admissions: Record<string, Load>;
  /** Active sessions of all processes; `undefined` while the database does not answer. */
  activeSessions: () => Promise<number | undefined>;
  refusalsDelayed: () => number;
  logLinesDropped: () => number;
  /** The included runtime. */
  runtime: () => RuntimeStatus;
}

/**
 * Metrics of one app. Requests only increment plain numbers: a labelled counter or histogram of prom-client costs ten times as much, even
 * with pre-bound labels.
 */
export function createMetrics(): Metrics & { watch(parts: MetricSources): void } {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const mints = new Map(
    sources.map((source) => [
      source,
      { outcomes: new Counter<string>(), durations: new Histogram(durationBounds) },
    ]),
  );
  const batches = new Histogram(batchBounds);
  const connects = new Counter<string>();
  const totals = { seconds: 0, lost: 0 };

  show(registry, 'counter', 'session_launch_mints_total', 'Mint requests by door and outcome', () =>
    [...mints].flatMap(([door, { outcomes }]) =>
      [...outcomes.entries()].map(([outcome, value]) => ({ labels: { door, outcome }, value })),
    ),
  );
  const duration = 'session_launch_mint_duration_seconds';
  show(registry, 'histogram', duration, 'Time from the start of a mint request to its response', () =>
    [...mints].flatMap(([door, { durations }]) => buckets(duration, { door }, durations)),
  );
  const size = 'session_launch_batch_size';
  show(registry, 'histogram', size, 'Mints recorded in one write', () => buckets(size, {}, batches));
  show(registry, 'counter', 'session_launch_connects_total', 'Attempts to begin a session, by outcome', () =>
    [...connects.entries()].map(([outcome, value]) => ({ labels: { outcome }, value })),
  );
  show(registry, 'counter', 'session_launch_metered_seconds_total', 'Connected seconds of sessions', () => [
    { labels: {}, value: totals.seconds },
  ]);
  show(
    registry,
    'counter',
    'session_launch_sessions_lost_total',
    'Sessions that ended because their runtime stopped reporting',
    () => [{ labels: {}, value: totals.lost }],
  );
  return {
    registry,
    minted: (door, outcome, seconds) => {
      const { outcomes, durations } = mints.get(door)!;
      outcomes.add(outcome);
      durations.add(seconds);
    },
    batchWritten: (size) => batches.add(size),
    lifecycle: {
      connected: (outcome) => connects.add(outcome),
      metered: (seconds) => {
        totals.seconds += seconds;
      },
      lost: (sessions) => {
        totals.lost += sessions;
      },
    },
    watch: (parts) => watch(registry, parts),
  };
}

function watch(registry: Registry, parts: MetricSources): void {
  const { database, queueLength, caches, traffic, openConnections, admissions } = parts;
  show(registry, 'gauge', 'session_launch_active_sessions', 'Active sessions of all processes', async () => {
    const active = await parts.activeSessions();
    return active === undefined ? [] : [{ labels: {}, value: active }];
  });
  show(registry, 'gauge', 'session_launch_queue_length', 'Mints waiting for the next write', () => [
    { labels: {}, value: queueLength() },
  ]);
  show(
    registry,
    'counter',
    'session_launch_cache_lookups_total',
    'Look-ups in memory by cache and result',
    () =>
      Object.entries(caches).flatMap(([cache, counts]) => [
        { labels: { cache, result: 'hit' }, value: counts.hits },
        { labels: { cache, result: 'miss' }, value: counts.misses },
        ...('refused' in counts ? [{ labels: { cache, result: 'refused' }, value: counts.refused }] : []),
      ]),
  );
  show(
    registry,
    'gauge',
    'session_launch_database_connections',
    'Database connections by lane and state',
    () =>
      Object.entries(database.pools()).flatMap(([lane, { total, idle, waiting }]) =>
        Object.entries({ busy: total - idle, idle, waiting }).map(([state, value]) => ({
          labels: { lane, state },
          value,
        })),
      ),
  );
  show(
    registry,
    'gauge',
    'session_launch_free_disk_bytes',
    'Free space on the disk of the embedded engine',
    async () => {
      const free = await database.own?.freeBytes?.();
      return free === undefined ? [] : [{ labels: {}, value: free }];
    },
  );
  show(registry, 'counter', 'session_launch_requests_total', 'Answered requests by route and status', () =>
    [...traffic.answers].flatMap(([route, statuses]) =>
      [...statuses.entries()].map(([status, value]) => ({
        labels: { route, status: String(status) },
        value,
      })),
    ),
  );
  const admitted = (read: (load: Load) => number) => () =>
    Object.entries(admissions).map(([part, admission]) => ({ labels: { part }, value: read(admission) }));
  show(
    registry,
    'gauge',
    'session_launch_requests_under_way',
    'Requests in progress, by part',
    admitted(({ inFlight }) => inFlight),
  );
  show(
    registry,
    'counter',
    'session_launch_requests_turned_away_total',
    'Requests refused because too many were in progress, by part',
    admitted(({ refused }) => refused),
  );
  show(
    registry,
    'counter',
    'session_launch_refusals_delayed_total',
    'Refusals of unknown callers that were delayed',
    () => [{ labels: {}, value: parts.refusalsDelayed() }],
  );
  show(
    registry,
    'counter',
    'session_launch_log_lines_dropped_total',
    'Log lines that could not be written',
    () => [{ labels: {}, value: parts.logLinesDropped() }],
  );
  showRuntime(registry, parts.runtime);
  show(registry, 'gauge', 'session_launch_requests_in_flight', 'Requests in flight', () => [
    { labels: {}, value: traffic.inFlight() },
  ]);
  show(registry, 'gauge', 'session_launch_open_connections', 'Open client connections', async () => [
    { labels: {}, value: await openConnections() },
  ]);
}

function buckets(name: string, labels: Record<string, string>, spread: Histogram): Sample[] {
  const counts = spread.cumulated();
  return [
    ...counts.map((value, i) => ({
      metricName: `${name}_bucket`,
      labels: { ...labels, le: String(spread.bounds[i] ?? '+Inf') },
      value,
    })),
    { metricName: `${name}_sum`, labels, value: spread.sum },
    { metricName: `${name}_count`, labels, value: counts.at(-1) ?? 0 },
  ];
}
