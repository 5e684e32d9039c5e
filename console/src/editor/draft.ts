import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import type { ExperienceState } from '@session-launch/contract/admin/experience-schemas';
import type { WrittenProjectFile } from '@session-launch/contract/project-file/schema';
import { request } from '../api/client.ts';
import { type Path, pathText, valueAt, withValue } from './path.ts';

/** An experience as in a project file. */
export type Experience = NonNullable<WrittenProjectFile['experiences']>[number];

/** What is wrong at a place of the document. */
export interface Problem {
  /** Formatted by `pathText`; `''` for the whole document. */
  path: string;
  message: string;
}

/** The experience that the editor shows, with the changes that are not saved yet. */
export interface Draft {
  readonly projectId: string;
  readonly experienceId: string;
  /** As the service has it: the state that was last read or saved. */
  readonly saved: Signal<ExperienceState>;
  /** As edited. Never changed in place: parts that are the same object have not changed. */
  readonly document: Signal<Experience>;
  readonly problems: Signal<readonly Problem[]>;
  readonly isChanged: ReadonlySignal<boolean>;
  /** Whether the operator may change the document. Fields are read-only if not. */
  readonly isEditable: boolean;
  /** The value at a path. A component that reads it renders again when the document changes. */
  at(path: Path): unknown;
  /** Changes the value at a path. `undefined` removes it. */
  change(path: Path, value: unknown): void;
  /** The problem at exactly this path. */
  problemAt(path: Path): string | undefined;
  /** Saves the document if it has changed. Rejects if the service refused it. */
  saveIfChanged(): Promise<void>;
}

export function createDraft(projectId: string, state: ExperienceState, isEditable: boolean): Draft {
  const saved = signal(state);
  const document = signal(state.experience as Experience);
  const problems = signal<readonly Problem[]>([]);
  const byPath = computed(() => new Map(problems.value.map(({ path, message }) => [path, message])));
  return {
    projectId,
    experienceId: (state.experience as Experience).id,
    saved,
    document,
    problems,
    isChanged: computed(() => document.value !== saved.value.experience),
    isEditable,
    at: (path) => valueAt(document.value, path),
    change(path, value) {
      document.value = withValue(document.value, path, value);
    },
    problemAt: (path) => byPath.value.get(pathText(path)),
    async saveIfChanged() {
      if (document.value === saved.value.experience) return;
      const body = { experience: document.value };
      const { version } = saved.value;
      const path = `experiences/${(state.experience as Experience).id}`;
      await request(path, { method: 'PUT', version, body });
      const now = await request<ExperienceState>(path);
      saved.value = now;
      document.value = now.experience as Experience;
    },
  };
}
