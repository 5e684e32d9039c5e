import type { ProjectList } from '@session-launch/contract/admin/projects';
import type { Project } from '../documents/project-file.ts';
import type { Database, Statement, Transaction } from '../store/database.ts';

const limits = `json_build_object(
  'mintsPerMinutePerClient', p.mints_per_minute_per_client, 'mintsPerMinute', p.mints_per_minute,
  'sessionsPerDay', p.sessions_per_day, 'concurrentSessions', p.concurrent_sessions,
  'concurrentSessionsPerClient', p.concurrent_sessions_per_client)`;

/** A project with what changes of it need to know. */
export interface StoredProject {
  project: Project;
  version: number;
  updatedBy: string;
  updatedAt: Date;
  /** The project is hidden, and its rows are being deleted. */
  isDeleted: boolean;
}

export const find: Statement = {
  name: 'find_project',
  text: `SELECT json_build_object('id', p.id, 'name', p.name, 'browserEmbeds', p.browser_embeds,
                  'allowedOrigins', p.allowed_origins, 'limits', ${limits}) AS project,
                p.version, p.updated_by AS "updatedBy", p.updated_at AS "updatedAt", p.deleted_at IS NOT NULL AS "isDeleted"
           FROM projects p WHERE p.id = $1`,
};

/** The project, also while it is being deleted. */
export async function findStoredProject(
  tx: Transaction,
  projectId: string,
): Promise<StoredProject | undefined> {
  const [found] = await tx.query<StoredProject>(find, [projectId]);
  return found;
}

export const exists: Statement = {
  name: 'project_exists',
  text: 'SELECT 1 FROM projects WHERE id = $1 AND deleted_at IS NULL',
};

export async function projectExists(database: Database, projectId: string): Promise<boolean> {
  return (await database.query('admin', exists, [projectId])).length > 0;
}

/** The key of the lock is an arbitrary constant. */
export const lock: Statement = {
  name: 'lock_projects',
  text: 'SELECT pg_advisory_xact_lock(7315042018)',
};

/**
 * Takes a lock until the transaction ends, so that files are applied one at a time. It covers all projects, since
 * experience ids are unique across projects. Rows read after this cannot change before the commit.
 */
export async function lockProjects(tx: Transaction): Promise<void> {
  await tx.query(lock);
}

export const list: Statement = {
  name: 'list_projects',
  text: `SELECT p.id AS "projectId", p.name, p.browser_embeds AS "browserEmbeds",
                (SELECT count(*)::integer FROM experiences e WHERE e.project_id = p.id) AS experiences
           FROM projects p
          WHERE p.deleted_at IS NULL AND ($1::text[] IS NULL OR p.id = ANY ($1::text[])) ORDER BY p.id`,
};

/** The projects with these ids; null: all projects. */
export function listProjects(
  database: Database,
  projectIds: readonly string[] | null,
): Promise<ProjectList['projects']> {
  return database.query('admin', list, [projectIds]);
}

export const upsert: Statement = {
  name: 'upsert_project',
  text: `
    INSERT INTO projects (id, name, browser_embeds, allowed_origins, mints_per_minute_per_client, mints_per_minute,
      sessions_per_day, concurrent_sessions, concurrent_sessions_per_client, created_at, updated_at, managed_by, updated_by, source)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10, 'file', $11, $12)
    ON CONFLICT (id) DO UPDATE SET name = excluded.name, browser_embeds = excluded.browser_embeds,
      allowed_origins = excluded.allowed_origins, mints_per_minute_per_client = excluded.mints_per_minute_per_client,
      mints_per_minute = excluded.mints_per_minute, sessions_per_day = excluded.sessions_per_day,
      concurrent_sessions = excluded.concurrent_sessions,
      concurrent_sessions_per_client = excluded.concurrent_sessions_per_client, updated_at = excluded.updated_at,
      managed_by = excluded.managed_by, updated_by = excluded.updated_by, source = excluded.source,
      version = projects.version + $13
    RETURNING version`,
};

/** Who applies a file, when, and the label of the file. */
export interface Stamp {
  at: Date;
  by: string;
  source: string | undefined;
}

/** Writes a project of a file. Returns its version, which is incremented if the project existed and `counts` is true. */
export async function upsertProject(
  tx: Transaction,
  project: Project,
  { at, by, source }: Stamp,
  counts: boolean,
): Promise<number> {
  const { id, name, browserEmbeds, allowedOrigins, limits } = project;
  const [row] = await tx.query<{ version: number }>(upsert, [
    id,
    name,
    browserEmbeds,
    allowedOrigins,
    limits.mintsPerMinutePerClient,
    limits.mintsPerMinute,
    limits.sessionsPerDay,
    limits.concurrentSessions,
    limits.concurrentSessionsPerClient,
    at,
    by,
    source ?? null,
    counts ? 1 : 0,
  ]);
  return row!.version;
}

/** An experience of a project file in JSON, from the columns of its settings and of its revision. Absent fields are null. */
export const experienceDocument = (settings: string, revision: string) => `json_build_object(
  'id', ${settings}.id, 'slug', ${revision}.slug, 'title', ${revision}.title, 'sortOrder', ${settings}.sort_order,
  'status', ${settings}.status, 'public', ${settings}.public, 'allowedOrigins', ${settings}.allowed_origins,
  'avatarId', ${settings}.avatar_id, 'thumbnailPath', ${settings}.thumbnail_path,
  'galleryThumb', CASE WHEN ${settings}.gallery_avatar_image IS NOT NULL THEN json_build_object(
    'avatarImage', ${settings}.gallery_avatar_image, 'backgroundImage', ${settings}.gallery_background_image) END,
  'description', ${settings}.description, 'taxonomy', ${settings}.taxonomy, 'runtime', ${revision}.runtime)`;

export const readText: Statement = {
  name: 'read_project',
  text: `
    SELECT p.version, json_build_object(
      'project', json_build_object(
        'id', p.id, 'name', p.name, 'browserEmbeds', p.browser_embeds, 'allowedOrigins', p.allowed_origins, 'limits', ${limits}),
      'experiences', (
        SELECT coalesce(json_agg(${experienceDocument('e', 'r')} ORDER BY e.sort_order, e.id), '[]')
        FROM experiences e
        JOIN revisions r ON r.experience_id = e.id AND r.number = coalesce(e.published_revision, e.latest_revision)
        WHERE e.project_id = $1))::text AS text
    FROM projects p WHERE p.id = $1 AND p.deleted_at IS NULL`,
};

/** A stored project as a file in JSON text, and its version. */
export interface ProjectText {
  text: string;
  version: number;
}

/**
 * Reads a project as a file: the published revision of each experience, or the newest one while none is published. Absent fields are
 * null. One statement, so it is a consistent snapshot. Text, because parsing thousands of rows would block the event loop.
 */
export async function readProjectText(
  database: Database,
  projectId: string,
): Promise<ProjectText | undefined> {
  const [row] = await database.query<ProjectText>('admin', readText, [projectId]);
  return row;
}
