import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { me } from './me.ts';
import { storedValues } from './stored-values.ts';

const forms = storedValues('session-launch-portal');

/** The same, but resolves with `undefined` in browsers without IndexedDB, such as some private windows. They keep nothing. */
const run = <T>(...request: Parameters<typeof forms<T>>): Promise<T | undefined> =>
  forms(...request).catch(() => undefined);

/** The content of a form. It survives a reload until it is forgotten. Never use it for a token or a key. */
export interface Typed<T> {
  /** The current content, also in a handler that continues after an `await`. */
  readonly value: T;
  set(change: Partial<T>): void;
  /** Call it when the form was sent or cancelled. */
  forget(): void;
}

export function useTyped<T extends object>(form: string, empty: T): Typed<T> {
  const typed = useSignal<T | undefined>(undefined);
  const key = `${me.value?.operator.operatorId} ${form}`;
  useEffect(() => {
    void run<T | undefined>('readonly', (values) => values.get(key)).then((found) => {
      if (typed.value === undefined && found !== undefined) typed.value = found;
    });
  }, [key]);
  return {
    get value() {
      return typed.value ?? empty;
    },
    set: (change) => {
      const value = { ...(typed.value ?? empty), ...change };
      typed.value = value;
      void run('readwrite', (values) => values.put(value, key));
    },
    forget: () => {
      typed.value = undefined;
      void run('readwrite', (values) => values.delete(key));
    },
  };
}

/** For signing out: the next person at this browser gets nothing. */
export async function forgetAllTyped(): Promise<void> {
  await run('readwrite', (values) => values.clear());
}
