import type { SimulatedCase } from '@session-launch/contract/admin/simulation';

const routes = { server: 'sessions', browser: 'browser-sessions', public: 'public-sessions' };

interface Facts {
  publicUrl: string;
  experienceId: string;
  /** The origin of the page for each route that pages call. */
  origins: { browser: string; public: string };
}

/** The command that sends a case as a real mint. */
export function curlOf({ door, acceptLanguage, ...fields }: SimulatedCase, facts: Facts): string {
  const { publicUrl, experienceId, origins } = facts;
  const headers =
    door === 'server'
      ? ['"Authorization: Bearer $LAUNCH_KEY"']
      : [`Origin: ${origins[door]}`, ...(acceptLanguage ? [`Accept-Language: ${acceptLanguage}`] : [])].map(
          quoted,
        );
  return [
    `curl -X POST ${quoted(`${publicUrl}/v1/${routes[door]}`)}`,
    ...[...headers, quoted('Content-Type: application/json')].map((header) => `-H ${header}`),
    `-d ${quoted(JSON.stringify({ experienceId, ...fields }))}`,
  ].join(' \\\n  ');
}

/** An allowed origin that a page can have: the first of the list, with a name in the place of a wildcard. */
export function originFrom(allowed: readonly string[]): string {
  return (allowed[0] ?? 'https://www.example.com').replace('*.', 'www.');
}

/** Quotes a text for the shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
