import { and, asc, eq, inArray, sql } from 'drizzle-orm';
import type { Orm } from '../store/database.ts';
import { experiences, projects, revisions } from '../store/schema.ts';
import type { Experience, Project, ProjectFile, Runtime } from './project-file.ts';

export type ProjectRow = typeof projects.$inferSelect;
export type ExperienceRow = typeof experiences.$inferSelect;
/** An experience with what its newest revision froze. */
export type StoredExperience = ExperienceRow & { runtime: Runtime };

export async function findProject(orm: Orm, projectId: string): Promise<ProjectRow | undefined> {
  const [found] = await orm.select().from(projects).where(eq(projects.id, projectId));
  return found;
}

/** Held until the transaction ends, so that two files for one project are applied one after the other. */
export async function lockProject(tx: Orm, projectId: string): Promise<ProjectRow | undefined> {
  await tx.execute(sql`SELECT pg_advisory_xact_lock(hashtextextended(${projectId}, 0))`);
  return findProject(tx, projectId);
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
  return rows.map(({ experience, runtime }) => ({ ...experience, runtime }));
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

export async function upsertExperience(
  tx: Orm,
  projectId: string,
  experience: Experience,
  latestRevision: number,
  at: Date,
): Promise<void> {
  const values = { ...experienceColumns(experience), latestRevision, updatedAt: at };
  await tx
    .insert(experiences)
    .values({ id: experience.id, projectId, ...values, createdAt: at })
    .onConflictDoUpdate({
      target: experiences.id,
      set: values,
      setWhere: eq(experiences.projectId, projectId),
    });
}

export async function insertRevision(
  tx: Orm,
  experience: Experience,
  number: number,
  at: Date,
): Promise<void> {
  const { id: experienceId, slug, title, runtime } = experience;
  await tx.insert(revisions).values({ experienceId, number, slug, title, runtime, createdAt: at });
}

/** Everything of an experience but its runtime, as columns. */
export function experienceColumns(experience: Experience) {
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

/** What is stored of a project, as the file that would make it. */
export async function readProjectFile(orm: Orm, projectId: string): Promise<ProjectFile | undefined> {
  const row = await findProject(orm, projectId);
  if (row === undefined) return undefined;
  const stored = await storedExperiences(orm, projectId);
  return { project: fileProject(row), experiences: stored.map(fileExperience) };
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
