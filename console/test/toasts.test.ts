import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { dismiss, hold, release, toast, toasts } from '../src/state/toasts.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  for (const { id } of toasts.value) dismiss(id);
  vi.useRealTimers();
});

const shown = () => toasts.value.map(({ text }) => text);
/** Shows a toast and returns its id. */
function shownId(text: string): number {
  toast(text);
  return toasts.value.at(-1)!.id;
}

test('a toast disappears after 8 seconds, an error stays', () => {
  toast('done');
  toast('failed', { tone: 'bad' });
  vi.advanceTimersByTime(7_999);
  expect(shown()).toEqual(['done', 'failed']);
  vi.advanceTimersByTime(1);
  expect(shown()).toEqual(['failed']);
});

test('a toast stays while the pointer is over it or it has the focus, and 8 seconds longer', () => {
  const id = shownId('done');
  vi.advanceTimersByTime(7_000);
  hold(id, 'pointer');
  hold(id, 'focus');
  vi.advanceTimersByTime(60_000);
  release(id, 'pointer');
  vi.advanceTimersByTime(60_000);
  expect(shown()).toEqual(['done']);
  release(id, 'focus');
  vi.advanceTimersByTime(7_999);
  expect(shown()).toEqual(['done']);
  vi.advanceTimersByTime(1);
  expect(shown()).toEqual([]);
});

test('a fourth toast replaces the oldest that is not held', () => {
  hold(shownId('one'), 'focus');
  for (const text of ['two', 'three', 'four']) toast(text);
  expect(shown()).toEqual(['one', 'three', 'four']);
  vi.advanceTimersByTime(8_000);
  expect(shown()).toEqual(['one']);
});

test('an error that was held does not disappear when it is released', () => {
  toast('failed', { tone: 'bad' });
  const { id } = toasts.value[0]!;
  hold(id, 'pointer');
  release(id, 'pointer');
  vi.advanceTimersByTime(60_000);
  expect(shown()).toEqual(['failed']);
});
