import { messageOf } from '../../api/client.ts';
import { toast } from '../../state/toasts.ts';
import { frameTexts } from '../../texts/editor/frame.ts';
import type { Draft } from './draft.ts';
import { problemsOf } from './save.ts';

/** Shows why a save failed after the editor was left. */
export function toastNotSaved(draft: Draft, error: unknown): void {
  const count = problemsOf(error)?.length ?? 0;
  const reason = count > 0 ? `${frameTexts.problems.title(count)}.` : messageOf(error);
  const title = draft.document.value.title || draft.experienceId;
  toast(frameTexts.notSaved(title, reason), { tone: 'bad' });
}
