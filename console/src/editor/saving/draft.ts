import type { ExperienceState } from '@session-launch/contract/admin/experience-schemas';
import { createModel, type Model } from '../document/model.ts';
import { createSaving, type Saving } from './save.ts';

/** The experience that the editor shows, with the changes that are not saved yet, and how they are saved. */
export interface Draft extends Model, Saving {}

export function createDraft(projectId: string, state: ExperienceState, isEditable: boolean): Draft {
  const model = createModel(projectId, state, isEditable);
  return { ...model, ...createSaving(model) };
}
