import type { ExperienceState } from '@session-launch/contract/admin/experience-schemas';
import { ApiFailure, request } from '../../api/client.ts';
import { onChange } from '../../api/events.ts';
import type { Draft } from './draft.ts';

interface Follower {
  onTakenOver(state: ExperienceState): void;
  onDeleted(): void;
}

/** Reads the experience again when the service announces a change of it, or of its project. Returns a function that stops it. */
export function followExperience(draft: Draft, { onTakenOver, onDeleted }: Follower): () => void {
  const read = async () => {
    try {
      const state = await request('GET /admin/experiences/{experienceId}', {
        params: { experienceId: draft.experienceId },
      });
      // A save in flight announces its own change, and reads the state itself.
      if (draft.isSaving.peek()) return;
      if (state.version <= draft.saved.peek().version) return;
      draft.finishTyping();
      if (draft.isChanged.peek()) {
        draft.newer.value = state;
      } else {
        draft.takeOver(state);
        onTakenOver(state);
      }
    } catch (error) {
      if (error instanceof ApiFailure && error.code === 'EXPERIENCE_NOT_FOUND') onDeleted();
      // Any other failure is tried again with the next announcement.
    }
  };
  return onChange(['experience', 'project'], ({ kind, id, projectId }) => {
    if (kind === 'gap' || id === draft.experienceId || id === projectId) void read();
  });
}
