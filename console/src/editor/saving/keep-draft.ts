import { effect } from '@preact/signals';
import { merge } from '../document/merge.ts';
import type { Experience, UnreadText } from '../document/model.ts';
import { isSame } from '../document/same.ts';
import type { Draft } from './draft.ts';
import { forget, keep, keepOnLeaving, kept } from './unsaved.ts';

/** Changes that were not saved, with the document that they were made to. */
export interface Unsaved {
  at: string;
  version: number;
  base: Experience;
  document: Experience;
  text: UnreadText | undefined;
}

/** Milliseconds after the last change until it is written. */
const writeMs = 300;

/** Unsaved changes, with the key under which the browser's database has them. */
export interface FoundUnsaved {
  key: string;
  value: Unsaved;
}

const keyStart = (operatorId: string, experienceId: string) => `${operatorId} ${experienceId} `;

/**
 * Writes unsaved changes to the browser's database while the draft is open, under a key that no other tab uses. A Web Lock of that name
 * marks the changes as open in this tab. Returns a function that stops it.
 */
export function keepUnsaved(
  draft: Draft,
  operatorId: string,
  onFailure: (error: unknown) => void,
): () => void {
  const key = keyStart(operatorId, draft.experienceId) + crypto.randomUUID();
  let release = () => {};
  const closed = new Promise<void>((resolve) => {
    release = resolve;
  });
  navigator.locks.request(key, () => closed).catch(onFailure);

  let timer: ReturnType<typeof setTimeout> | undefined;
  let at = '';
  let isKept = false;
  const write = (put: typeof keep) => {
    clearTimeout(timer);
    const { document, text, saved, isChanged } = draft;
    if (isChanged.peek()) {
      isKept = true;
      put(key, {
        at,
        version: saved.peek().version,
        base: saved.peek().experience,
        document: document.peek(),
        text: text.peek(),
      }).catch(onFailure);
    } else if (isKept) {
      isKept = false;
      forget(key).catch(onFailure);
    }
  };
  const stop = effect(() => {
    void [draft.document.value, draft.text.value, draft.saved.value];
    at = new Date().toISOString();
    clearTimeout(timer);
    timer = setTimeout(() => write(keep), writeMs);
  });
  const leave = () => {
    draft.leaveFields();
    write(keepOnLeaving);
  };
  const onVisibility = () => {
    if (document.hidden) leave();
  };
  addEventListener('pagehide', leave);
  document.addEventListener('visibilitychange', onVisibility);
  return () => {
    leave();
    stop();
    removeEventListener('pagehide', leave);
    document.removeEventListener('visibilitychange', onVisibility);
    release();
  };
}

/** The unsaved changes of an experience that no tab has open, newest first. */
export async function findClosed(experienceId: string, operatorId: string): Promise<FoundUnsaved[]> {
  const [found, { held = [] }] = await Promise.all([
    kept<Unsaved>(keyStart(operatorId, experienceId)),
    navigator.locks.query(),
  ]);
  return found
    .filter(({ key }) => held.every(({ name }) => name !== key))
    .sort((one, other) => other.value.at.localeCompare(one.value.at));
}

/** The same for an open draft. Changes that the saved document has are dropped: they were saved just before the page was left. */
export async function findUnsaved(draft: Draft, operatorId: string): Promise<FoundUnsaved[]> {
  const closed = await findClosed(draft.experienceId, operatorId);
  const now = draft.saved.peek().experience as Experience;
  const isSaved = ({ base, document, text }: Unsaved) =>
    text === undefined && isSame(merge(base, document, now).document, now);
  for (const { key } of closed.filter(({ value }) => isSaved(value))) await forget(key);
  return closed.filter(({ value }) => !isSaved(value));
}
