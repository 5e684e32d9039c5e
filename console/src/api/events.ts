import { signal } from '@preact/signals';
import { adminUrl, request } from './client.ts';

/** A change that the service announced. */
export interface Announced {
  kind: string;
  id?: string;
  projectId?: string;
}

/** Whether the stream of changes is open, in this tab or in the one that has it. */
export const connection = signal<'connecting' | 'open' | 'lost'>('connecting');

const retryMs = 5_000;

const listeners = new Set<{ kinds: readonly string[]; call: (event: Announced) => void }>();
const channel = new BroadcastChannel('session-launch-events');

/** Calls back when something of these kinds changes. Returns a function that stops it. */
export function onChange(kinds: readonly string[], call: (event: Announced) => void): () => void {
  const listener = { kinds, call };
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function announce(event: Announced): void {
  // After a gap anything may have changed.
  for (const { kinds, call } of listeners)
    if (event.kind === 'gap' || kinds.includes(event.kind)) call(event);
}

channel.onmessage = ({ data }: MessageEvent<{ event?: Announced; state?: typeof connection.value }>) => {
  if (data.event !== undefined) announce(data.event);
  if (data.state !== undefined) connection.value = data.state;
};

function tell(event: Announced): void {
  announce(event);
  channel.postMessage({ event });
}

function setState(state: typeof connection.value): void {
  connection.value = state;
  channel.postMessage({ state });
}

/**
 * Keeps one stream of changes per browser: the tab that holds the lock has it and passes events on. A hidden tab gives it up. Call it once
 * somebody has signed in.
 */
export function followChanges(): void {
  let release: (() => void) | undefined;
  const follow = () => {
    if (document.hidden || release !== undefined) return;
    const abort = new AbortController();
    release = () => abort.abort();
    navigator.locks
      .request('session-launch-events', { signal: abort.signal }, () => stream(abort.signal))
      .catch(() => undefined);
  };
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden) {
      announce({ kind: 'gap' });
      follow();
      return;
    }
    release?.();
    release = undefined;
  });
  follow();
}

/** Reads the stream until the tab is hidden. EventSource reconnects automatically unless the service refuses the request. */
function stream(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    let source: EventSource | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const open = () => {
      source = new EventSource(adminUrl('events'));
      source.onopen = () => {
        if (connection.value === 'lost') tell({ kind: 'gap' });
        setState('open');
      };
      source.onerror = () => {
        setState('lost');
        if (source?.readyState === EventSource.CLOSED) timer = setTimeout(reopen, retryMs);
      };
      source.addEventListener('change', ({ data }) => tell(JSON.parse(data) as Announced));
      source.addEventListener('session', () => tell({ kind: 'session' }));
      source.addEventListener('tally', () => tell({ kind: 'tally' }));
    };
    // The stream of a login that has ended is refused: ask for a new one first.
    const reopen = async () => {
      const isReachable = await request('me').then(
        () => true,
        () => false,
      );
      if (signal.aborted) return;
      if (isReachable) open();
      else timer = setTimeout(reopen, retryMs);
    };
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      source?.close();
      resolve();
    });
    open();
  });
}
