import { signal } from '@preact/signals';

export interface Toast {
  id: number;
  text: string;
  tone: 'good' | 'bad';
  /** The label of the button and what it does, such as undoing a change. */
  action?: { label: string; run: () => void };
  /** The object that the action changes. The toast is dismissed with `dismissOf` when that object is no longer shown. */
  owner?: object;
}

export const toasts = signal<readonly Toast[]>([]);

let last = 0;
const shownMs = 8_000;
/** Maximum toasts at a time. A further one replaces the oldest. */
const maxShown = 3;

/** The running timers, by the ids of their toasts. */
const timers = new Map<number, ReturnType<typeof setTimeout>>();
/** Why toasts are kept: the pointer is over them, or they contain the focus. */
const holds = new Map<number, Set<'pointer' | 'focus'>>();

export function toast(text: string, options: Partial<Pick<Toast, 'tone' | 'action' | 'owner'>> = {}): void {
  const id = ++last;
  if (toasts.value.length >= maxShown) dismiss((toasts.value.find(isFree) ?? toasts.value[0]!).id);
  toasts.value = [...toasts.value, { id, text, tone: 'good', ...options }];
  startTimer(id);
}

export function dismiss(id: number): void {
  removeAll(({ id: one }) => one === id);
}

export function dismissOf(owner: object): void {
  removeAll((one) => one.owner === owner);
}

/** Keeps a toast until `release` is called for the same reason. */
export function hold(id: number, reason: 'pointer' | 'focus'): void {
  holds.set(id, new Set(holds.get(id)).add(reason));
  stopTimer(id);
}

/** Lets a toast disappear after the usual time, unless it is held for another reason. */
export function release(id: number, reason: 'pointer' | 'focus'): void {
  holds.get(id)?.delete(reason);
  startTimer(id);
}

function isFree({ id }: Toast): boolean {
  return (holds.get(id)?.size ?? 0) === 0;
}

function startTimer(id: number): void {
  stopTimer(id);
  const found = toasts.value.find((one) => one.id === id);
  // Errors stay until they are dismissed.
  if (found === undefined || found.tone === 'bad' || !isFree(found)) return;
  timers.set(
    id,
    setTimeout(() => dismiss(id), shownMs),
  );
}

function stopTimer(id: number): void {
  clearTimeout(timers.get(id));
  timers.delete(id);
}

function removeAll(isRemoved: (toast: Toast) => boolean): void {
  for (const { id } of toasts.value.filter(isRemoved)) {
    stopTimer(id);
    holds.delete(id);
  }
  toasts.value = toasts.value.filter((one) => !isRemoved(one));
}
