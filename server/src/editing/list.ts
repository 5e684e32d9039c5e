import type { ExperienceSummary } from '@session-launch/contract/admin/experience-schemas';
import { ApiError } from '../primitives/errors.ts';
import { readUsage } from '../statistics/usage.ts';
import type { Database, Statement } from '../store/database.ts';

export const list: Statement = {
  name: 'list_experiences',
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
           e.managed_by AS "managedBy", e.source, e.updated_at AS "updatedAt", e.updated_by AS "updatedBy"
      FROM experiences e
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
  | 'sessionsToday'
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
): Promise<{ experiences: ExperienceSummary[]; version: number; isCounting: boolean }> {
  // The version first: a change in between makes it outdated, and the next write based on it is refused.
  const [project] = await database.query<{ version: number }>('admin', findVersion, [projectId]);
  if (project === undefined) throw new ApiError('PROJECT_NOT_FOUND');
  const today = at.toISOString().slice(0, 10);
  const [rows, usage] = await Promise.all([
    database.query<Row>('admin', list, [projectId]),
    readUsage(database, projectId, { from: today, to: today }),
  ]);
  const sessions = new Map(usage.days.map((one) => [one.experienceId, one.sessions]));
  const experiences = rows.map((row) => summaryOf(row, sessions.get(row.experienceId) ?? 0));
  return { experiences, version: project.version, isCounting: usage.isCounting };
}

function summaryOf(
  { publishedRevision, thumbnailPath, avatarImage, backgroundImage, source, updatedAt, ...row }: Row,
  sessionsToday: number,
): ExperienceSummary {
  return {
    ...row,
    sessionsToday,
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
