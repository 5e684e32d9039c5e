import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Door } from './sessions/doors.ts';
import type { Database } from './store/database.ts';
import type { RememberedCounts } from './store/remembered.ts';

/** What the parts report while they work. */
export interface Metrics {
  registry: Registry;
  /** One mint: `launched`, `replayed`, or the code of the error it ended with. */
  minted(door: Door, outcome: string, seconds: number): void;
  batchWritten(size: number): void;
}

export interface MetricSources {
  database: Database;
  queueLength: () => number;
  caches: Record<string, RememberedCounts>;
}

/** Metrics of one app. Sources are read when somebody asks for the metrics, never while a request runs. */
export function createMetrics(): Metrics & { watch(sources: MetricSources): void } {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const mints = new Counter({
    name: 'session_launch_mints_total',
    help: 'Mint requests by door and outcome (launched, replayed, or an error code)',
    labelNames: ['door', 'outcome'],
    registers,
  });
  const latency = new Histogram({
    name: 'session_launch_mint_duration_seconds',
    help: 'Time from the start of a mint request to its answer',
    labelNames: ['door'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  });
  const batches = new Histogram({
    name: 'session_launch_batch_size',
    help: 'Mints that were recorded together in one write',
    buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256],
    registers,
  });
  return {
    registry,
    minted: (door, outcome, seconds) => {
      mints.inc({ door: door.source, outcome });
      latency.observe({ door: door.source }, seconds);
    },
    batchWritten: (size) => batches.observe(size),
    watch: (sources) => watch(sources, registers),
  };
}

function watch({ database, queueLength, caches }: MetricSources, registers: Registry[]): void {
  new Gauge({
    name: 'session_launch_queue_length',
    help: 'Mints that wait for the next write',
    registers,
    collect() {
      this.set(queueLength());
    },
  });
  new Gauge({
    name: 'session_launch_cache_lookups',
    help: 'Look-ups in the in-memory caches by cache and result',
    labelNames: ['cache', 'result'],
    registers,
    collect() {
      for (const [cache, { hits, misses }] of Object.entries(caches)) {
        this.set({ cache, result: 'hit' }, hits);
        this.set({ cache, result: 'miss' }, misses);
      }
    },
  });
  new Gauge({
    name: 'session_launch_database_connections',
    help: 'Connections of the everyday pool by state; waiting counts requests without one',
    labelNames: ['state'],
    registers,
    collect() {
      const { total, idle, waiting } = database.pool();
      this.set({ state: 'busy' }, total - idle);
      this.set({ state: 'idle' }, idle);
      this.set({ state: 'waiting' }, waiting);
    },
  });
}
