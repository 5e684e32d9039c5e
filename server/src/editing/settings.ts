import type { ProjectSettings } from '@session-launch/contract/admin/project-settings';
import type { Authored, Write } from '../audit/commit.ts';
import { requireVersion } from '../audit/conflict.ts';
import type { Project } from '../documents/project-file.ts';
import { fieldChanges } from '../primitives/field-changes.ts';
import type { Statement, Transaction } from '../store/database.ts';
import { lockOutFiles, lockProject } from './lock-project.ts';

export const update: Statement = {
  name: 'update_project',
  text: `
    UPDATE projects SET name = $2, browser_embeds = $3, allowed_origins = $4, mints_per_minute_per_client = $5,
      mints_per_minute = $6, sessions_per_day = $7, concurrent_sessions = $8, concurrent_sessions_per_client = $9,
      updated_at = $10, updated_by = $11, managed_by = 'console'
    WHERE id = $1 RETURNING version`,
};

/** Changes the given settings of a project, which `checkSettings` has returned. */
export async function updateSettings(
  tx: Transaction,
  write: Write,
  { actor }: Authored,
  projectId: string,
  version: number,
  { limits, ...settings }: ProjectSettings,
): Promise<{ project: Project; version: number }> {
  await lockOutFiles(tx);
  const stored = await lockProject(tx, projectId);
  const before = stored.project;
  const project: Project = { ...before, ...settings, limits: { ...before.limits, ...limits } };
  await requireVersion(tx, projectId, version, stored);
  const changes = fieldChanges(before, project);
  if (changes.length === 0) return { project, version: stored.version };

  const [row] = await tx.query<{ version: number }>(update, [
    projectId,
    project.name,
    project.browserEmbeds,
    project.allowedOrigins,
    project.limits.mintsPerMinutePerClient,
    project.limits.mintsPerMinute,
    project.limits.sessionsPerDay,
    project.limits.concurrentSessions,
    project.limits.concurrentSessionsPerClient,
    new Date(),
    actor.name,
  ]);
  const { version: newVersion } = row!;
  write.changed({ kind: 'project', id: projectId, version: newVersion });
  write.audit({ projectId, target: projectId, version: newVersion, changes });
  return { project, version: newVersion };
}
