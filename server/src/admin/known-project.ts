import { ApiError } from '../primitives/errors.ts';
import { isId } from '../primitives/ids.ts';
import { findProject } from '../projects/store.ts';
import type { Orm } from '../store/database.ts';

/** Returns the id if it is that of an existing project; throws 404 otherwise. */
export async function knownProject(orm: Orm, projectId: string): Promise<string> {
  if (!isId('prj', projectId) || !(await findProject(orm, projectId)))
    throw new ApiError('PROJECT_NOT_FOUND');
  return projectId;
}
