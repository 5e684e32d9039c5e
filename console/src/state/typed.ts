import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { me } from './me.ts';
import { forget, keep, kept } from './unsaved.ts';

/** The content of a form. It survives a reload until it is forgotten. */
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
    void kept<T>(key).then((found) => {
      if (typed.value === undefined && found !== undefined) typed.value = found;
    });
  }, [key]);
  return {
    get value() {
      return typed.value ?? empty;
    },
    set: (change) => {
      typed.value = { ...(typed.value ?? empty), ...change };
      void keep(key, typed.value);
    },
    forget: () => {
      typed.value = undefined;
      void forget(key);
    },
  };
}
