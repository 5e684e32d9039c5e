import { setTimeout as sleep } from 'node:timers/promises';
import { onDatabase } from '@session-launch/testing/postgres-server.ts';
import type { Environment } from '../environment.ts';
import { provision } from '../world.ts';
import { deleteAll } from './deletion.ts';
import { fillPlain, insertSlice, keepPattern, monthsOf, settle } from './fill.ts';

/** A month is deleted and another one is inserted this many times. */
const cycles = 16;

/** Bytes of the table and its indexes: at first, and after each cycle of deletion, autovacuum and new sessions. */
export async function measureLevelling(environment: Environment, sessions: number): Promise<number[]> {
  const { progress, signal } = environment;
  const url = await environment.database('levelling');
  const service = await environment.onPostgres(url, { env: { RUNTIME: 'off' } });
  await provision(service);
  await service.stop();
  const now = Date.now();
  // The roll-up is past all sessions, also those of the cycles.
  await keepPattern(url, now + 365 * 86_400_000);
  const slices = monthsOf(sessions, now);
  await onDatabase(url, (client) => fillPlain(client, slices, progress));
  await settle(url);
  return onDatabase(url, async (client) => {
    const read = async <T>(sql: string) => (await client.query<{ value: T }>(sql)).rows[0]!.value;
    const size = () => read<number>(`SELECT pg_total_relation_size('sessions')::float8 AS value`);
    const [month, span] = [slices[0]!.count, slices[0]!.to - slices[0]!.from];
    const isDue = () =>
      read<boolean>(
        `SELECT t.n_dead_tup > 50 + 0.2 * c.reltuples OR EXISTS (SELECT FROM pg_stat_progress_vacuum v WHERE v.relid = t.relid) AS value
           FROM pg_stat_user_tables t JOIN pg_class c ON c.oid = t.relid WHERE t.relname = 'sessions'`,
      );
    // Autovacuum looks every second instead of every minute; its thresholds and its pace are the defaults.
    await client.query(`ALTER SYSTEM SET autovacuum_naptime = '1s'`);
    await client.query('SELECT pg_reload_conf()');
    const sizes = [await size()];
    for (let cycle = 0; cycle < cycles; cycle++) {
      progress(`cycle ${cycle + 1}/${cycles}: deleting a month, autovacuum, storing a month`);
      await deleteAll(client, slices[0]!.to + cycle * span);
      // The counters of this connection would otherwise arrive up to a second later.
      await client.query('SELECT pg_stat_force_next_flush()');
      while (await isDue()) await sleep(200, undefined, { signal });
      const from = now + cycle * span;
      await insertSlice(client, 'sessions', {
        first: sessions + cycle * month,
        count: month,
        from,
        to: from + span,
      });
      sizes.push(await size());
    }
    await client.query('ALTER SYSTEM RESET autovacuum_naptime');
    await client.query('SELECT pg_reload_conf()');
    return sizes;
  });
}
