import type { PgliteClient } from './pglite-client.ts';

export interface MaintenanceLog {
  info(fields: { statement: string; ms: number }, message: string): void;
}

interface MaintenanceDeps {
  client: PgliteClient;
  log: MaintenanceLog;
  /** While held, no checkpoint is made: a backup copies the files. */
  checkpoints?: { held: boolean };
}

/** Bytes of write-ahead log after which a checkpoint is made. Bounds recovery time and the log's size on disk. */
const maxLogBytes = 48 * 1024 * 1024;

/** Inserted rows after which a table is vacuumed. A pass reads new pages only, so frequent passes keep pauses short. */
const maxNewRows = 50_000;

/** Transaction age at which rows are frozen; at about two billion PostgreSQL would stop accepting writes. */
const maxTransactions = 10_000_000;

/** Dead rows after which a table is vacuumed: idempotency claims are deleted after a day, sessions by retention. */
const maxDeadRows = 10_000;

/**
 * Selects the table that needs vacuuming most. Index clean-up is limited to tables from which rows are deleted, because it takes longer
 * the larger a table is; updated rows elsewhere are pruned by PostgreSQL itself.
 */
const dueForVacuum = `
  SELECT due.* FROM (
    SELECT c.oid::regclass::text AS name, age(c.relfrozenxid) AS transactions, s.n_ins_since_vacuum AS new,
           s.n_tup_del > 0 AND s.n_dead_tup > greatest(${maxDeadRows}, s.n_live_tup / 5) AS has_dead
      FROM pg_class c LEFT JOIN pg_stat_all_tables s ON s.relid = c.oid
     WHERE c.relkind IN ('r', 'm')) AS due
   WHERE has_dead OR new > ${maxNewRows} OR transactions > ${maxTransactions}
   ORDER BY has_dead DESC NULLS LAST, new DESC NULLS LAST, transactions DESC LIMIT 1`;

/** Pages after which a table gets its first statistics: some thousand rows of most tables. */
const minPages = 64;

/**
 * Selects the tables whose statistics are missing or old. The counters of changes are lost when the engine does not close properly, so
 * the growth of the file counts as well.
 */
const dueForAnalyze = `
  SELECT due.name FROM (
    SELECT c.oid::regclass::text AS name, c.relpages, pg_relation_size(c.oid) / 8192 AS pages,
           coalesce(s.n_mod_since_analyze > greatest(2000, s.n_live_tup / 5), false) AS is_changed,
           EXISTS (SELECT FROM pg_statistic t WHERE t.starelid = c.oid) AS has_statistics
      FROM pg_class c LEFT JOIN pg_stat_all_tables s ON s.relid = c.oid
     WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace) AS due
   WHERE is_changed OR pages >= ${minPages} AND (NOT has_statistics OR pages > relpages * 3 / 2)`;

const logBytes = `
  SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), redo_lsn)::double precision AS bytes
    FROM pg_control_checkpoint()`;

/**
 * Maintenance that a PostgreSQL server does in the background and PGlite does not: analyze, vacuum, freeze and checkpoint. Other statements
 * wait while one of these runs, so each call vacuums one table.
 */
export async function maintain(deps: MaintenanceDeps): Promise<void> {
  const { client, checkpoints } = deps;
  await analyze(deps);
  const [table] = (await client.query<{ name: string; has_dead: boolean | null }>(dueForVacuum)).rows;
  // Vacuum before the checkpoint: after a checkpoint, the first change of each page writes the full page to the log.
  if (table !== undefined) {
    await run(deps, `VACUUM (FREEZE, INDEX_CLEANUP ${table.has_dead ? 'ON' : 'OFF'}) ${table.name}`);
  }
  const [log] = (await client.query<{ bytes: number }>(logBytes)).rows;
  if ((log?.bytes ?? 0) > maxLogBytes && !checkpoints?.held) await run(deps, 'CHECKPOINT');
}

/** Updates the statistics of the planner where they are missing or old, with one statement per table. */
export async function analyze(deps: MaintenanceDeps): Promise<void> {
  // Flushes the counters first; otherwise changes of the last second are not counted yet.
  await deps.client.query('SELECT pg_stat_force_next_flush()');
  const { rows } = await deps.client.query<{ name: string }>(dueForAnalyze);
  for (const { name } of rows) await run(deps, `ANALYZE ${name}`);
}

async function run({ client, log }: MaintenanceDeps, statement: string): Promise<void> {
  const start = performance.now();
  await client.query(statement, [], { mayTakeLong: true });
  log.info({ statement, ms: Math.round(performance.now() - start) }, 'maintained the embedded engine');
}
