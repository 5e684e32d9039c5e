import { createKeySnippet, curlSnippet } from '@session-launch/contract/snippets';
import type { Config } from '../config/config.ts';
import type { App } from './app.ts';
import type { Demo } from './demo.ts';

export interface SummaryInput {
  app: App;
  config: Config;
  demo: Demo | undefined;
  /** A sign-in link for the holder of ADMIN_TOKEN. */
  consoleLink: string | undefined;
  colours: boolean;
}

/** The start-up summary: addresses, a sign-in link, the demo key (once) and a first request. */
export function summary({ app, config, demo, consoleLink, colours }: SummaryInput): string {
  const bold = (text: string) => (colours ? `\x1b[1m${text}\x1b[22m` : text);
  const dim = (text: string) => (colours ? `\x1b[2m${text}\x1b[22m` : text);
  const row = (name: string, value: string) => `  ${dim(name.padEnd(10))}${value}`;
  const store =
    config.database.engine === 'embedded'
      ? `embedded PostgreSQL in ${config.dataDir}`
      : 'PostgreSQL (DATABASE_URL)';
  const tokenFile = dim(`(token in ${config.admin.tokenFile})`);
  const isAdminOn = config.admin.token !== undefined || config.database.engine === 'embedded';
  const note = isAdminOn
    ? config.admin.token === undefined && tokenFile
    : dim('(for runtimes only; set ADMIN_TOKEN for the admin API)');
  const admin =
    app.adminUrl === undefined
      ? 'off (set ADMIN_TOKEN to switch it on)'
      : `${app.adminUrl}${note ? `  ${note}` : ''}`;
  const lines = [
    '',
    `  ${bold('Session launch service')} is running`,
    '',
    row('Public', app.publicUrl),
    row('Admin', admin),
    ...(consoleLink === undefined ? [] : [row('Console', consoleLink)]),
    row('Store', store),
    ...(demo ? ['', ...demoLines(app.publicUrl, demo, row, dim)] : []),
    '',
    '',
  ];
  return lines.join('\n');
}

function demoLines(
  publicUrl: string,
  demo: Demo,
  row: (name: string, value: string) => string,
  dim: (text: string) => string,
): string[] {
  const command = curlSnippet({
    publicUrl,
    key: demo.key === undefined ? { variable: 'API_KEY' } : { text: demo.key },
    body: { experienceId: demo.experienceId },
  });
  return [
    row('Project', `${demo.projectId}  ${dim('(demo; DEMO=off skips it)')}`),
    demo.key === undefined
      ? row('New key', createKeySnippet(demo.projectId))
      : row('API key', `${demo.key}  ${dim('(test key, shown only this once)')}`),
    '',
    demo.key === undefined ? '  Mint a session, with a key in API_KEY:' : '  Mint a session:',
    '',
    ...command.split('\n').map((line) => `  ${line}`),
  ];
}
