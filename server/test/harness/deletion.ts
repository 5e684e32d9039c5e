import { inject } from 'vitest';
import { remove } from '../../src/editing/delete.ts';
import type { Transaction } from '../../src/store/database.ts';

/** Deletes an experience in a transaction that the test keeps open for longer than `lock_out_mints` allows. */
export async function deleteIn(
  tx: Transaction,
  { projectId, experienceId }: { projectId: string; experienceId: string },
): Promise<void> {
  await tx.query(remove, [projectId, experienceId]);
  if (inject('engine') === 'postgres')
    await tx.query({ text: `SET LOCAL idle_in_transaction_session_timeout = '10min'` });
}
