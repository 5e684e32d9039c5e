import './link.ts';
import { computed, signal } from '@preact/signals';

/** The screens of a project, in the order of the navigation. */
export const projectScreens = [
  'overview',
  'experiences',
  'keys',
  'embeds',
  'sessions',
  'limits',
  'activity',
] as const;
export type ProjectScreen = (typeof projectScreens)[number];

/** The screens of the whole service. */
export const serviceScreens = ['team', 'system'] as const;
export type ServiceScreen = (typeof serviceScreens)[number];

export interface Route {
  projectId?: string;
  screen: ProjectScreen | ServiceScreen | 'parts' | 'home' | 'unknown';
  /** What follows the screen: an experience or a session, and a tab. */
  rest: string[];
  query: Record<string, string>;
}

/** Parses `#/prj_demo/sessions/ses_1?status=active`. */
function parseHash(hash: string): Route {
  const [path = '', search = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  const segments = path.split('/').filter(Boolean).map(decoded);
  const query = Object.fromEntries(new URLSearchParams(search));
  const [first, second, ...rest] = segments;
  if (first === undefined) return { screen: 'home', rest: [], query };
  if (first === 'team' || first === 'system' || first === 'parts')
    return { screen: first, rest: segments.slice(1), query };
  if (!first.startsWith('prj_')) return { screen: 'unknown', rest: [], query };
  const screen = second === undefined ? 'overview' : projectScreens.find((name) => name === second);
  return { projectId: first, screen: screen ?? 'unknown', rest, query };
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
