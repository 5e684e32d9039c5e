/** The states of something that is edited, for undo and redo. */
export interface History<T> {
  readonly past: readonly T[];
  readonly present: T;
  readonly future: readonly T[];
}

/** Maximum number of steps that can be undone. */
const maxSteps = 200;

export const begun = <T>(present: T): History<T> => ({ past: [], present, future: [] });

/** Changes the present. `isSameStep` continues the last change, such as that of a colour that is being dragged. */
export function changed<T>({ past, present }: History<T>, next: T, isSameStep = false): History<T> {
  return { past: isSameStep ? past : [...past, present].slice(-maxSteps), present: next, future: [] };
}

export function undone<T>(history: History<T>): History<T> {
  const { past, present, future } = history;
  if (past.length === 0) return history;
  return { past: past.slice(0, -1), present: past.at(-1)!, future: [present, ...future] };
}

export function redone<T>(history: History<T>): History<T> {
  const { past, present, future } = history;
  if (future.length === 0) return history;
  return { past: [...past, present], present: future[0]!, future: future.slice(1) };
}
