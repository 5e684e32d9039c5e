import {
  createPreviewOperation,
  deletePreviewOperation,
  listPreviewsOperation,
  type PreviewRequest,
  previewDefaults,
  previewSchema,
} from '@session-launch/contract/admin/previews';
import type { FastifyInstance } from 'fastify';
import { sees } from '../audit/actor.ts';
import { newPreviewCode } from '../previews/code.ts';
import { deletePreview, insertPreview, listPreviews, type Preview } from '../previews/previews.ts';
import { ApiError } from '../primitives/errors.ts';
import { fieldChanges } from '../primitives/field-changes.ts';
import { isId, newId } from '../primitives/ids.ts';
import { canonicalLocale } from '../primitives/locale.ts';
import { sha256 } from '../primitives/sha256.ts';
import type { AdminDeps } from './deps.ts';
import { knownExperience, knownRevision } from './known-experience.ts';
import { mount } from './mount.ts';
import { recordOf } from './record.ts';

export async function previewAdminRoutes(app: FastifyInstance, deps: AdminDeps): Promise<void> {
  const { database, commit } = deps;

  mount(app, createPreviewOperation, async (call) => {
    const { params, body, actor } = call;
    const owner = await knownExperience(database, actor, params.experienceId);
    const { projectId } = owner;
    const revision = await knownRevision(database, owner, params.experienceId, body.revision);
    const preview = newPreview(body, {
      projectId,
      experienceId: params.experienceId,
      revision: revision.number,
      createdBy: actor.name,
    });
    const code = newPreviewCode();
    await commit(call, async (tx, write) => {
      if (!(await insertPreview(tx, preview, sha256(code)))) throw new ApiError('EXPERIENCE_NOT_FOUND');
      write.changed({ kind: 'preview', id: preview.id, projectId });
      write.audit({ projectId, target: preview.id, changes: fieldChanges({}, audited(preview)) });
    });
    return {
      previewId: preview.id,
      url: `${deps.publicUrl}/preview/#${code}`,
      expiresAt: preview.expiresAt.toISOString(),
    };
  });

  mount(app, listPreviewsOperation, async ({ params, actor }) => {
    await knownExperience(database, actor, params.experienceId);
    const previews = await listPreviews(database, params.experienceId);
    return { previews: previews.map((one) => recordOf(previewSchema, { ...one, previewId: one.id })) };
  });

  mount(app, deletePreviewOperation, async (call) => {
    const { previewId } = call.params;
    if (!isId('pvw', previewId)) throw new ApiError('PREVIEW_NOT_FOUND');
    await commit(call, async (tx, write) => {
      const deleted = await deletePreview(tx, previewId);
      if (deleted === undefined || !sees(call.actor, deleted.projectId))
        throw new ApiError('PREVIEW_NOT_FOUND');
      const { projectId } = deleted;
      write.changed({ kind: 'preview', id: previewId, projectId });
      write.audit({ projectId, target: previewId, changes: fieldChanges(audited(deleted), {}) });
    });
    return undefined;
  });
}

function newPreview(
  body: PreviewRequest,
  of: Pick<Preview, 'projectId' | 'experienceId' | 'revision' | 'createdBy'>,
): Preview {
  const createdAt = new Date();
  const { expiresInSeconds, maxSessions } = { ...previewDefaults, ...body };
  return {
    ...of,
    id: newId('pvw'),
    locale: canonical(body.locale),
    secondaryLocale: canonical(body.secondaryLocale),
    maxSessions,
    sessions: 0,
    createdAt,
    expiresAt: new Date(createdAt.getTime() + expiresInSeconds * 1000),
  };
}

function canonical(tag: string | undefined): string | null {
  return tag === undefined ? null : (canonicalLocale(tag) ?? null);
}

/** What the audit records of a preview: never its code. */
function audited(preview: Preview): object {
  const { experienceId, revision, maxSessions, expiresAt } = preview;
  return { experienceId, revision, maxSessions, expiresAt: expiresAt.toISOString(), ...localesOf(preview) };
}

function localesOf({ locale, secondaryLocale }: Preview): { locale?: string; secondaryLocale?: string } {
  return {
    ...(locale === null ? {} : { locale }),
    ...(secondaryLocale === null ? {} : { secondaryLocale }),
  };
}
