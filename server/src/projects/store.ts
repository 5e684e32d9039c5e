import { asc, eq, sql } from 'drizzle-orm';
import type { Orm } from '../store/database.ts';
import { experiences, projects } from '../store/schema.ts';
import type { Project } from './project-file.ts';

type ProjectRow = typeof projects.$inferSelect;

export async function findProject(orm: Orm, projectId: string): Promise<ProjectRow | undefined> {
  const [found] = await orm.select().from(projects).where(eq(projects.id, projectId));
  return found;
}

/** Any fixed number: processes that apply files take turns on it. */
const applyLock = 7_315_042_018n;

/**
 * Held until the transaction ends: files are applied one after the other, those of other projects too, since
 * experience ids are global. What is read after this stays true until the commit.
 */
export async function lockProjects(tx: Orm): Promise<void> {
  await tx.execute(sql`SELECT pg_advisory_xact_lock(${sql.raw(String(applyLock))})`);
}

export async function listProjects(orm: Orm): Promise<(ProjectRow & { experiences: number })[]> {
  const counted = orm.$with('counted').as(
    orm
      .select({ projectId: experiences.projectId, count: sql<number>`count(*)::integer`.as('count') })
      .from(experiences)
      .groupBy(experiences.projectId),
  );
  const rows = await orm
    .with(counted)
    .select({ project: projects, count: counted.count })
    .from(projects)
    .leftJoin(counted, eq(counted.projectId, projects.id))
    .orderBy(asc(projects.id));
  return rows.map(({ project, count }) => ({ ...project, experiences: count ?? 0 }));
}

export async function upsertProject(tx: Orm, project: Project, at: Date): Promise<void> {
  const { id, limits, ...rest } = project;
  const values = { ...rest, ...limits, updatedAt: at };
  await tx
    .insert(projects)
    .values({ id, ...values, createdAt: at })
    .onConflictDoUpdate({ target: projects.id, set: values });
}

/**
 * The file that would make what is stored, as JSON text, with null for what a file leaves out. One statement, so all of it
 * as it was at one moment; text, because thousands of rows would take the event loop long to read.
 */
export async function readProjectText(orm: Orm, projectId: string): Promise<string | undefined> {
  const [row] = await orm
    .select({
      text: sql<string>`json_build_object(
        'project', json_build_object(
          'id', ${projects.id}, 'name', ${projects.name}, 'browserEmbeds', ${projects.browserEmbeds},
          'allowedOrigins', ${projects.allowedOrigins},
          'limits', json_build_object(
            'mintsPerMinutePerClient', ${projects.mintsPerMinutePerClient}, 'mintsPerMinute', ${projects.mintsPerMinute},
            'sessionsPerDay', ${projects.sessionsPerDay}, 'concurrentSessions', ${projects.concurrentSessions},
            'concurrentSessionsPerClient', ${projects.concurrentSessionsPerClient})),
        'experiences', (
          SELECT coalesce(json_agg(json_build_object(
            'id', e.id, 'slug', e.slug, 'title', e.title, 'sortOrder', e.sort_order, 'status', e.status, 'public', e.public,
            'allowedOrigins', e.allowed_origins, 'avatarId', e.avatar_id, 'thumbnailPath', e.thumbnail_path,
            'galleryThumb', CASE WHEN e.gallery_avatar_image IS NOT NULL THEN json_build_object(
              'avatarImage', e.gallery_avatar_image, 'backgroundImage', e.gallery_background_image) END,
            'runtime', r.runtime) ORDER BY e.sort_order, e.id), '[]')
          FROM experiences e JOIN revisions r ON r.experience_id = e.id AND r.number = e.latest_revision
          WHERE e.project_id = ${projectId}))::text`,
    })
    .from(projects)
    .where(eq(projects.id, projectId));
  return row?.text;
}

export function fileProject(row: ProjectRow): Project {
  return {
    id: row.id,
    name: row.name,
    browserEmbeds: row.browserEmbeds,
    allowedOrigins: row.allowedOrigins,
    limits: {
      mintsPerMinutePerClient: row.mintsPerMinutePerClient,
      mintsPerMinute: row.mintsPerMinute,
      sessionsPerDay: row.sessionsPerDay,
      concurrentSessions: row.concurrentSessions,
      concurrentSessionsPerClient: row.concurrentSessionsPerClient,
    },
  };
}
