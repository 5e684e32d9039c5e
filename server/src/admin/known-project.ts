import { ApiError, invalidRequest } from '../primitives/errors.ts';
import { isId } from '../primitives/ids.ts';
import { projectExists } from '../projects/store.ts';
import type { Database } from '../store/database.ts';

export interface ProjectRoute {
  Params: { projectId: string };
}

/** Returns the id of an existing project; throws 400 for a malformed id and 404 for an unknown one. */
export async function knownProject(database: Database, projectId: string): Promise<string> {
  if (!projectId.startsWith('prj_')) {
    throw invalidRequest([{ path: 'projectId', message: 'must start with prj_' }]);
  }
  if (!isId('prj', projectId) || !(await projectExists(database, projectId)))
    throw new ApiError('PROJECT_NOT_FOUND');
  return projectId;
}
