import { type Signal, signal } from '@preact/signals';
import type { ExperienceState, SavedExperience } from '@session-launch/contract/admin/experience-schemas';
import { ApiFailure, isConflict, request } from '../../api/client.ts';
import { me } from '../../state/me.ts';
import { frameTexts } from '../../texts/editor/frame.ts';
import type { Side } from '../document/merge.ts';
import type { Model, Problem } from '../model.ts';

/** Another operator saved while the draft was edited. The conflict dialog shows both versions, and calls one of these functions. */
export interface Conflict {
  theirs: ExperienceState;
  /** Merges both and goes on. */
  resolve(choices: Readonly<Record<string, Side>>): void;
  cancel(): void;
}

/** The state that a save made. */
interface Saved {
  version: number;
  latestRevision: number;
  /** Who changed the experience in the meantime, if the draft has these changes now. */
  mergedWith: string | undefined;
}

export interface Saving {
  readonly isSaving: Signal<boolean>;
  readonly conflict: Signal<Conflict | undefined>;
  /**
   * Saves the document. If another operator has saved in between, the conflict dialog opens first. Rejects if the document has problems,
   * which it sets, and if the merge is cancelled.
   */
  save(note?: string): Promise<Saved>;
  /** The same, if there are unsaved changes. */
  saveIfChanged(): Promise<void>;
  /**
   * Publishes a revision, or takes the published one back. `version` is that of the state that the person has seen. If the experience has
   * been changed since, rejects with `Outdated`; a draft without unsaved changes then has the new state.
   */
  setStatus(
    action: 'publish' | 'unpublish' | 'archive',
    version: number,
    body?: { revision: number; note?: string },
  ): Promise<void>;
  /** Opens the conflict dialog for another state of the service, and merges the draft with it. */
  mergeWith(theirs: ExperienceState): Promise<void>;
}

/** The person closed the dialog instead of merging. */
export class MergeCancelled extends Error {
  constructor() {
    super(frameTexts.conflict.cancelled);
    this.name = 'MergeCancelled';
  }
}

/** Another operator changed the experience after the person had seen it. */
export class Outdated extends Error {
  readonly by: string;

  constructor(by: string) {
    super(frameTexts.outdated(by));
    this.name = 'Outdated';
    this.by = by;
  }
}

export function createSaving(draft: Model): Saving {
  const isSaving = signal(false);
  const conflict = signal<Conflict | undefined>(undefined);
  const url = `experiences/${draft.experienceId}`;
  let last: Promise<unknown> = Promise.resolve();

  /** One at a time: the next request needs the version of the one before. */
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const result = last.then(async () => {
      isSaving.value = true;
      try {
        return await work();
      } finally {
        isSaving.value = false;
      }
    });
    last = result.catch(() => undefined);
    return result;
  };

  const mergeWith = async (theirs: ExperienceState): Promise<void> => {
    const choices = await new Promise<Readonly<Record<string, Side>>>((resolve, reject) => {
      conflict.value = { theirs, resolve, cancel: () => reject(new MergeCancelled()) };
    }).finally(() => {
      conflict.value = undefined;
    });
    draft.takeOver(theirs, choices);
  };

  const sendDocument = async (note: string | undefined): Promise<Saved> => {
    draft.finishTyping();
    if (draft.text.value !== undefined) throw new Error(frameTexts.notYaml);
    let mergedWith: string | undefined;
    const merge = async (theirs: ExperienceState) => {
      await mergeWith(theirs);
      mergedWith = theirs.updatedBy;
    };
    for (;;) {
      const sent = draft.document.value;
      try {
        const { experience, version, latestRevision } = await request<SavedExperience>(url, {
          method: 'PUT',
          version: draft.saved.value.version,
          body: { experience: sent, ...(note ? { note } : {}) },
        });
        const updatedBy = me.value?.operator.name ?? '';
        const made = { experience, version, latestRevision, updatedBy, updatedAt: new Date().toISOString() };
        // What was typed during the request is a change of the document that was sent.
        draft.takeOver({ ...draft.saved.value, ...made }, {}, sent);
        draft.problems.value = [];
        const state = await request<ExperienceState>(url);
        // Another operator may have saved between the two requests.
        draft.finishTyping();
        if (state.version === version || !draft.isChanged.value) {
          draft.takeOver(state);
          if (state.version !== version) mergedWith = state.updatedBy;
          return { version, latestRevision, mergedWith };
        }
        await merge(state);
      } catch (error) {
        const problems = problemsOf(error);
        if (problems !== undefined) draft.problems.value = problems;
        if (!isConflict(error)) throw error;
        await merge(await request<ExperienceState>(url));
      }
    }
  };

  const sendStatus: Saving['setStatus'] = async (action, version, body) => {
    try {
      draft.takeOver(
        await request<ExperienceState>(`${url}/${action}`, { method: 'POST', version, body: body ?? {} }),
      );
    } catch (error) {
      if (!isConflict(error)) throw error;
      const state = await request<ExperienceState>(url);
      draft.finishTyping();
      if (!draft.isChanged.value) draft.takeOver(state);
      throw new Outdated(state.updatedBy);
    }
  };

  return {
    isSaving,
    conflict,
    mergeWith,
    save: (note) => inTurn(() => sendDocument(note)),
    saveIfChanged: () =>
      inTurn(async () => {
        draft.finishTyping();
        if (draft.isChanged.value) await sendDocument(undefined);
      }),
    setStatus: (action, version, body) => inTurn(() => sendStatus(action, version, body)),
  };
}

/** The problems of a document that was refused, with paths inside the experience. */
export function problemsOf(error: unknown): Problem[] | undefined {
  if (!(error instanceof ApiFailure)) return undefined;
  if (error.code === 'SLUG_TAKEN') return [{ path: 'slug', message: error.message }];
  if (error.status !== 400 || !Array.isArray(error.details)) return undefined;
  return (error.details as Problem[]).map(({ path, message }) => ({
    path: path.replace(/^experience\.?/, ''),
    message,
  }));
}
