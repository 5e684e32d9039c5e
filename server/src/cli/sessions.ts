import type { SessionPage } from '@session-launch/contract/admin/sessions';
import {
  type SessionRecord,
  type Source,
  type Status,
  sources,
  statuses,
} from '@session-launch/contract/session';
import { type Command, Option } from 'commander';
import type { AdminClient } from './client/admin-client.ts';
import type { Context } from './client/context.ts';
import { CliFailure } from './terminal/failure.ts';
import { checkId } from './terminal/ids.ts';
import { type Io, write } from './terminal/io.ts';
import { Table } from './terminal/table.ts';
import { wholeNumber } from './terminal/whole-number.ts';

interface ListOptions {
  project: string;
  limit?: number;
  experience?: string;
  status?: Status;
  source?: Source;
  user?: string;
  json?: true;
}

const pageSize = 500;

export function addSessions(program: Command, { io, admin }: Context): void {
  const sessions = program.command('sessions').description('list the sessions of a project');
  sessions
    .command('list')
    .description('list the sessions of a project; all of them, unless --limit is given')
    .requiredOption('--project <id>', 'project whose sessions to list')
    .option('--limit <n>', 'maximum number of sessions', wholeNumber)
    .option('--experience <id>', 'only sessions of this experience')
    .addOption(new Option('--status <status>', 'only sessions with this status').choices(statuses))
    .addOption(new Option('--source <source>', 'only sessions with this source').choices(sources))
    .option('--user <id>', 'only sessions with this userId')
    .option('--json', 'print an array of session records')
    .addHelpText(
      'after',
      '\nExamples:\n  session-launch sessions list --project prj_demo --limit 20\n  session-launch sessions list --project prj_demo --status ended --json',
    )
    .action(async (options: ListOptions) => {
      const project = checkId('prj', options.project);
      if (options.experience !== undefined) checkId('exp', options.experience);
      const pages = pagesOf(admin(), project, options);
      await (options.json ? printJson(io, pages) : printTable(io, pages));
    });
}

async function* pagesOf(
  admin: AdminClient,
  project: string,
  options: ListOptions,
): AsyncGenerator<SessionRecord[]> {
  let left = options.limit ?? Number.POSITIVE_INFINITY;
  let cursor: string | undefined;
  do {
    const page: SessionPage = await admin.json('sessions', 'GET /admin/projects/{projectId}/sessions', {
      params: { projectId: project },
      query: {
        limit: String(Math.min(pageSize, left)),
        cursor,
        experienceId: options.experience,
        status: options.status,
        source: options.source,
        userId: options.user,
      },
    });
    yield page.sessions.slice(0, left);
    left -= page.sessions.length;
    if (page.nextCursor !== undefined && page.nextCursor === cursor) {
      throw new CliFailure('the admin API returned the same page twice; the list is incomplete');
    }
    cursor = page.nextCursor;
  } while (cursor !== undefined && left > 0);
}

/** Prints an array with one record per line: valid JSON that grep can search. */
async function printJson(io: Io, pages: AsyncIterable<SessionRecord[]>): Promise<void> {
  let separator = '[';
  for await (const page of pages) {
    if (page.length === 0) continue;
    await write(io.stdout, `${separator}${page.map((record) => JSON.stringify(record)).join(',\n')}`);
    separator = ',\n';
  }
  await write(io.stdout, separator === '[' ? '[]\n' : ']\n');
}

async function printTable(io: Io, pages: AsyncIterable<SessionRecord[]>): Promise<void> {
  const table = new Table<SessionRecord>({
    CREATED: (session) => session.createdAt,
    SESSION: (session) => session.sessionId,
    EXPERIENCE: (session) => session.experienceId,
    STATUS: (session) => session.status,
    SOURCE: (session) => session.source,
    LOCALE: (session) => session.locale,
    USER: (session) => session.userId,
  });
  let count = 0;
  for await (const page of pages) {
    count += page.length;
    if (page.length > 0) await write(io.stdout, table.text(page));
  }
  if (count === 0) await write(io.stdout, 'no sessions\n');
}
