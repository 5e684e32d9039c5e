import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { ApiFailure } from '../api/client.ts';
import { onChange } from '../api/events.ts';

/** The state of data that a screen shows. While it is loaded again, the data shown before stays. */
export interface Loaded<T> {
  data: T | undefined;
  error: unknown;
  reload(): Promise<void>;
}

const retryMs = 5_000;

/**
 * Loads data when the keys change, and again when the service announces a change of one of these kinds. While the service does not
 * answer, it is asked again every few seconds.
 */
export function useLoad<T>(
  keys: readonly unknown[],
  load: (signal: AbortSignal) => Promise<T>,
  kinds: readonly string[] = [],
): Loaded<T> {
  const data = useSignal<T | undefined>(undefined);
  const error = useSignal<unknown>(undefined);
  const latest = useRef<() => Promise<void>>(async () => {});
  const reload = () => latest.current();
  useEffect(() => {
    const abort = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    data.value = undefined;
    error.value = undefined;
    latest.current = () =>
      run(load, abort.signal, data, error, (again) => {
        clearTimeout(timer);
        if (again) timer = setTimeout(reload, retryMs);
      });
    void reload();
    return () => {
      abort.abort();
      clearTimeout(timer);
    };
  }, keys);
  useEffect(() => onChange(kinds, () => void reload()), [kinds.join(' ')]);
  return { data: data.value, error: error.value, reload };
}

async function run<T>(
  load: (signal: AbortSignal) => Promise<T>,
  signal: AbortSignal,
  data: Signal<T | undefined>,
  error: Signal<unknown>,
  retry: (again: boolean) => void,
): Promise<void> {
  retry(false);
  try {
    const loaded = await load(signal);
    if (signal.aborted) return;
    data.value = loaded;
    error.value = undefined;
  } catch (failure) {
    if (signal.aborted) return;
    error.value = failure;
    retry(failure instanceof ApiFailure && (failure.code === 'OFFLINE' || failure.status === 503));
  }
}
