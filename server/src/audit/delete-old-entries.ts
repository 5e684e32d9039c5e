import { firstIdAt } from '../primitives/ids.ts';
import type { Database, Statement } from '../store/database.ts';

const batchSize = 1_000;

export const allowDeletion: Statement = { text: `SELECT set_config('session_launch.deleting', 'on', true)` };

export const deleteBefore: Statement = {
  name: 'delete_old_audit',
  text: `DELETE FROM audit WHERE id IN (SELECT id FROM audit WHERE id < $1 ORDER BY id LIMIT ${batchSize})`,
};

export const oldest: Statement = {
  name: 'find_old_audit',
  text: 'SELECT 1 FROM audit WHERE id < $1 LIMIT 1',
};

/** Deletes one batch of entries older than this. Ids begin with their time. */
export async function deleteOldAudit(database: Database, days: number, at = Date.now()): Promise<void> {
  const first = firstIdAt('aud', at - days * 86_400_000);
  if ((await database.query('admin', oldest, [first])).length === 0) return;
  await database.transaction(async (tx) => {
    await tx.query(allowDeletion);
    await tx.query(deleteBefore, [first]);
  });
}
