import type { ProjectList } from '@session-launch/contract/admin/projects';
import type { Database, Statement, Transaction } from '../store/database.ts';
import type { Project } from './project-file.ts';

const limits = `json_build_object(
  'mintsPerMinutePerClient', p.mints_per_minute_per_client, 'mintsPerMinute', p.mints_per_minute,
  'sessionsPerDay', p.sessions_per_day, 'concurrentSessions', p.concurrent_sessions,
  'concurrentSessionsPerClient', p.concurrent_sessions_per_client)`;

export const find: Statement = {
  name: 'find_project',
  text: `SELECT p.id, p.name, p.browser_embeds AS "browserEmbeds", p.allowed_origins AS "allowedOrigins", ${limits} AS limits
           FROM projects p WHERE p.id = $1`,
};

export async function findProject(tx: Transaction, projectId: string): Promise<Project | undefined> {
  const [found] = await tx.query<Project>(find, [projectId]);
  return found;
}

export const exists: Statement = { name: 'project_exists', text: 'SELECT 1 FROM projects WHERE id = $1' };

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
           FROM projects p ORDER BY p.id`,
};

export function listProjects(database: Database): Promise<ProjectList['projects']> {
  return database.query('admin', list);
}

export const upsert: Statement = {
  name: 'upsert_project',
  text: `
    INSERT INTO projects (id, name, browser_embeds, allowed_origins, mints_per_minute_per_client, mints_per_minute,
      sessions_per_day, concurrent_sessions, concurrent_sessions_per_client, created_at, updated_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10)
    ON CONFLICT (id) DO UPDATE SET name = excluded.name, browser_embeds = excluded.browser_embeds,
      allowed_origins = excluded.allowed_origins, mints_per_minute_per_client = excluded.mints_per_minute_per_client,
      mints_per_minute = excluded.mints_per_minute, sessions_per_day = excluded.sessions_per_day,
      concurrent_sessions = excluded.concurrent_sessions,
      concurrent_sessions_per_client = excluded.concurrent_sessions_per_client, updated_at = excluded.updated_at`,
};

export async function upsertProject(tx: Transaction, project: Project, at: Date): Promise<void> {
  const { id, name, browserEmbeds, allowedOrigins, limits } = project;
  await tx.query(upsert, [
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
  ]);
}

export const readText: Statement = {
  name: 'read_project',
  text: `
    SELECT json_build_object(
      'project', json_build_object(
        'id', p.id, 'name', p.name, 'browserEmbeds', p.browser_embeds, 'allowedOrigins', p.allowed_origins, 'limits', ${limits}),
      'experiences', (
        SELECT coalesce(json_agg(json_build_object(
          'id', e.id, 'slug', e.slug, 'title', e.title, 'sortOrder', e.sort_order, 'status', e.status, 'public', e.public,
          'allowedOrigins', e.allowed_origins, 'avatarId', e.avatar_id, 'thumbnailPath', e.thumbnail_path,
          'galleryThumb', CASE WHEN e.gallery_avatar_image IS NOT NULL THEN json_build_object(
            'avatarImage', e.gallery_avatar_image, 'backgroundImage', e.gallery_background_image) END,
          'runtime', r.runtime) ORDER BY e.sort_order, e.id), '[]')
        FROM experiences e JOIN revisions r ON r.experience_id = e.id AND r.number = e.latest_revision
        WHERE e.project_id = $1))::text AS text
    FROM projects p WHERE p.id = $1`,
};

/**
 * The stored project as a project file in JSON text; absent fields are null. One statement, so it is a consistent snapshot.
 * Text, because parsing thousands of rows would block the event loop.
 */
export async function readProjectText(database: Database, projectId: string): Promise<string | undefined> {
  const [row] = await database.query<{ text: string }>('admin', readText, [projectId]);
  return row?.text;
}
