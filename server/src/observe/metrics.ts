import { toolOutcomes } from '@session-launch/contract/runtime/lifecycle';
import { type Source, sources } from '@session-launch/contract/session';
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { CacheCounts } from '../store/cache/cache.ts';
import type { LookUpCounts } from '../store/cache/look-ups.ts';
import type { Database } from '../store/database.ts';
import { Counts, Distribution } from './counts.ts';
import { type RuntimeStatus, sampleRuntime } from './runtime-metrics.ts';
import { plain, sample, sampleHistogram } from './sampled-metric.ts';
import type { Traffic } from './traffic.ts';

const durationBounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20];
const attemptBounds = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15];
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
  minted(endpoint: Source, outcome: string, seconds: number): void;
  batchWritten(size: number): void;
  changesWritten(size: number): void;
  /** Counts session events. */
  lifecycle: LifecycleCounts;
  /** Counts attempts to deliver events. */
  webhooks: WebhookCounts;
  /** Counts a call of a tool. */
  toolCalled(outcome: string, seconds: number): void;
}

interface WebhookCounts {
  attempted(outcome: 'delivered' | 'failed', seconds: number): void;
  /** A receiver answered 410 (`gone`), or every attempt of five days failed (`failing`). */
  disabled(reason: string): void;
}

/** Webhooks of all processes. */
interface WebhookQueues {
  outboxSeconds: number;
  enabled: number;
  failing: number;
  disabled: number;
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
  /** `undefined` while the database does not answer. */
  webhookQueues: () => Promise<WebhookQueues | undefined>;
  refusalsDelayed: () => number;
  logLinesDropped: () => number;
  /** The included runtime. */
  runtime: () => RuntimeStatus;
}

/** Metrics of one app. */
export function createMetrics(): Metrics & { watch(parts: MetricSources): void } {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const mints = new Map(
    sources.map((endpoint) => [
      endpoint,
      { outcomes: new Counts<string>(), durations: new Distribution(durationBounds) },
    ]),
  );
  sample(registry, Counter, {
    name: 'session_launch_mints_total',
    help: 'Mint requests by endpoint and outcome',
    labelNames: ['door', 'outcome'],
    read: () =>
      [...mints].flatMap(([endpoint, { outcomes }]) =>
        [...outcomes.entries()].map(([outcome, value]) => ({ labels: { door: endpoint, outcome }, value })),
      ),
  });
  sampleHistogram(registry, {
    name: 'session_launch_mint_duration_seconds',
    help: 'Time from the start of a mint request to its response',
    read: () =>
      [...mints].map(([endpoint, { durations }]) => ({
        labels: { door: endpoint },
        distribution: durations,
      })),
  });
  const batches = new Distribution(batchBounds);
  sampleHistogram(registry, {
    name: 'session_launch_batch_size',
    help: 'Mints that were recorded together in one write',
    read: () => [{ labels: {}, distribution: batches }],
  });
  const changes = new Distribution(batchBounds);
  sampleHistogram(registry, {
    name: 'session_launch_session_change_batch_size',
    help: 'Connects and ends of sessions that were stored together in one write',
    read: () => [{ labels: {}, distribution: changes }],
  });
  const connects = new Counter({
    name: 'session_launch_connects_total',
    help: 'Attempts to begin a session, by outcome',
    labelNames: ['outcome'],
    registers,
  });
  const seconds = new Counter({
    name: 'session_launch_metered_seconds_total',
    help: 'Connected seconds of sessions',
    registers,
  });
  const lost = new Counter({
    name: 'session_launch_sessions_lost_total',
    help: 'Sessions that ended because their runtime stopped reporting',
    registers,
  });
  const attempts = { delivered: new Distribution(attemptBounds), failed: new Distribution(attemptBounds) };
  sampleHistogram(registry, {
    name: 'session_launch_webhook_attempt_seconds',
    help: 'Duration of attempts to deliver an event to a webhook, by outcome',
    read: () =>
      Object.entries(attempts).map(([outcome, distribution]) => ({ labels: { outcome }, distribution })),
  });
  const disabled = new Counter({
    name: 'session_launch_webhooks_disabled_total',
    help: 'Webhooks that were disabled because their receiver answered 410 (gone) or failed for five days (failing)',
    labelNames: ['reason'],
    registers,
  });
  const toolCalls = new Counter({
    name: 'session_launch_tool_calls_total',
    help: 'Calls of tools, by outcome',
    labelNames: ['outcome'],
    registers,
  });
  for (const outcome of toolOutcomes) toolCalls.inc({ outcome }, 0);
  const toolCallDurations = new Distribution(durationBounds);
  sampleHistogram(registry, {
    name: 'session_launch_tool_call_duration_seconds',
    help: 'Time from a call of a tool to its result',
    read: () => [{ labels: {}, distribution: toolCallDurations }],
  });
  return {
    registry,
    webhooks: {
      attempted: (outcome, seconds) => attempts[outcome].add(seconds),
      disabled: (reason) => disabled.inc({ reason }),
    },
    minted: (endpoint, outcome, seconds) => {
      const { outcomes, durations } = mints.get(endpoint)!;
      outcomes.add(outcome);
      durations.add(seconds);
    },
    batchWritten: (size) => batches.add(size),
    changesWritten: (size) => changes.add(size),
    lifecycle: {
      connected: (outcome) => connects.inc({ outcome }),
      metered: (added) => seconds.inc(added),
      lost: (sessions) => lost.inc(sessions),
    },
    toolCalled: (outcome, seconds) => {
      toolCalls.inc({ outcome });
      toolCallDurations.add(seconds);
    },
    watch: (parts) => watch(registry, parts),
  };
}

function watch(registry: Registry, parts: MetricSources): void {
  const { database, caches, traffic, admissions } = parts;
  // Read before the metrics below that need queries, which would be counted here.
  sample(registry, Gauge, {
    name: 'session_launch_database_connections',
    help: 'Database connections by lane and state',
    labelNames: ['lane', 'state'],
    read: () =>
      Object.entries(database.pools()).flatMap(([lane, { total, idle, waiting }]) =>
        Object.entries({ busy: total - idle, idle, waiting }).map(([state, value]) => ({
          labels: { lane, state },
          value,
        })),
      ),
  });
  sample(registry, Gauge, {
    name: 'session_launch_active_sessions',
    help: 'Active sessions of all processes',
    read: async () => plain(await parts.activeSessions()),
  });
  let reading: ReturnType<MetricSources['webhookQueues']> | undefined;
  /** One query for both metrics. */
  const ofWebhooks = () => {
    reading ??= parts.webhookQueues().finally(() => {
      reading = undefined;
    });
    return reading;
  };
  sample(registry, Gauge, {
    name: 'session_launch_webhook_outbox_seconds',
    help: 'Age of the oldest event that no process has queued for its webhooks',
    read: async () => plain((await ofWebhooks())?.outboxSeconds),
  });
  sample(registry, Gauge, {
    name: 'session_launch_webhooks',
    help: 'Webhooks by state: enabled, failing since their last attempt, or disabled',
    labelNames: ['state'],
    read: async () => {
      const { enabled = 0, failing = 0, disabled = 0 } = (await ofWebhooks()) ?? {};
      return Object.entries({ enabled, failing, disabled }).map(([state, value]) => ({
        labels: { state },
        value,
      }));
    },
  });
  sample(registry, Gauge, {
    name: 'session_launch_queue_length',
    help: 'Mints waiting for the next write',
    read: () => plain(parts.queueLength()),
  });
  sample(registry, Counter, {
    name: 'session_launch_cache_lookups_total',
    help: 'Look-ups in memory by cache and result',
    labelNames: ['cache', 'result'],
    read: () =>
      Object.entries(caches).flatMap(([cache, counts]) => [
        { labels: { cache, result: 'hit' }, value: counts.hits },
        { labels: { cache, result: 'miss' }, value: counts.misses },
        ...('refused' in counts ? [{ labels: { cache, result: 'refused' }, value: counts.refused }] : []),
      ]),
  });
  sample(registry, Gauge, {
    name: 'session_launch_free_disk_bytes',
    help: 'Free space on the disk of the embedded engine',
    read: async () => plain(await database.own?.freeBytes?.()),
  });
  sample(registry, Counter, {
    name: 'session_launch_engine_restarts_total',
    help: 'Restarts of the embedded engine because a statement took too long',
    read: () => plain(database.own?.restarts()),
  });
  sample(registry, Counter, {
    name: 'session_launch_requests_total',
    help: 'Answered requests by route and status',
    labelNames: ['route', 'status'],
    read: () =>
      [...traffic.answers].flatMap(([route, statuses]) =>
        [...statuses.entries()].map(([status, value]) => ({
          labels: { route, status: String(status) },
          value,
        })),
      ),
  });
  const admitted = (read: (load: Load) => number) => () =>
    Object.entries(admissions).map(([part, admission]) => ({ labels: { part }, value: read(admission) }));
  sample(registry, Gauge, {
    name: 'session_launch_requests_under_way',
    help: 'Requests in progress, by part',
    labelNames: ['part'],
    read: admitted(({ inFlight }) => inFlight),
  });
  sample(registry, Counter, {
    name: 'session_launch_requests_turned_away_total',
    help: 'Requests refused because too many were in progress, by part',
    labelNames: ['part'],
    read: admitted(({ refused }) => refused),
  });
  sample(registry, Counter, {
    name: 'session_launch_refusals_delayed_total',
    help: 'Refusals of unknown callers that were delayed',
    read: () => plain(parts.refusalsDelayed()),
  });
  sample(registry, Counter, {
    name: 'session_launch_log_lines_dropped_total',
    help: 'Log lines that could not be written',
    read: () => plain(parts.logLinesDropped()),
  });
  sampleRuntime(registry, parts.runtime);
  sample(registry, Gauge, {
    name: 'session_launch_requests_in_flight',
    help: 'Requests in flight',
    read: () => plain(traffic.inFlight()),
  });
  sample(registry, Gauge, {
    name: 'session_launch_open_connections',
    help: 'Open client connections',
    read: async () => plain(await parts.openConnections()),
  });
}
