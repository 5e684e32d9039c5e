import type { Limits } from '@session-launch/contract/project-file/fields';
import type { Taxonomy } from '@session-launch/contract/project-file/taxonomy';
import type { Revision, Runtime } from '../documents/revision.ts';
import { entriesCovering } from '../origins/origin.ts';
import type { Database, Statement } from '../store/database.ts';

/** An experience with the fields that decide whether it may be launched: its project's settings, and its revision. */
export interface LaunchableExperience {
  id: string;
  projectId: string;
  status: 'draft' | 'published' | 'archived';
  public: boolean;
  allowedOrigins: string[];
  project: {
    browserEmbeds: boolean;
    allowedOrigins: string[];
    limits: Limits;
  };
  /** What a mint launches: the published revision, or the newest one while none is published. */
  revision: Revision;
  /** Characters of the revision and of both allowlists in JSON, which estimate the memory. */
  size: number;
}

type Columns = Record<string, unknown>;

interface FoundRow {
  experience: Columns;
  project: Columns;
  /** JSON. */
  revision: string;
}

export const find: Statement = {
  name: 'find_experiences',
  text: 'SELECT experience, project, revision::text AS revision FROM find_experiences($1)',
};

/** The only read that is not scoped to a project: a mint has only the experience id, and checks the project afterwards. */
export async function findExperiences(
  database: Database,
  ids: string[],
): Promise<Map<string, LaunchableExperience>> {
  const rows = await database.query<FoundRow>('everyday', find, [ids]);
  return new Map(
    rows.map(({ experience, project, revision }) => [
      experience.id as string,
      {
        size: revision.length + sizeOf(experience.allowed_origins) + sizeOf(project.allowed_origins),
        id: experience.id as string,
        projectId: experience.project_id as string,
        status: experience.status as LaunchableExperience['status'],
        public: experience.public as boolean,
        allowedOrigins: experience.allowed_origins as string[],
        project: {
          browserEmbeds: project.browser_embeds as boolean,
          allowedOrigins: project.allowed_origins as string[],
          limits: {
            mintsPerMinutePerClient: project.mints_per_minute_per_client as number | null,
            mintsPerMinute: project.mints_per_minute as number | null,
            sessionsPerDay: project.sessions_per_day as number | null,
            concurrentSessions: project.concurrent_sessions as number | null,
            concurrentSessionsPerClient: project.concurrent_sessions_per_client as number | null,
          },
        },
        revision: revisionOf(JSON.parse(revision) as Columns),
      },
    ]),
  );
}

/** Characters of an allowlist in JSON. */
function sizeOf(origins: unknown): number {
  return (origins as string[]).reduce((total, origin) => total + origin.length + 3, 1);
}

function revisionOf(row: Columns): Revision {
  return {
    experienceId: row.experience_id as string,
    number: row.number as number,
    slug: row.slug as string,
    title: row.title as string,
    runtime: row.runtime as Runtime,
  };
}

export const selectRevision: Statement = {
  name: 'find_revision',
  text: `SELECT r.experience_id AS "experienceId", r.number, r.slug, r.title, r.runtime::text
           FROM revisions r JOIN experiences e ON e.id = r.experience_id
          WHERE e.project_id = $1 AND r.experience_id = $2 AND r.number = $3`,
};

export async function findRevision(
  database: Database,
  projectId: string,
  experienceId: string,
  number: number,
): Promise<{ revision: Revision; size: number } | undefined> {
  const values = [projectId, experienceId, number];
  const [found] = await database.query<Omit<Revision, 'runtime'> & { runtime: string }>(
    'everyday',
    selectRevision,
    values,
  );
  if (found === undefined) return undefined;
  const { runtime } = found;
  return { revision: { ...found, runtime: JSON.parse(runtime) as Runtime }, size: runtime.length };
}

export const listed: Statement = {
  name: 'listed_origins',
  text: 'SELECT origin, experience_id FROM listed_origins($1) WHERE experience_id IS NOT NULL',
};

/** For each origin, an experience whose allowlist matches it, exactly or by wildcard. Returns the previous experience if it still matches. */
export async function findListing(
  database: Database,
  origins: string[],
  before: (string | undefined)[],
): Promise<Map<string, string>> {
  const asked = origins.map((origin, i) => ({ origin, entries: entriesCovering(origin), before: before[i] }));
  const rows = await database.query<{ origin: string; experience_id: string }>('everyday', listed, [
    JSON.stringify(asked),
  ]);
  return new Map(rows.map((row) => [row.origin, row.experience_id]));
}

/** What the catalog and the gallery show of an experience. */
export interface ExperienceRow {
  id: string;
  slug: string;
  title: string;
  sortOrder: number;
  avatarId: string | null;
  thumbnailPath: string | null;
  galleryAvatarImage: string | null;
  galleryBackgroundImage: string | null;
  updatedAt: Date;
  description: string | null;
  taxonomy: Taxonomy | null;
}

export const selectPublished: Statement = {
  name: 'list_published',
  text: `SELECT e.id, r.slug, r.title, e.sort_order AS "sortOrder", e.avatar_id AS "avatarId",
                e.thumbnail_path AS "thumbnailPath", e.gallery_avatar_image AS "galleryAvatarImage",
                e.gallery_background_image AS "galleryBackgroundImage", e.live_at AS "updatedAt", e.description, e.taxonomy
           FROM experiences e
           JOIN projects p ON p.id = e.project_id AND p.deleted_at IS NULL
           JOIN LATERAL (
             SELECT slug, title FROM revisions WHERE experience_id = e.id AND number = e.published_revision LIMIT 1
           ) r ON true
          WHERE e.project_id = $1 AND e.status = 'published' ORDER BY e.sort_order, e.id`,
};

/** The published experiences of a project in creator-defined order. */
export function listPublished(database: Database, projectId: string): Promise<ExperienceRow[]> {
  return database.query('everyday', selectPublished, [projectId]);
}
