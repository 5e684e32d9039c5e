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

export function toast(text: string, options: Partial<Pick<Toast, 'tone' | 'action' | 'owner'>> = {}): void {
  const id = ++last;
  toasts.value = [...toasts.value.slice(-2), { id, text, tone: 'good', ...options }];
  // Errors stay until they are dismissed.
  if (options.tone !== 'bad') setTimeout(() => dismiss(id), shownMs);
}

export function dismiss(id: number): void {
  toasts.value = toasts.value.filter((one) => one.id !== id);
}

export function dismissOf(owner: object): void {
  toasts.value = toasts.value.filter((one) => one.owner !== owner);
}
