import { and, asc, eq, sql } from 'drizzle-orm';
import type { Limits } from '../limits/limits.ts';
import type { Orm } from '../store/database.ts';
import { experiences, projects, revisions } from '../store/schema.ts';
import type { Revision } from './revision.ts';

/** An experience with what decides whether it may be launched: its project's switches and newest revision. */
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
  latest: Revision;
}

/** The only read that is not bound to a project: a mint knows nothing but the id, and checks the rest itself. */
export async function findLaunchable(orm: Orm, experienceId: string): Promise<LaunchableExperience | null> {
  const [row] = await orm
    .select({ experience: experiences, project: projects, revision: revisions })
    .from(experiences)
    .innerJoin(projects, eq(projects.id, experiences.projectId))
    .innerJoin(
      revisions,
      and(eq(revisions.experienceId, experiences.id), eq(revisions.number, experiences.latestRevision)),
    )
    .where(eq(experiences.id, experienceId));
  if (row === undefined) return null;
  const { experience, project, revision } = row;
  return {
    id: experience.id,
    projectId: experience.projectId,
    status: experience.status,
    public: experience.public,
    allowedOrigins: experience.allowedOrigins,
    project: {
      browserEmbeds: project.browserEmbeds,
      allowedOrigins: project.allowedOrigins,
      limits: {
        mintsPerMinutePerClient: project.mintsPerMinutePerClient,
        mintsPerMinute: project.mintsPerMinute,
        sessionsPerDay: project.sessionsPerDay,
        concurrentSessions: project.concurrentSessions,
      },
    },
    latest: revision as Revision,
  };
}

export async function findRevision(
  orm: Orm,
  projectId: string,
  experienceId: string,
  number: number,
): Promise<Revision | undefined> {
  const [row] = await orm
    .select({ revision: revisions })
    .from(revisions)
    .innerJoin(experiences, eq(experiences.id, revisions.experienceId))
    .where(
      and(
        eq(experiences.projectId, projectId),
        eq(revisions.experienceId, experienceId),
        eq(revisions.number, number),
      ),
    );
  return row?.revision as Revision | undefined;
}

/** Every entry that stands on any experience's allowlist. */
export async function allowedAnywhere(orm: Orm): Promise<Set<string>> {
  const rows = await orm
    .selectDistinct({ entry: sql<string>`unnest(${experiences.allowedOrigins})` })
    .from(experiences);
  return new Set(rows.map((row) => row.entry));
}

export type ExperienceRow = typeof experiences.$inferSelect;

/** The published experiences of a project in their creators' order. */
export async function listPublished(orm: Orm, projectId: string): Promise<ExperienceRow[]> {
  return orm
    .select()
    .from(experiences)
    .where(and(eq(experiences.projectId, projectId), eq(experiences.status, 'published')))
    .orderBy(asc(experiences.sortOrder), asc(experiences.id));
}
