import { asc, eq, sql } from 'drizzle-orm';
import type { Orm } from '../store/database.ts';
import { experiences, projects } from '../store/schema.ts';
import type { Project } from './project-file.ts';

type ProjectRow = typeof projects.$inferSelect;

export async function findProject(orm: Orm, projectId: string): Promise<ProjectRow | undefined> {
  const [found] = await orm.select().from(projects).where(eq(projects.id, projectId));
  return found;
}

/** Key of the advisory lock that serialises the processes that apply files; an arbitrary constant. */
const applyLock = 7_315_042_018n;

/**
 * Takes a lock until the transaction ends, so that files are applied one at a time. It covers all projects, since
 * experience ids are unique across projects. Rows read after this cannot change before the commit.
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
 * The stored project as a project file in JSON text; absent fields are null. One statement, so it is a consistent snapshot.
 * Text, because parsing thousands of rows would block the event loop.
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
