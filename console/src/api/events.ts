import { signal } from '@preact/signals';
import { ApiFailure, adminUrl, request, retryMs } from './client.ts';

/** A change that the service announced. */
export interface Announced {
  kind: string;
  id?: string;
  projectId?: string;
}

/**
 * The state of the stream of changes, in this tab or in the one that has it. `lost`: the service does not answer; `away`: it answers that
 * it is unavailable, for example without its database, or busy; `polling`: it answers, but opens no further stream.
 */
export const connection = signal<'connecting' | 'open' | 'lost' | 'away' | 'polling'>('connecting');

/** Milliseconds between two reads of what the screens show, without a stream. */
const pollMs = 15_000;

const listeners = new Set<{ kinds: readonly string[]; call: (event: Announced) => void }>();
const channel = new BroadcastChannel('session-launch-events');

/** Calls `call` for each change of these kinds, and after a gap. Returns a function that removes the listener. */
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
  // A hidden tab reads everything again when it is shown.
  if (data.event !== undefined && !document.hidden) announce(data.event);
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
 * Opens one stream of changes per browser: the tab that holds the lock reads it and broadcasts its events to the other tabs. A hidden tab
 * releases the lock. Call it after the sign-in.
 */
export function followChanges(): void {
  let release: (() => void) | undefined;
  const follow = () => {
    if (document.hidden || release !== undefined) return;
    const abort = new AbortController();
    release = () => abort.abort();
    void holdStream(abort.signal).catch(() => undefined);
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

/** Waits until no other tab of the browser has the stream, then reads it until the signal is aborted. */
async function holdStream(signal: AbortSignal): Promise<void> {
  const name = 'session-launch-events';
  const isFree = await navigator.locks.request(name, { ifAvailable: true }, async (lock) => {
    if (lock !== null) await stream(signal, 'first');
    return lock !== null;
  });
  if (!isFree && !signal.aborted)
    await navigator.locks.request(name, { signal }, () => stream(signal, 'after another tab'));
}

/** Reads the stream until the tab is hidden. EventSource reconnects automatically unless the service refuses the request. */
function stream(signal: AbortSignal, when: 'first' | 'after another tab'): Promise<void> {
  return new Promise((resolve) => {
    let source: EventSource | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    /** Interruptions since the stream was open. The one of a tab that was closed counts. */
    let failures = when === 'first' ? 0 : 1;
    /** Whether the service answered another request just before the stream was requested: then a refusal concerns the stream itself. */
    let hasAnswered = false;
    const open = () => {
      source = new EventSource(adminUrl('GET /admin/events'));
      source.onopen = () => {
        if (failures > 0) tell({ kind: 'gap' });
        failures = 0;
        hasAnswered = false;
        setState('open');
      };
      source.onerror = () => {
        failures++;
        if (source?.readyState === EventSource.CLOSED) {
          void reopen();
          return;
        }
        hasAnswered = false;
        // The service ends streams when the rights of an operator change; the browser reconnects at once.
        if (failures > 1) setState('lost');
      };
      source.addEventListener('change', ({ data }) => tell(JSON.parse(data) as Announced));
      source.addEventListener('session', () => tell({ kind: 'session' }));
      source.addEventListener('tally', () => tell({ kind: 'tally' }));
    };
    // The stream was refused. If the login has ended, this asks for a new one. If the service answers, the stream is requested again at
    // once. If it is refused nevertheless, the screens are read at intervals until the service opens a stream.
    const reopen = async () => {
      const isStreamRefused = hasAnswered;
      const failed = await request('GET /admin/me').then(() => undefined, stateAfter);
      if (signal.aborted) return;
      hasAnswered = failed === undefined;
      if (failed !== undefined) {
        setState(failed);
        timer = setTimeout(reopen, retryMs);
      } else if (isStreamRefused) {
        setState('polling');
        tell({ kind: 'gap' });
        timer = setTimeout(open, pollMs);
      } else open();
    };
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      source?.close();
      resolve();
    });
    open();
  });
}

/** What a failed request says about the service. */
function stateAfter(error: unknown): 'lost' | 'away' {
  return error instanceof ApiFailure && ['UNAVAILABLE', 'RATE_LIMITED'].includes(error.code)
    ? 'away'
    : 'lost';
}
