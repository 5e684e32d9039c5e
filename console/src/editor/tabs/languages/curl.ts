import type { SimulatedCase } from '@session-launch/contract/admin/simulation';
import { curlSnippet, type Snippet } from '@session-launch/contract/snippets';

const paths = { browser: 'browser-sessions', public: 'public-sessions' } as const;

interface Facts {
  publicUrl: string;
  experienceId: string;
  /** The origin of the page for each endpoint that pages call. */
  origins: { browser: string; public: string };
}

/** The command that sends a case as a real mint. */
export function curlOf({ door: endpoint, acceptLanguage, ...fields }: SimulatedCase, facts: Facts): Snippet {
  const { publicUrl, experienceId, origins } = facts;
  const body = { experienceId, ...fields };
  if (endpoint === 'server') return curlSnippet({ publicUrl, key: { variable: 'LAUNCH_KEY' }, body });
  const headers = {
    Origin: origins[endpoint],
    ...(acceptLanguage ? { 'Accept-Language': acceptLanguage } : {}),
  };
  return curlSnippet({ publicUrl, route: paths[endpoint], headers, body });
}

/** An allowed origin that a page can have: the first of the list, with a name in the place of a wildcard. */
export function originFrom(allowed: readonly string[]): string {
  return (allowed[0] ?? 'https://www.example.com').replace('*.', 'www.');
}
