import type { Database, Statement } from '../store/database.ts';

/** Where an experience belongs. */
export interface ExperienceOwner {
  projectId: string;
  latestRevision: number;
}

export const owner: Statement = {
  name: 'find_experience_owner',
  text: `SELECT e.project_id AS "projectId", e.latest_revision AS "latestRevision"
           FROM experiences e JOIN projects p ON p.id = e.project_id
          WHERE e.id = $1 AND p.deleted_at IS NULL`,
};

/** `undefined` if the experience does not exist or its project is being deleted. */
export async function findOwner(
  database: Database,
  experienceId: string,
): Promise<ExperienceOwner | undefined> {
  const [found] = await database.query<ExperienceOwner>('admin', owner, [experienceId]);
  return found;
}
