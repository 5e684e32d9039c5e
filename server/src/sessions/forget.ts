import { sha256Hex } from '../primitives/sha256.ts';
import type { Change } from '../store/changes.ts';
import type { Statement, Transaction } from '../store/database.ts';
import type { Session } from './session.ts';

/** Maximum sessions that one transaction changes. */
const batchSize = 500;
const digestLength = 16;

/** Stands for a user in the audit and in notifications, which must not contain the userId itself. */
export function userDigest(userId: string): string {
  return `usr_${sha256Hex(userId).slice(0, digestLength)}`;
}

export function isOfUser({ projectId, userId }: Session, { id, projectId: changed }: Change): boolean {
  return projectId === changed && userId !== null && userDigest(userId) === id;
}

export const count: Statement = {
  name: 'count_sessions_of_user',
  text: 'SELECT count(*)::integer AS sessions FROM sessions WHERE project_id = $1 AND user_id = $2',
};

export async function sessionsOfUser(tx: Transaction, projectId: string, userId: string): Promise<number> {
  const [row] = await tx.query<{ sessions: number }>(count, [projectId, userId]);
  return row?.sessions ?? 0;
}

export const forget: Statement = {
  name: 'forget_sessions',
  text: 'SELECT kind, session_id, added FROM forget_sessions($1, $2, $3)',
};

export interface ForgottenBatch {
  /** Number of sessions that named the user; 0 when none is left. */
  sessions: number;
  ended: { sessionId: string; added: number }[];
}

/** Removes the user and the metadata from a batch of the user's sessions, and ends those that have not ended. */
export async function forgetBatch(
  tx: Transaction,
  projectId: string,
  userId: string,
): Promise<ForgottenBatch> {
  type Row = { kind: 'ended'; session_id: string; added: number } | { kind: 'total'; added: number };
  const rows = await tx.query<Row>(forget, [projectId, userId, batchSize]);
  return {
    sessions: rows.find(({ kind }) => kind === 'total')?.added ?? 0,
    ended: rows.flatMap((row) =>
      row.kind === 'ended' ? [{ sessionId: row.session_id, added: row.added }] : [],
    ),
  };
}
