import { onDatabase } from '@session-launch/testing/postgres-server.ts';
import { measureOverhead } from '../conversation/overhead.ts';
import type { Environment } from '../environment.ts';
import { machine } from '../report.ts';
import type { Pace } from '../rounds.ts';
import { median } from '../statistics.ts';
import { provision } from '../world.ts';
import { measureCosts } from './costs.ts';
import {
  besideDrops,
  besideRetention,
  besideWholeDeletion,
  compareTables,
  type Deletion,
  type Drops,
  type Side,
  startSide,
  type WholeDeletion,
} from './deletion.ts';
import type { ScaleFigures } from './figures.ts';
import { fillPlain, keepPattern, monthsOf, settle } from './fill.ts';
import { measureLevelling } from './levelling.ts';
import { fillPartitioned } from './partitions.ts';

/** Clients of the measurement of the runtime. */
const people = 200;

export interface ScaleReport {
  sessions: number;
  pace: Pace;
  figures: ScaleFigures;
  fillSeconds: { plain: number; partitioned: number };
  deletion: Deletion;
  whole: WholeDeletion;
  drops: Drops;
  tables: { perSecond: number[]; cpu: number[] };
  /** Bytes before the first cycle of deletion and new sessions, and after each one. */
  sizes: number[];
}

export async function measureScale(
  environment: Environment,
  pace: Pace,
  sessions: number,
): Promise<ScaleReport> {
  const costs = await measureCosts(environment, { ...pace, seconds: Math.min(pace.seconds, 5) });
  const [, core, memory] = await measureOverhead(environment, 1, 5, Math.min(pace.seconds, 10));
  const plain = await filled(environment, 'plain', sessions);
  const sizes = await storedBytes(plain.side.url, sessions);
  const partitioned = await filled(environment, 'partitioned', sessions);
  const tables = await compareTables(environment, plain.side, partitioned.side, pace);
  const deletion = await besideRetention(environment, plain.side, pace);
  const drops = await besideDrops(environment, partitioned.side, pace);
  const whole = await besideWholeDeletion(environment, plain.side, pace, deletion.rate);
  return {
    sessions,
    pace,
    figures: {
      date: new Date().toISOString().slice(0, 10),
      machine: machine(),
      sessions,
      ...costs,
      ...sizes,
      coresPerConversation: median(core!.rounds) / 100 / people,
      bytesPerConversation: (median(memory!.rounds) * 2 ** 20) / people,
    },
    fillSeconds: { plain: plain.seconds, partitioned: partitioned.seconds },
    deletion,
    whole,
    drops,
    tables,
    sizes: await measureLevelling(
      environment,
      Math.min(Math.max(20_000, Math.floor(sessions / 10)), 400_000),
    ),
  };
}

async function filled(
  environment: Environment,
  kind: 'plain' | 'partitioned',
  sessions: number,
): Promise<{ side: Side; seconds: number }> {
  const url = await environment.database(kind);
  const first = await environment.onPostgres(url, { env: { RUNTIME: 'off' } });
  const { apiKey } = await provision(first);
  await first.stop();
  const [now, began] = [Date.now(), performance.now()];
  await keepPattern(url, now);
  const progress = (text: string) => environment.progress(`${kind}: ${text}`);
  const slices = monthsOf(sessions, now);
  if (kind === 'plain') await onDatabase(url, (client) => fillPlain(client, slices, progress));
  else await fillPartitioned(url, slices, progress);
  await settle(url);
  const seconds = (performance.now() - began) / 1000;
  return { side: await startSide(environment, url, apiKey), seconds };
}

/** Sizes per stored session, and per row of a usage that is filled for this purpose. */
async function storedBytes(
  url: string,
  sessions: number,
): Promise<Pick<ScaleFigures, 'tableBytesPerSession' | 'indexBytesPerSession' | 'bytesPerUsageRow'>> {
  return onDatabase(url, async (client) => {
    const { rows } = await client.query<{ table: number; indexes: number }>(
      `SELECT pg_table_size('sessions')::float8 AS table, pg_indexes_size('sessions')::float8 AS indexes`,
    );
    await client.query(
      `INSERT INTO usage_days SELECT 'prj_bench', date '2000-01-01' + i / 100, 'exp_bench_' || i % 100, 1, 1
         FROM generate_series(0, 9999) i`,
    );
    const usage = await client.query<{ bytes: number }>(
      `SELECT pg_total_relation_size('usage_days')::float8 / count(*) AS bytes FROM usage_days`,
    );
    await client.query(`DELETE FROM usage_days WHERE day < date '2001-01-01'`);
    return {
      tableBytesPerSession: rows[0]!.table / sessions,
      indexBytesPerSession: rows[0]!.indexes / sessions,
      bytesPerUsageRow: usage.rows[0]!.bytes,
    };
  });
}
