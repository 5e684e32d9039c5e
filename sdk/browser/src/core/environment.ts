import type { MintDeps } from './mint.ts';

/** The browser APIs that the core uses, injectable for tests. */
export interface Environment extends MintDeps {
  isBrowser: boolean;
  openAudio(): AudioContext | undefined;
  media(): MediaDevices | undefined;
  isSecure: boolean;
  /** Whether the page's Permissions Policy forbids the microphone. */
  isMicForbidden(): boolean;
  onPageHide(leave: () => void): () => void;
  /** Posts the token to the leave URL. A page that is being unloaded uses `sendBeacon`. */
  leave(url: string, token: string, how: 'beacon' | 'request'): void;
  warn(text: string): void;
}

/** Accesses browser APIs only when they are used, so that the SDK can be imported and created on a server. */
export function browserEnvironment(): Environment {
  const view = globalThis as unknown as Window & typeof globalThis;
  return {
    isBrowser: !!view.document && !!view.addEventListener,
    fetch: (...request) => fetch(...request),
    setTimeout: ((work: () => void, ms: number) => setTimeout(work, ms)) as typeof setTimeout,
    clearTimeout: (timer) => clearTimeout(timer),
    now: () => performance.now(),
    newKey: randomId,
    openAudio: () => {
      try {
        return new view.AudioContext({ latencyHint: 'interactive' });
      } catch {
        // The browser has none, or too many are open.
        return undefined;
      }
    },
    media: () => view.navigator?.mediaDevices,
    get isSecure() {
      return view.isSecureContext;
    },
    isMicForbidden: () => {
      type Policy = { allowsFeature(name: string): boolean };
      const page = view.document as { permissionsPolicy?: Policy; featurePolicy?: Policy };
      return (page.permissionsPolicy ?? page.featurePolicy)?.allowsFeature('microphone') === false;
    },
    onPageHide: (leave) => {
      view.addEventListener('pagehide', leave);
      return () => view.removeEventListener('pagehide', leave);
    },
    leave: (url, token, how) => {
      if (how === 'beacon' && view.navigator.sendBeacon(url, token)) return;
      const init: RequestInit = { method: 'POST', body: token, keepalive: true, credentials: 'omit' };
      view.fetch(url, init).catch(() => {});
    },
    warn: (text) => console.warn(text),
  };
}

/** 128 random bits. `crypto.randomUUID` exists only in secure contexts. */
export function randomId(): string {
  return crypto.getRandomValues(new Uint32Array(4)).join('-');
}
