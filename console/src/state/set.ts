import type { Signal } from '@preact/signals';

/** Sets a signal, as an expression for event handlers. */
export function set<T>(signal: Signal<T>, value: T): void {
  signal.value = value;
}
