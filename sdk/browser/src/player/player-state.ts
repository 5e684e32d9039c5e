import type { LiveExperience } from '../core/experience.ts';
import { callSafely } from '../core/report.ts';
import type { PlayerState } from '../types.ts';

/** Returns a function that calls the listener if the state has changed since the last call. */
export function stateReporter() {
  let last = '';
  return (
    { state, mode, mic, output, session, error, endReason }: LiveExperience,
    captions: boolean,
    listener: ((state: Readonly<PlayerState>) => void) | undefined,
  ): void => {
    const update: PlayerState = {
      state,
      mode,
      mic: mic.status,
      outputBlocked: output.blocked,
      captions,
      ...(session && { sessionId: session.sessionId }),
      ...(error && { error }),
      ...(endReason && { endReason }),
    };
    const text = JSON.stringify(update, (key, value) => (key === 'error' ? value.code : value));
    if (text === last) return;
    last = text;
    callSafely(() => listener?.(Object.freeze(update)));
  };
}
