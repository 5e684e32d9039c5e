import { and, asc, eq, getTableColumns, inArray, sql } from 'drizzle-orm';
import type { Runtime } from '../experiences/revision.ts';
import type { Orm } from '../store/database.ts';
import { experiences, projects, revisions } from '../store/schema.ts';
import type { Experience, Project, ProjectFile } from './project-file.ts';

export type ProjectRow = typeof projects.$inferSelect;
type ExperienceRow = typeof experiences.$inferSelect;
/** An experience with what its newest revision froze. */
export type StoredExperience = ExperienceRow & { runtime: Runtime };

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

export async function storedExperiences(orm: Orm, projectId: string): Promise<StoredExperience[]> {
  const rows = await orm
    .select({ experience: experiences, runtime: revisions.runtime })
    .from(experiences)
    .innerJoin(
      revisions,
      and(eq(revisions.experienceId, experiences.id), eq(revisions.number, experiences.latestRevision)),
    )
    .where(eq(experiences.projectId, projectId))
    .orderBy(asc(experiences.sortOrder), asc(experiences.id));
  return rows.map(({ experience, runtime }) => ({ ...experience, runtime: runtime as Runtime }));
}

/** Which of these ids belong to a project other than this one. */
export async function ownedElsewhere(orm: Orm, projectId: string, ids: string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const rows = await orm
    .select({ id: experiences.id, owner: experiences.projectId })
    .from(experiences)
    .where(inArray(experiences.id, ids));
  return rows.filter((row) => row.owner !== projectId).map((row) => row.id);
}

export async function upsertProject(tx: Orm, project: Project, at: Date): Promise<void> {
  const { id, limits, ...rest } = project;
  const values = { ...rest, ...limits, updatedAt: at };
  await tx
    .insert(projects)
    .values({ id, ...values, createdAt: at })
    .onConflictDoUpdate({ target: projects.id, set: values });
}

/** An experience of a file with the revision that is its newest from now on. */
interface Revised {
  experience: Experience;
  revision: number;
}

/** Rows in one statement: few round trips for a large file, and far below the most values that one may have. */
const chunk = 500;

export async function upsertExperiences(
  tx: Orm,
  projectId: string,
  revised: readonly Revised[],
  at: Date,
): Promise<void> {
  for (let start = 0; start < revised.length; start += chunk) {
    const rows = revised.slice(start, start + chunk).map(({ experience, revision }) => ({
      id: experience.id,
      projectId,
      ...experienceColumns(experience),
      latestRevision: revision,
      createdAt: at,
      updatedAt: at,
    }));
    await tx
      .insert(experiences)
      .values(rows)
      .onConflictDoUpdate({
        target: experiences.id,
        set: replaced,
        setWhere: eq(experiences.projectId, projectId),
      });
  }
}

/** Every column that a file decides, from the row that was to be inserted. */
const replaced = Object.fromEntries(
  Object.entries(getTableColumns(experiences))
    .filter(([field]) => !['id', 'projectId', 'createdAt'].includes(field))
    .map(([field, column]) => [field, sql.raw(`excluded.${column.name}`)]),
);

export async function insertRevisions(tx: Orm, revised: readonly Revised[], at: Date): Promise<void> {
  for (let start = 0; start < revised.length; start += chunk) {
    const rows = revised.slice(start, start + chunk).map(({ experience, revision }) => ({
      experienceId: experience.id,
      number: revision,
      slug: experience.slug,
      title: experience.title,
      runtime: experience.runtime,
      createdAt: at,
    }));
    await tx.insert(revisions).values(rows);
  }
}

/** Everything of an experience but its runtime, as columns. */
function experienceColumns(experience: Experience) {
  return {
    slug: experience.slug,
    title: experience.title,
    sortOrder: experience.sortOrder,
    status: experience.status,
    public: experience.public,
    allowedOrigins: experience.allowedOrigins,
    avatarId: experience.avatarId ?? null,
    thumbnailPath: experience.thumbnailPath ?? null,
    galleryAvatarImage: experience.galleryThumb?.avatarImage ?? null,
    galleryBackgroundImage: experience.galleryThumb?.backgroundImage ?? null,
  };
}

/** What is stored of a project, as the file that would make it: all of it as it was at one moment. */
export async function readProjectFile(orm: Orm, projectId: string): Promise<ProjectFile | undefined> {
  return orm.transaction(
    async (tx) => {
      const row = await findProject(tx, projectId);
      if (row === undefined) return undefined;
      const stored = await storedExperiences(tx, projectId);
      return { project: fileProject(row), experiences: stored.map(fileExperience) };
    },
    { isolationLevel: 'repeatable read', accessMode: 'read only' },
  );
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
    },
  };
}

export function fileExperience(row: StoredExperience): Experience {
  const { galleryAvatarImage: avatarImage, galleryBackgroundImage: backgroundImage } = row;
  return {
    id: row.id,
    slug: row.slug,
    title: row.title,
    sortOrder: row.sortOrder,
    status: row.status,
    public: row.public,
    allowedOrigins: row.allowedOrigins,
    ...(row.avatarId === null ? {} : { avatarId: row.avatarId }),
    ...(row.thumbnailPath === null ? {} : { thumbnailPath: row.thumbnailPath }),
    ...(avatarImage === null || backgroundImage === null
      ? {}
      : { galleryThumb: { avatarImage, backgroundImage } }),
    runtime: row.runtime,
  };
}
