import type { LiveExperience } from '../core/experience.ts';
import type { PlayerState } from '../types.ts';

/** Calls `onStateUpdate` when the state has changed. */
export class StateTeller {
  #told = '';

  tell(
    { state, mode, mic, output, session, error, endReason }: LiveExperience,
    captions: boolean,
    listener: ((state: Readonly<PlayerState>) => void) | undefined,
  ): void {
    const update: PlayerState = {
      state,
      mode,
      mic: mic.status,
      outputBlocked: output.blocked,
      captions,
      ...(session ? { sessionId: session.sessionId } : {}),
      ...(error ? { error } : {}),
      ...(endReason ? { endReason } : {}),
    };
    const text = JSON.stringify(update, (key, value) => (key === 'error' ? value.code : value));
    if (text === this.#told) return;
    this.#told = text;
    try {
      listener?.(Object.freeze(update));
    } catch (failure) {
      reportError(failure);
    }
  }
}
