import { useSignal } from '@preact/signals';
import type { Kind } from '@session-launch/contract/resources';
import { useEffect, useRef } from 'preact/hooks';
import { ApiFailure, retryMs } from '../api/client.ts';
import { onChange } from '../api/events.ts';
import { coalesced } from './coalesce.ts';

/** The state of data that a screen shows. While it is loaded again, the data shown before stays. */
export interface Loaded<T> {
  data: T | undefined;
  error: unknown;
  reload(): Promise<void>;
}

/** The kinds of events: changes, and that counts may have changed. */
export type EventKind = Kind | 'tally';

/** Minimum milliseconds between two loads that changes cause. A busy service announces hundreds of changes per second. */
const changeMs = 1_000;

/**
 * Loads data when the keys change, and again when the service announces a change of one of these kinds. While the service does not
 * answer, it is asked again every few seconds.
 */
export function useLoad<T>(
  keys: readonly unknown[],
  load: (signal: AbortSignal) => Promise<T>,
  kinds: readonly EventKind[] = [],
): Loaded<T> {
  const data = useSignal<T | undefined>(undefined);
  const error = useSignal<unknown>(undefined);
  const latest = useRef<() => Promise<void>>(async () => {});
  const reload = () => latest.current();
  useEffect(() => {
    const abort = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let [started, shown] = [0, 0];
    data.value = undefined;
    error.value = undefined;
    latest.current = async () => {
      const own = ++started;
      clearTimeout(timer);
      let loaded: T | undefined;
      let failure: unknown;
      try {
        loaded = await load(abort.signal);
      } catch (thrown) {
        failure = thrown;
      }
      // An answer that arrives after that of a later request is outdated.
      if (abort.signal.aborted || own < shown) return;
      shown = own;
      if (failure === undefined) data.value = loaded;
      error.value = failure;
      clearTimeout(timer);
      if (isAway(failure)) timer = setTimeout(reload, retryMs);
    };
    void reload();
    return () => {
      abort.abort();
      clearTimeout(timer);
    };
  }, keys);
  useEffect(() => {
    const { call, stop } = coalesced(reload, changeMs);
    const remove = onChange(kinds, call);
    return () => {
      stop();
      remove();
    };
  }, [kinds.join(' ')]);
  return { data: data.value, error: error.value, reload };
}

/** Whether the service did not answer or has too many requests, so that the same request may succeed later. */
export function isAway(failure: unknown): failure is ApiFailure {
  return failure instanceof ApiFailure && (failure.code === 'OFFLINE' || isBusy(failure));
}

/** Whether the service refused a request because of its load, or of other requests of this operator. */
export function isBusy(failure: unknown): failure is ApiFailure {
  return failure instanceof ApiFailure && (failure.code === 'RATE_LIMITED' || failure.status === 503);
}
