import { projectExists } from '../content/projects.ts';
import { ApiError } from '../primitives/errors.ts';
import { isId } from '../primitives/ids.ts';
import type { Database } from '../store/database.ts';

/** Returns the id if it is that of an existing project; throws 404 otherwise. */
export async function knownProject(database: Database, projectId: string): Promise<string> {
  if (!isId('prj', projectId) || !(await projectExists(database, projectId)))
    throw new ApiError('PROJECT_NOT_FOUND');
  return projectId;
}
