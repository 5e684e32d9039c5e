import './link.ts';
import { computed, signal } from '@preact/signals';

export interface Route {
  projectId?: string;
  /** The part of the address that names a screen; empty for the start page. */
  screen: string;
  /** What follows the screen: an experience or a session, and a tab. */
  rest: string[];
  query: Record<string, string>;
}

/** Parses `#/prj_demo/sessions/ses_1?status=active`. */
function parseHash(hash: string): Route {
  const [path = '', search = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  const segments = path.split('/').filter(Boolean).map(decoded);
  const query = Object.fromEntries(new URLSearchParams(search));
  const projectId = segments[0]?.startsWith('prj_') ? segments.shift() : undefined;
  const [screen = projectId === undefined ? '' : 'overview', ...rest] = segments;
  return { ...(projectId === undefined ? {} : { projectId }), screen, rest, query };
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** Builds a hash. Empty query values are left out. */
export function hashOf(segments: readonly string[], query: Record<string, string | undefined> = {}): string {
  const search = new URLSearchParams(
    Object.entries(query).filter((pair): pair is [string, string] => Boolean(pair[1])),
  ).toString();
  return `#/${segments.map(encodeURIComponent).join('/')}${search === '' ? '' : `?${search}`}`;
}

const hash = signal(location.hash);
let onLeave: (() => void) | undefined;

/** Stays at the present address: Back, Forward and new addresses are taken back, and `call` is called. Returns a function that ends this. */
export function stayHere(call: () => void): () => void {
  onLeave = call;
  return () => {
    onLeave = undefined;
  };
}

addEventListener('hashchange', () => {
  if (onLeave === undefined || location.hash === hash.value) {
    hash.value = location.hash;
    return;
  }
  history.pushState(null, '', hash.value || location.pathname);
  onLeave();
});

export const route = computed(() => parseHash(hash.value));

export function goTo(next: string): void {
  location.hash = next;
}

/** Changes the query of the current address without a new entry in the history, for filters. */
export function setQuery(query: Record<string, string | undefined>): void {
  const { projectId, screen, rest } = route.value;
  const segments = [...(projectId === undefined ? [] : [projectId]), screen, ...rest];
  history.replaceState(null, '', hashOf(segments, query));
  hash.value = location.hash;
}
