import { batch, computed, signal } from '@preact/signals';
import type { ExperienceState } from '@session-launch/contract/admin/experience-schemas';
import { merge } from './document/merge.ts';
import { isSame, sharing } from './document/same.ts';
import type { Experience, Model, Problem, UnreadText } from './model.ts';
import { pathText, valueAt, withValue } from './path.ts';
import { createSaving, type Saving } from './saving/save.ts';

export type { Experience } from './model.ts';

/** The experience that the editor shows, with the changes that are not saved yet, and how they are saved. */
export interface Draft extends Model, Saving {}

export function createDraft(projectId: string, state: ExperienceState, isEditable: boolean): Draft {
  const saved = signal(state);
  const document = signal(state.experience as Experience);
  const text = signal<UnreadText | undefined>(undefined);
  const problems = signal<readonly Problem[]>([]);
  const byPath = computed(() => new Map(problems.value.map(({ path, message }) => [path, message])));
  const model: Model = {
    projectId,
    experienceId: (state.experience as Experience).id,
    saved,
    document,
    text,
    typing: new Set(),
    held: new Set(),
    problems,
    isChanged: computed(() => text.value !== undefined || !isSame(document.value, saved.value.experience)),
    isEditable,
    at: (path) => valueAt(document.value, path),
    change(path, value) {
      document.value = withValue(document.value, path, value);
    },
    finishTyping() {
      for (const finish of model.typing) finish();
    },
    leaveFields() {
      model.finishTyping();
      for (const commit of model.held) commit();
    },
    replace(next) {
      const [before, unread] = [document.value, text.value];
      const set = (changed: Experience, changedText: UnreadText | undefined) =>
        batch(() => {
          document.value = changed;
          text.value = changedText;
        });
      set(next, undefined);
      return () => set(merge(next, before, document.value).document, text.value ?? unread);
    },
    problemAt: (path) => byPath.value.get(pathText(path)),
    takeOver(next, choices = {}, base = saved.value.experience as Experience) {
      const merged = merge(base, document.value, next.experience as Experience, choices);
      const changed = sharing(document.value, merged.document);
      batch(() => {
        // Shares its parts with the document, so that comparing both after each key takes no time.
        saved.value = { ...next, experience: sharing(changed, next.experience) };
        document.value = changed;
      });
    },
  };
  return { ...model, ...createSaving(model) };
}
