import type { ExperienceSummary } from '@session-launch/contract/admin/experience-schemas';
import { ApiError } from '../primitives/errors.ts';
import { firstIdAt } from '../primitives/ids.ts';
import type { Database, Statement } from '../store/database.ts';

/** The sessions of today are counted in one pass for all experiences. Planned at each call, for its values. */
export const list: Statement = {
  text: `
    SELECT e.id AS "experienceId", e.slug, e.title, e.sort_order AS "sortOrder", e.status, e.public, e.version,
           e.latest_revision AS "latestRevision", e.published_revision AS "publishedRevision",
           e.published_revision IS DISTINCT FROM e.latest_revision AS "hasDraft",
           array_remove(ARRAY[
             CASE WHEN e.avatar_id IS NULL THEN 'avatarId' END,
             CASE WHEN e.thumbnail_path IS NULL THEN 'thumbnailPath' END,
             CASE WHEN e.gallery_avatar_image IS NULL THEN 'galleryThumb' END], NULL) AS "catalogMissing",
           e.thumbnail_path AS "thumbnailPath", e.gallery_avatar_image AS "avatarImage",
           e.gallery_background_image AS "backgroundImage",
           coalesce(s.sessions, 0)::integer AS "sessionsToday",
           e.managed_by AS "managedBy", e.source, e.updated_at AS "updatedAt", e.updated_by AS "updatedBy"
      FROM experiences e
      LEFT JOIN (
        SELECT experience_id, count(*) AS sessions FROM sessions
         WHERE project_id = $1 AND id >= $2 AND source <> 'preview' GROUP BY experience_id
      ) s ON s.experience_id = e.id
     WHERE e.project_id = $1 ORDER BY e.sort_order, e.id`,
};

export const findVersion: Statement = {
  name: 'find_project_version',
  text: 'SELECT version FROM projects WHERE id = $1 AND deleted_at IS NULL',
};

type Different =
  | 'catalogReady'
  | 'publishedRevision'
  | 'thumbnailPath'
  | 'galleryThumb'
  | 'source'
  | 'updatedAt';

interface Row extends Omit<ExperienceSummary, Different> {
  publishedRevision: number | null;
  thumbnailPath: string | null;
  avatarImage: string | null;
  backgroundImage: string | null;
  source: string | null;
  updatedAt: Date;
}

/** The experiences of a project in catalog order, and the version of the project. */
export async function listExperiences(
  database: Database,
  projectId: string,
  at = new Date(),
): Promise<{ experiences: ExperienceSummary[]; version: number }> {
  // The version first: a change in between makes it outdated, and the next write based on it is refused.
  const [project] = await database.query<{ version: number }>('admin', findVersion, [projectId]);
  if (project === undefined) throw new ApiError('PROJECT_NOT_FOUND');
  const midnight = Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate());
  const rows = await database.query<Row>('admin', list, [projectId, firstIdAt('ses', midnight)]);
  return { experiences: rows.map(summaryOf), version: project.version };
}

function summaryOf({
  publishedRevision,
  thumbnailPath,
  avatarImage,
  backgroundImage,
  source,
  updatedAt,
  ...row
}: Row): ExperienceSummary {
  return {
    ...row,
    catalogReady: row.catalogMissing.length === 0,
    ...(publishedRevision === null ? {} : { publishedRevision }),
    ...(thumbnailPath === null ? {} : { thumbnailPath }),
    ...(avatarImage === null || backgroundImage === null
      ? {}
      : { galleryThumb: { avatarImage, backgroundImage } }),
    ...(source === null ? {} : { source }),
    updatedAt: updatedAt.toISOString(),
  };
}
