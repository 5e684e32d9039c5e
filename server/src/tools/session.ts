import { onPool } from '../store/queries.ts';

/** What a call of a tool needs to know of its session. */
export interface CallingSession {
  projectId: string;
  experienceId: string;
  revision: number;
  userId: string | null;
}

/** The active session that this runtime has connected. */
export const findCallingSession = onPool('everyday').one<
  [sessionId: string, runtimeId: string],
  CallingSession
>({
  name: 'find_calling_session',
  text: `SELECT project_id AS "projectId", experience_id AS "experienceId", revision, user_id AS "userId"
           FROM sessions WHERE id = $1 AND runtime_id = $2 AND ended_at IS NULL`,
});
