import { batch, computed, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import type { ExperienceState } from '@session-launch/contract/admin/experience-schemas';
import type { WrittenProjectFile } from '@session-launch/contract/project-file/schema';
import { merge, type Side } from './merge.ts';
import { type Path, pathText, valueAt, withValue } from './path.ts';
import { isSame, sharing } from './same.ts';

/** An experience as in a project file. */
export type Experience = NonNullable<WrittenProjectFile['experiences']>[number];

/** What is wrong at a place of the document. */
export interface Problem {
  /** Formatted by `pathText`; `''` for the whole document. */
  path: string;
  message: string;
}

/** YAML text that cannot be read as a document, as it was typed. */
export interface UnreadText {
  text: string;
  /** The document that the text was last equal to. */
  base: Experience;
}

/** The experience that the editor shows, with the changes that are not saved yet. */
export interface Model {
  readonly projectId: string;
  readonly experienceId: string;
  /** As the service has it: the state that was last read or saved. */
  readonly saved: Signal<ExperienceState>;
  /** As edited. Never changed in place: parts that are the same object have not changed. */
  readonly document: Signal<Experience>;
  readonly text: Signal<UnreadText | undefined>;
  /** Each puts text that is still being typed into the document. */
  readonly typing: Set<() => void>;
  /** Each writes text to the document that a field otherwise commits only when it loses the focus. */
  readonly held: Set<() => void>;
  readonly problems: Signal<readonly Problem[]>;
  readonly isChanged: ReadonlySignal<boolean>;
  /** Whether the operator may change the document. Fields are read-only if not. */
  readonly isEditable: boolean;
  /** The value at a path. A component that reads it renders again when the document changes. */
  at(path: Path): unknown;
  /** Changes the value at a path. `undefined` removes it. */
  change(path: Path, value: unknown): void;
  /** Writes text that is still being typed to the document, except that of fields that commit only when they lose the focus. */
  finishTyping(): void;
  /** The same, as if these fields were left, too. Call it before the page is left, and before a person saves with the focus in a field. */
  leaveFields(): void;
  /** Replaces the document and the unread text. Returns a function that undoes this, and preserves what was changed since. */
  replace(next: Experience): () => void;
  /** The problem at exactly this path. */
  problemAt(path: Path): string | undefined;
  /**
   * Makes another state of the service the saved one, and merges the changes that are not saved into it. `base` is the document that
   * these changes were made to; by default, the saved one.
   */
  takeOver(state: ExperienceState, choices?: Readonly<Record<string, Side>>, base?: Experience): void;
}

export function createModel(projectId: string, state: ExperienceState, isEditable: boolean): Model {
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
  return model;
}
