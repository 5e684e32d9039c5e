import type { Authored, Write } from '../audit/commit.ts';
import { endSession, type LifecycleDeps } from '../sessions/lifecycle.ts';
import type { Changes } from '../store/changes.ts';
import type { Statement, Transaction } from '../store/database.ts';
import { lockOutMints, removeExperiences } from './delete.ts';
import { lockOutFiles, lockProject } from './project.ts';

export const markDeleted: Statement = {
  name: 'mark_project_deleted',
  text: `UPDATE projects SET deleted_at = $2, updated_at = $2, updated_by = $3, version = version + 1 WHERE id = $1`,
};

/** Hides a project. From the commit on, its keys are refused and nothing of it is launched; `DeletedProjects` deletes its rows. */
export async function deleteProject(
  tx: Transaction,
  write: Write,
  { actor }: Authored,
  projectId: string,
): Promise<void> {
  await lockOutFiles(tx);
  const { project } = await lockProject(tx, projectId);
  await tx.query(markDeleted, [projectId, new Date(), actor.name]);
  write.changed({ kind: 'project', id: projectId });
  write.audit({ projectId, target: projectId, changes: [{ path: '', before: project }] });
}

/** Maximum rows, and maximum experiences, that one transaction deletes. */
const batchRows = 500;
const batchExperiences = 50;
/** Maximum milliseconds of one run, so that other housekeeping is not delayed. */
const runMs = 2_000;

export const findDeleted: Statement = {
  name: 'find_deleted_projects',
  text: 'SELECT id FROM projects WHERE deleted_at IS NOT NULL ORDER BY deleted_at, id LIMIT 100',
};
export const claim: Statement = {
  name: 'claim_deleted_project',
  text: 'SELECT 1 FROM projects WHERE id = $1 AND deleted_at IS NOT NULL FOR NO KEY UPDATE SKIP LOCKED',
};
export const findActive: Statement = {
  text: `SELECT id FROM sessions WHERE project_id = $1 AND started_at IS NOT NULL AND ended_at IS NULL ORDER BY id
          LIMIT ${batchRows}`,
};
export const deleteSessions: Statement = {
  name: 'delete_project_sessions',
  text: 'SELECT deleted, remain FROM delete_project_sessions($1, $2)',
};
export const hasSessions: Statement = { text: 'SELECT 1 FROM sessions WHERE project_id = $1 LIMIT 1' };
export const deleteOldRevisions: Statement = {
  name: 'delete_old_revisions',
  text: `
    DELETE FROM revisions WHERE (experience_id, number) IN (
      SELECT r.experience_id, r.number FROM experiences e JOIN revisions r ON r.experience_id = e.id
       WHERE e.project_id = $1 AND r.number <> e.latest_revision AND r.number IS DISTINCT FROM e.published_revision
       LIMIT ${batchRows})
    RETURNING 1`,
};
export const someExperiences: Statement = {
  name: 'some_experiences',
  text: `SELECT id FROM experiences WHERE project_id = $1 ORDER BY id LIMIT ${batchExperiences}`,
};
export const deleteRows: Statement = {
  name: 'delete_project_rows',
  text: 'SELECT delete_project_rows($1, $2) AS deleted',
};
export const removeFromOperators: Statement = {
  name: 'remove_project_from_operators',
  text: `
    WITH former AS (
      UPDATE former_limits SET project_ids = array_remove(project_ids, $1) WHERE $1 = ANY (project_ids))
    UPDATE operators SET project_ids = array_remove(project_ids, $1) WHERE $1 = ANY (project_ids) RETURNING id`,
};
export const removeProject: Statement = {
  name: 'delete_project',
  text: 'DELETE FROM projects WHERE id = $1',
};

/**
 * Deletes the rows of deleted projects, in bounded transactions that each leave a state to continue from. Any number of processes may run
 * it: a project is worked on by one transaction at a time.
 */
export class DeletedProjects {
  readonly #deps: LifecycleDeps;
  readonly #changes: Changes;

  constructor(deps: LifecycleDeps, changes: Changes) {
    this.#deps = deps;
    this.#changes = changes;
  }

  async run(timeMs = runMs): Promise<void> {
    const until = performance.now() + timeMs;
    const { database, log } = this.#deps;
    for (const { id } of await database.query<{ id: string }>('everyday', findDeleted)) {
      await this.#endSessions(id);
      let state: Progress;
      do state = await this.#step(id);
      while (state === 'continue' && performance.now() < until);
      if (state === 'done') log.info({ projectId: id }, 'the rows of a deleted project have been deleted');
    }
  }

  /** Runtimes learn from their next report that these sessions have ended. */
  async #endSessions(projectId: string): Promise<void> {
    const { database } = this.#deps;
    for (const { id } of await database.query<{ id: string }>('everyday', findActive, [projectId]))
      await endSession(this.#deps, projectId, id, 'api_request', 'housekeeping');
  }

  #step(projectId: string): Promise<Progress> {
    return this.#changes.commit(async (tx, changed) => {
      if ((await tx.query(claim, [projectId])).length === 0) return 'wait';
      const [sessions] = await tx.query<{ deleted: number; remain: boolean }>(deleteSessions, [
        projectId,
        batchRows,
      ]);
      if (sessions?.remain) return sessions.deleted > 0 ? 'continue' : 'wait';
      if (await this.#deleteExperiences(tx, projectId)) return 'continue';
      const [rows] = await tx.query<{ deleted: number }>(deleteRows, [projectId, batchRows]);
      if (rows!.deleted > 0) return 'continue';
      for (const { id } of await tx.query<{ id: string }>(removeFromOperators, [projectId]))
        changed({ kind: 'operator', id });
      await tx.query(removeProject, [projectId]);
      changed({ kind: 'project', id: projectId });
      return 'done';
    });
  }

  /** Returns whether there was anything left to delete. */
  async #deleteExperiences(tx: Transaction, projectId: string): Promise<boolean> {
    const experiences = await tx.query<{ id: string }>(someExperiences, [projectId]);
    if (experiences.length === 0) return false;
    await lockOutMints(tx);
    // A mint that was being written when the project was deleted.
    if ((await tx.query(hasSessions, [projectId])).length > 0) return true;
    if ((await tx.query(deleteOldRevisions, [projectId])).length > 0) return true;
    await removeExperiences(
      tx,
      experiences.map(({ id }) => id),
    );
    return true;
  }
}

/** `wait`: sessions have just ended, or another process is deleting the project. */
type Progress = 'continue' | 'wait' | 'done';
