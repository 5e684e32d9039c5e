import { type Signal, signal } from '@preact/signals';
import type { ExperienceState } from '@session-launch/contract/admin/experience-schemas';
import { ApiFailure, isConflict, request } from '../../api/client.ts';
import { requestStatus, type StatusChange } from '../../state/experience-status.ts';
import { me } from '../../state/me.ts';
import { frameTexts } from '../../texts/editor/frame.ts';
import { merge, type Side } from '../document/merge.ts';
import type { Experience, Model, Problem } from '../document/model.ts';

/** The side to take, by the text of the place. */
type Choices = Readonly<Record<string, Side>>;

/** Changes to merge with those of the draft. */
interface OtherSide {
  /** The document that both sides changed. */
  base: Experience;
  theirs: Experience;
  /** The operator who saved `theirs`; `undefined` for earlier unsaved changes of the same person. */
  by: string | undefined;
  at: string;
}

/** Both sides changed the document. The conflict dialog shows both versions, and calls one of these functions. */
export interface Conflict extends OtherSide {
  /** Merges both and continues. */
  resolve(choices: Choices): void;
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
  /** A state that is newer than the saved one, while there are unsaved changes. */
  readonly newer: Signal<ExperienceState | undefined>;
  /** Whether the editor was left, so that it can show neither problems nor the conflict dialog. */
  readonly isClosed: Signal<boolean>;
  /**
   * Saves the document. If another operator has saved in between, the conflict dialog opens first. Rejects if the document has problems,
   * which it sets, and if the merge is cancelled, also by leaving the editor.
   */
  save(note?: string): Promise<Saved>;
  /** The same, if there are unsaved changes. */
  saveIfChanged(): Promise<void>;
  /**
   * Publishes a revision, or takes the published one back. `version` is that of the state that the person has seen. If the experience has
   * been changed since, rejects with `Outdated`; a draft without unsaved changes then has the new state, others have it as `newer`.
   */
  setStatus(action: StatusChange, version: number, body?: { revision: number; note?: string }): Promise<void>;
  /** Merges the draft with `newer`. Opens the conflict dialog if both changed the same field. Rejects while the YAML text has errors. */
  mergeNewer(): Promise<void>;
  /** Opens the conflict dialog and returns what was chosen. Rejects with `MergeCancelled` if it is closed. */
  choose(side: OtherSide): Promise<Choices>;
  /** Call it when the editor is left. Cancels an open merge. */
  close(): void;
}

/** The person closed the dialog, or left the editor, instead of merging. */
export class MergeCancelled extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'MergeCancelled';
  }
}

/** Another operator changed the experience after the person had seen it. */
export class Outdated extends Error {
  readonly by: string;
  /** Whether the draft has the new state. If not, the person has to merge it before another attempt can succeed. */
  readonly isInDraft: boolean;

  constructor(by: string, isInDraft = true) {
    super(isInDraft ? frameTexts.outdated(by) : frameTexts.outdatedDraft(by));
    this.name = 'Outdated';
    this.by = by;
    this.isInDraft = isInDraft;
  }
}

export function createSaving(draft: Model): Saving {
  const isSaving = signal(false);
  const conflict = signal<Conflict | undefined>(undefined);
  const newer = signal<ExperienceState | undefined>(undefined);
  const isClosed = signal(false);
  const params = { experienceId: draft.experienceId };
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

  const choose = (side: OtherSide): Promise<Choices> => {
    const { cancelled, changed } = frameTexts.conflict;
    const { by } = side;
    return new Promise<Choices>((resolve, reject) => {
      const end = () => {
        if (conflict.peek() === own) conflict.value = undefined;
      };
      const own: Conflict = {
        ...side,
        resolve(choices) {
          end();
          resolve(choices);
        },
        cancel() {
          end();
          reject(new MergeCancelled(isClosed.peek() && by !== undefined ? changed(by) : cancelled));
        },
      };
      // There is one dialog: a save in flight may need it while another merge has it open.
      conflict.peek()?.cancel();
      if (isClosed.peek()) own.cancel();
      else conflict.value = own;
    });
  };

  /** Throws while the YAML text has errors: once it can be read, it would replace changes that were merged before. */
  const requireReadText = () => {
    draft.finishTyping();
    if (draft.text.value !== undefined) throw new Error(frameTexts.notYaml);
  };

  /** Opens the conflict dialog for another state of the service, and merges the draft with it. */
  const mergeWith = async (theirs: ExperienceState): Promise<void> => {
    requireReadText();
    const choices = await choose({
      base: draft.saved.value.experience as Experience,
      theirs: theirs.experience as Experience,
      by: theirs.updatedBy,
      at: theirs.updatedAt,
    });
    draft.takeOver(theirs, choices);
  };

  const mergeNewer = async (): Promise<void> => {
    const theirs = newer.value;
    if (theirs === undefined) return;
    requireReadText();
    const { saved, document } = draft;
    const { clashes } = merge<unknown>(saved.value.experience, document.value, theirs.experience);
    if (clashes.length > 0) await mergeWith(theirs);
    else draft.takeOver(theirs);
    // A later state may have arrived while the dialog was open.
    if (newer.value === theirs) newer.value = undefined;
  };

  const sendDocument = async (note: string | undefined): Promise<Saved> => {
    requireReadText();
    let mergedWith: string | undefined;
    const mergeTheirs = async (theirs: ExperienceState) => {
      await mergeWith(theirs);
      mergedWith = theirs.updatedBy;
    };
    for (;;) {
      const sent = draft.document.value;
      try {
        const { experience, version, latestRevision } = await request(
          'PUT /admin/experiences/{experienceId}',
          {
            params,
            version: draft.saved.value.version,
            body: { experience: sent, ...(note ? { note } : {}) },
          },
        );
        const updatedBy = me.value?.operator.name ?? '';
        const made = { experience, version, latestRevision, updatedBy, updatedAt: new Date().toISOString() };
        // What was typed during the request is a change of the document that was sent.
        draft.takeOver({ ...draft.saved.value, ...made }, {}, sent);
        draft.problems.value = [];
        const state = await request('GET /admin/experiences/{experienceId}', { params });
        // Another operator may have saved between the two requests.
        draft.finishTyping();
        if (state.version === version || !draft.isChanged.value) {
          draft.takeOver(state);
          if (state.version !== version) mergedWith = state.updatedBy;
          return { version, latestRevision, mergedWith };
        }
        await mergeTheirs(state);
      } catch (error) {
        const problems = problemsOf(error);
        if (problems !== undefined) draft.problems.value = problems;
        if (!isConflict(error)) throw error;
        await mergeTheirs(await request('GET /admin/experiences/{experienceId}', { params }));
      }
    }
  };

  const sendStatus: Saving['setStatus'] = async (action, version, body) => {
    try {
      draft.takeOver(await requestStatus(draft.experienceId, action, version, body));
    } catch (error) {
      if (!isConflict(error)) throw error;
      const state = await request('GET /admin/experiences/{experienceId}', { params });
      draft.finishTyping();
      if (draft.isChanged.value) newer.value = state;
      else draft.takeOver(state);
      throw new Outdated(state.updatedBy, draft.saved.value.version >= state.version);
    }
  };

  return {
    isSaving,
    conflict,
    newer,
    isClosed,
    mergeNewer,
    choose,
    close() {
      isClosed.value = true;
      conflict.peek()?.cancel();
    },
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
