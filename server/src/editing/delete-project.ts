import type { Authored, Write } from '../audit/commit.ts';
import { type ChangeDeps, endSession } from '../sessions/lifecycle.ts';
import type { Changes } from '../store/changes.ts';
import type { Statement, Transaction } from '../store/database.ts';
import { isOutage } from '../store/database-errors.ts';
import { lockOutFiles, lockProject } from './lock-project.ts';

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
/** Sessions that are ended together. */
const endsAtOnce = 64;
/** Maximum milliseconds of one run, for all projects together, so that other housekeeping is not delayed. */
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
export const deleteExperiences: Statement = {
  name: 'delete_project_experiences',
  text: 'SELECT delete_project_experiences($1, $2, $3) AS found',
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
  readonly #deps: ChangeDeps;
  readonly #changes: Changes;

  constructor(deps: ChangeDeps, changes: Changes) {
    this.#deps = deps;
    this.#changes = changes;
  }

  async run(timeMs = runMs): Promise<void> {
    const until = performance.now() + timeMs;
    const { database, log } = this.#deps;
    for (const { id } of await database.query<{ id: string }>('everyday', findDeleted)) {
      try {
        if (!(await this.#deleteRows(id, until))) return;
      } catch (err) {
        if (isOutage(err)) throw err;
        // Projects that were deleted later must not wait for this one.
        log.error(
          { err, projectId: id },
          'the rows of a deleted project could not be deleted; they will be tried again',
        );
      }
    }
  }

  /** Returns whether time is left for further projects. */
  async #deleteRows(id: string, until: number): Promise<boolean> {
    if (!(await this.#endSessions(id, until))) return false;
    let state: Progress;
    do state = await this.#step(id);
    while (state === 'continue' && performance.now() < until);
    if (state === 'done')
      this.#deps.log.info({ projectId: id }, 'the rows of a deleted project have been deleted');
    return state === 'wait' || performance.now() < until;
  }

  /** Runtimes learn from their next report that these sessions have ended. Returns whether time is left. */
  async #endSessions(projectId: string, until: number): Promise<boolean> {
    const { database } = this.#deps;
    const active = await database.query<{ id: string }>('everyday', findActive, [projectId]);
    for (let n = 0; n < active.length; n += endsAtOnce) {
      const some = active.slice(n, n + endsAtOnce);
      await Promise.all(
        some.map(({ id }) => endSession(this.#deps, projectId, id, 'api_request', 'housekeeping')),
      );
      if (performance.now() >= until) return false;
    }
    return true;
  }

  #step(projectId: string): Promise<Progress> {
    return this.#changes.commit(async (tx, changed) => {
      if ((await tx.query(claim, [projectId])).length === 0) return 'wait';
      const [sessions] = await tx.query<{ deleted: number; remain: boolean }>(deleteSessions, [
        projectId,
        batchRows,
      ]);
      if (sessions?.remain) return sessions.deleted > 0 ? 'continue' : 'wait';
      const [experiences] = await tx.query<{ found: boolean }>(deleteExperiences, [
        projectId,
        batchExperiences,
        batchRows,
      ]);
      if (experiences!.found) return 'continue';
      const [rows] = await tx.query<{ deleted: number }>(deleteRows, [projectId, batchRows]);
      if (rows!.deleted > 0) return 'continue';
      for (const { id } of await tx.query<{ id: string }>(removeFromOperators, [projectId]))
        changed({ kind: 'operator', id });
      await tx.query(removeProject, [projectId]);
      changed({ kind: 'project', id: projectId });
      return 'done';
    });
  }
}

/** `wait`: sessions have just ended, or another process is deleting the project. */
type Progress = 'continue' | 'wait' | 'done';
