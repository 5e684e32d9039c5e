import { onPool } from '../store/queries.ts';

/** What a call of a tool needs to know of its session. */
export interface CallingSession {
  projectId: string;
  experienceId: string;
  revision: number;
  userId: string | null;
}

/** The active session. With a runtime id: only if that runtime has connected it. */
export const findCallingSession = onPool('everyday').one<
  [sessionId: string, runtimeId: string | null],
  CallingSession
>({
  name: 'find_calling_session',
  text: `SELECT project_id AS "projectId", experience_id AS "experienceId", revision, user_id AS "userId"
           FROM sessions WHERE id = $1 AND runtime_id = coalesce($2, runtime_id) AND ended_at IS NULL`,
});
