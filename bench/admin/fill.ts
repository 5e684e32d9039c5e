import { fillPlain, idAt, insertSlice, monthsOf, type SqlClient } from '../scale/fill.ts';

const hour = 3_600_000;
/** Combinations of endpoint, result, experience and origin that a busy project counts in a minute, half of them refusals of invented origins. */
const combinations = 300;
const auditEntries = 100_000;
/** Sessions above the watermark: those of five minutes, at 100 mints a second. */
const recent = 30_000;
/** Sessions in uncounted_sessions, as many as conversations that began over five minutes ago. */
const entered = 50_000;

/**
 * Stores sessions of four months, which end now, and what years of operation leave beside them. The sessions count as rolled up, with the usage
 * and the counts that they have, except recent ones and those in uncounted_sessions, which stay so for an hour. One session must have been
 * minted.
 */
export async function fillAdmin(
  client: SqlClient,
  sessions: number,
  progress: (text: string) => void,
): Promise<void> {
  const now = Date.now();
  const { rows } = await client.query<{ id: string }>(`SELECT ${idAt('$1::bigint')} AS id`, [now]);
  const below = rows[0]!.id;
  await client.query('CREATE TABLE minted AS SELECT * FROM sessions LIMIT 1');
  await client.query(
    `INSERT INTO usage_progress (below, next, revisions_below) VALUES ($1, $1, $1)
     ON CONFLICT (is_only) DO UPDATE SET below = $1, next = $1, revisions_below = $1, announced_by = NULL`,
    [below],
  );
  await fillPlain(client, monthsOf(sessions, now), progress);
  // Their ids are of the future, so that they are not rolled up during the measurements.
  await insertSlice(client, 'sessions', {
    first: sessions,
    count: Math.min(recent, sessions),
    from: now + hour,
    to: now + hour + 300_000,
  });
  // Sessions that a client can still connect to, so they are not rolled up either.
  await client.query(`SET session_replication_role = 'replica'`);
  await client.query(
    `UPDATE sessions SET expires_at = now() + interval '1 day', started_at = NULL, runtime_id = NULL, ended_at = NULL, end_reason = NULL, seconds = 0
      WHERE id IN (SELECT id FROM sessions WHERE id < $1 ORDER BY id DESC LIMIT $2)`,
    [below, Math.min(entered, sessions)],
  );
  await client.query(`SET session_replication_role = 'origin'`);
  await client.query(
    `INSERT INTO uncounted_sessions (session_id)
     SELECT id FROM sessions WHERE id < $1 AND expires_at > now() ON CONFLICT DO NOTHING`,
    [below],
  );
  progress('storing usage, counts, audit');
  await client.query(
    `INSERT INTO usage_days (project_id, day, experience_id, sessions, seconds)
     SELECT project_id, (created_at AT TIME ZONE 'UTC')::date, experience_id, count(*), sum(seconds) FROM sessions
      WHERE id < $1 AND expires_at < now() GROUP BY 1, 2, 3 ON CONFLICT DO NOTHING`,
    [below],
  );
  await client.query(
    `INSERT INTO revision_counts (project_id, experience_id, revision, sessions)
     SELECT project_id, experience_id, revision, count(*) FROM sessions WHERE id < $1 GROUP BY 1, 2, 3 ON CONFLICT DO NOTHING`,
    [below],
  );
  await client.query(
    `INSERT INTO audit (id, at, operator_id, name, via, action, project_id, target, version, changes, request_id, address)
     SELECT 'aud_0' || lpad(i::text, 25, '0'), now() - (${auditEntries} - i) * interval '5 minutes', 'opr_bench_' || i % 20, 'Operator', 'console',
            'experience.save', 'prj_bench', 'exp_bench_' || i % 100, i, '[{"path": "title", "before": "One", "after": "Two"}]', 'req_bench', '::1'
       FROM generate_series(1, ${auditEntries}) i`,
  );
  // As the roll-up of the counts leaves them: minutes, quarters of an hour, hours.
  for (const [table, columns, values, count] of [
    [
      'tallies',
      'door, code, experience_id, origin, count, last_at',
      `'browser', CASE WHEN i % 2 = 0 THEN 'launched' ELSE 'ORIGIN_NOT_ALLOWED' END, 'exp_bench_' || i % 100,
       CASE WHEN i % 2 = 0 THEN '' ELSE 'https://' || gen_random_uuid() || '.example' END, 5, at`,
      combinations,
    ],
    ['mint_durations', 'bucket, count', 'i, 5', 20],
  ] as const)
    for (const [from, to, step] of [
      [now - 168 * hour, now - 25 * hour, '1 hour'],
      [now - 25 * hour, now - 1.5 * hour, '15 minutes'],
      [now - 1.5 * hour, now, '1 minute'],
    ] as const)
      await client.query(
        `INSERT INTO ${table} (project_id, minute, ${columns})
         SELECT 'prj_bench', at, ${values}
           FROM generate_series(date_bin('${step}', $1::timestamptz, 'epoch'), $2::timestamptz, '${step}') at,
                generate_series(1, ${count}) i
         ON CONFLICT DO NOTHING`,
        [new Date(from), new Date(to)],
      );
  progress('vacuum and checkpoint');
  await client.query('VACUUM (FREEZE, ANALYZE)');
  await client.query('CHECKPOINT');
}
