import type { SessionPage } from '@session-launch/contract/admin/sessions';
import {
  type SessionRecord,
  type Source,
  type Status,
  sources,
  statuses,
} from '@session-launch/contract/session';
import { type Command, Option } from 'commander';
import { addList, type ListOptions } from './client/commands.ts';
import type { Context } from './client/context.ts';
import { CliFailure } from './terminal/failure.ts';
import { checkId } from './terminal/ids.ts';
import { wholeNumber } from './terminal/whole-number.ts';

interface Options extends ListOptions {
  limit?: number;
  experience?: string;
  status?: Status;
  source?: Source;
  user?: string;
}

const pageSize = 500;

export function addSessions(program: Command, context: Context): void {
  const sessions = program.command('sessions').description('list the sessions of a project');
  addList<SessionRecord, Options>(sessions, context, {
    description: 'list the sessions of a project; all of them, unless --limit is given',
    project: 'project whose sessions to list',
    options: [
      new Option('--limit <n>', 'maximum number of sessions').argParser(wholeNumber),
      new Option('--experience <id>', 'only sessions of this experience'),
      new Option('--status <status>', 'only sessions with this status').choices(statuses),
      new Option('--source <source>', 'only sessions with this source').choices(sources),
      new Option('--user <id>', 'only sessions with this userId'),
    ],
    json: 'print an array of session records',
    examples:
      '\nExamples:\n  session-launch sessions list --project prj_demo --limit 20\n  session-launch sessions list --project prj_demo --status ended --json',
    empty: () => 'no sessions',
    columns: {
      CREATED: (session) => session.createdAt,
      SESSION: (session) => session.sessionId,
      EXPERIENCE: (session) => session.experienceId,
      STATUS: (session) => session.status,
      SOURCE: (session) => session.source,
      LOCALE: (session) => session.locale,
      USER: (session) => session.userId,
    },
    read: pagesOf,
  });
}

async function* pagesOf(
  admin: Context['admin'],
  { project, ...options }: Options,
): AsyncGenerator<SessionRecord[]> {
  if (options.experience !== undefined) checkId('exp', options.experience);
  let left = options.limit ?? Number.POSITIVE_INFINITY;
  let cursor: string | undefined;
  do {
    const page: SessionPage = await admin().json('sessions', 'GET /admin/projects/{projectId}/sessions', {
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
