import { setTimeout as sleep } from 'node:timers/promises';
import type { UsageDay } from '@session-launch/contract/admin/usage';
import { firstIdAt } from '../../src/primitives/ids.ts';
import { rollUpAfterMs, rollUpUsage } from '../../src/statistics/usage-roll-up.ts';
import type { Database } from '../../src/store/database.ts';

/** Rolls up the sessions that were minted until `at`, as if the time until the roll-up had passed since. Waits for transactions of other databases. */
export async function rollUpAll(database: Database, at = Date.now()): Promise<void> {
  const wanted = firstIdAt('ses', at);
  for (;;) {
    await rollUpUsage(database, new Date(at + rollUpAfterMs));
    const [row] = await database.query<{ below: string }>('admin', {
      text: 'SELECT below FROM usage_progress WHERE below = next AND revisions_below = below',
    });
    if (row !== undefined && row.below >= wanted) return;
    await sleep(5);
  }
}

/** The usage of all projects as the table of sessions has it, without the roll-up. */
export const usageBySessions = `
  SELECT s.project_id AS "projectId", to_char(s.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day, s.experience_id AS "experienceId",
         count(*)::integer AS sessions, sum(coalesce(a.seconds, s.seconds))::integer AS seconds
    FROM sessions s LEFT JOIN active_sessions a ON a.session_id = s.id
   GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`;

export type ProjectUsageDay = UsageDay & { projectId: string };
