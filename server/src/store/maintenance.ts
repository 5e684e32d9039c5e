import type { Logger } from 'pino';
import type { PgliteClient } from './pglite-client.ts';

export interface MaintenanceDeps {
  client: PgliteClient;
  log: Logger;
}

/** What recovery has to read after a crash, and so about what the log takes on the disk. */
const mostLogBytes = 48 * 1024 * 1024;

/** Rows that were added since the last time. Each pass looks at new pages only, so many small ones make short pauses. */
const mostNewRows = 50_000;

/** Of some two thousand million, after which PostgreSQL would take no more writes. */
const mostTransactions = 10_000_000;

/** Claims are removed after a day, sessions when the operator says so; until then their room is nobody's. */
const mostDeadRows = 10_000;

/**
 * The table that needs it most. Indexes are cleaned up only where rows are removed: that takes the longer the larger a table
 * is. Rows that were changed in other tables make room by themselves.
 */
const dueForVacuum = `
  SELECT due.* FROM (
    SELECT c.oid::regclass::text AS name, age(c.relfrozenxid) AS transactions, s.n_ins_since_vacuum AS new,
           s.n_tup_del > 0 AND s.n_dead_tup > greatest(${mostDeadRows}, s.n_live_tup / 5) AS has_dead
      FROM pg_class c LEFT JOIN pg_stat_all_tables s ON s.relid = c.oid
     WHERE c.relkind IN ('r', 'm')) AS due
   WHERE has_dead OR new > ${mostNewRows} OR transactions > ${mostTransactions}
   ORDER BY has_dead DESC NULLS LAST, new DESC NULLS LAST, transactions DESC LIMIT 1`;

const logBytes = `
  SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), redo_lsn)::double precision AS bytes
    FROM pg_control_checkpoint()`;

/**
 * What a PostgreSQL server does by itself and one inside a process does not: it cleans up, marks old rows as old for good, and
 * lets go of its log. Everything else waits meanwhile, so it is one table at a time.
 */
export async function maintain(deps: MaintenanceDeps): Promise<void> {
  const { client } = deps;
  // Else what the last second has changed is not counted yet.
  await client.query('SELECT pg_stat_force_next_flush()');
  const [table] = (await client.query<{ name: string; has_dead: boolean | null }>(dueForVacuum)).rows;
  // Before the checkpoint: afterwards each page that is touched would be logged whole.
  if (table !== undefined) {
    await run(deps, `VACUUM (FREEZE, INDEX_CLEANUP ${table.has_dead ? 'ON' : 'OFF'}) ${table.name}`);
  }
  const [log] = (await client.query<{ bytes: number }>(logBytes)).rows;
  if ((log?.bytes ?? 0) > mostLogBytes) await run(deps, 'CHECKPOINT');
}

async function run({ client, log }: MaintenanceDeps, statement: string): Promise<void> {
  const start = performance.now();
  await client.query(statement, [], { patient: true });
  log.info({ statement, ms: Math.round(performance.now() - start) }, 'looked after the embedded engine');
}
