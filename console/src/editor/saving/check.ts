import { effect, type Signal } from '@preact/signals';
import { ApiFailure, isConflict, request, retryMs } from '../../api/client.ts';
import { isAway } from '../../state/load.ts';
import type { Draft } from './draft.ts';
import { problemsOf } from './save.ts';

export type Checked = 'checked' | 'checking' | 'unknown';

/** Milliseconds after the last change until the document is checked. */
const checkMs = 400;

/** Has the service check the document while it is edited, and sets its problems. Returns a function that stops it. */
export function checkWhileEditing(draft: Draft, checked: Signal<Checked>): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let abort = new AbortController();
  const check = async () => {
    const { signal } = abort;
    const { version } = draft.saved.peek();
    try {
      await request('PUT /admin/experiences/{experienceId}', {
        params: { experienceId: draft.experienceId },
        query: { plan: 'true' },
        version,
        body: { experience: draft.document.peek() },
        signal,
      });
      draft.problems.value = [];
      checked.value = 'checked';
    } catch (error) {
      if (signal.aborted) return;
      // The document is checked before its version.
      const problems = isConflict(error) ? [] : problemsOf(error);
      if (problems !== undefined) draft.problems.value = problems;
      // The check is still to come: it waits for other requests of this operator.
      const isWaiting = error instanceof ApiFailure && error.code === 'RATE_LIMITED';
      if (!isWaiting) checked.value = problems === undefined ? 'unknown' : 'checked';
      if (isAway(error)) timer = setTimeout(check, retryMs);
    }
  };
  const stop = effect(() => {
    const isSaving = draft.isSaving.value;
    const isSaved = draft.document.value === draft.saved.value.experience || !draft.isChanged.value;
    clearTimeout(timer);
    abort.abort();
    abort = new AbortController();
    if (isSaved) {
      draft.problems.value = [];
      checked.value = 'checked';
    } else {
      checked.value = 'checking';
      // While it is being saved, the version is about to change.
      if (!isSaving) timer = setTimeout(check, checkMs);
    }
  });
  const onOnline = () => {
    if (checked.peek() !== 'unknown') return;
    clearTimeout(timer);
    void check();
  };
  addEventListener('online', onOnline);
  return () => {
    removeEventListener('online', onOnline);
    stop();
    clearTimeout(timer);
    abort.abort();
  };
}
