import { createExperience } from '../../state/create-experience.ts';
import { may } from '../../state/me.ts';
import { toast } from '../../state/toasts.ts';
import { frameTexts } from '../../texts/editor/frame.ts';
import { merge } from '../document/merge.ts';
import type { Experience } from '../document/model.ts';

import type { FoundUnsaved } from './keep-draft.ts';
import { problemsOf } from './save.ts';
import { forget, keep } from './unsaved.ts';

/**
 * Creates an experience that was deleted again, as a draft with its unsaved changes, and returns its id, which is another one if the old id
 * is taken. Changes that the service refuses, and text that cannot be read, stay unsaved changes of the new experience.
 */
export async function createAgain(
  projectId: string,
  experienceId: string,
  { key, value }: FoundUnsaved,
): Promise<string> {
  const [base, document] = [permitted(value.base), permitted(value.document)];
  const create = (experience: Experience) => createExperience(projectId, experience.title, experience, []);
  let hasProblems = false;
  const created = await create(document).catch((error: unknown) => {
    if (problemsOf(error) === undefined) throw error;
    hasProblems = true;
    return create(base);
  });
  const experience = created.experience as Experience;
  const { id, title } = experience;
  const isWhole = !hasProblems && value.text === undefined;
  const newKey = key.replace(` ${experienceId} `, ` ${id} `);
  if (!isWhole)
    await keep(newKey, {
      ...value,
      version: created.version,
      base: experience,
      document: merge(base, document, experience).document,
    });
  if (isWhole || newKey !== key) await forget(key);
  toast(
    [
      hasProblems ? frameTexts.missing.createdSaved(title) : frameTexts.missing.created(title),
      ...(isWithoutOrigins(value.document) ? [frameTexts.missing.noOrigins] : []),
    ].join(' '),
  );
  return id;
}

/** Whether the operator may not allow the origins of the document. */
function isWithoutOrigins({ allowedOrigins = [] }: Experience): boolean {
  return allowedOrigins.length > 0 && !may('run-integration');
}

/** The document as the operator may create it. Publishing it again is a separate decision. */
function permitted(document: Experience): Experience {
  return { ...document, status: 'draft', ...(isWithoutOrigins(document) ? { allowedOrigins: [] } : {}) };
}
