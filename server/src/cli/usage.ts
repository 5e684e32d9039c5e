import type { UsageDay, UsageQuery } from '@session-launch/contract/admin/usage';
import type { Sent } from '@session-launch/contract/sent';
import type { Command } from 'commander';
import { csv } from '../statistics/csv.ts';
import type { Context } from './client/context.ts';
import { checkId } from './terminal/ids.ts';
import { write, writeJson } from './terminal/io.ts';
import { Table } from './terminal/table.ts';

interface UsageOptions {
  project: string;
  from?: string;
  to?: string;
  csv?: true;
  json?: true;
}

export function addUsage(program: Command, { io, admin }: Context): void {
  program
    .command('usage')
    .description('print the sessions and seconds of each experience and day')
    .requiredOption('--project <id>', 'project whose usage to print')
    .option('--from <day>', 'first UTC day, such as 2026-03-01; default: 29 days before the last one')
    .option('--to <day>', 'last UTC day, included; default: today')
    .option('--csv', 'print CSV')
    .option('--json', 'print an array of days')
    .addHelpText(
      'after',
      '\nExample:\n  session-launch usage --project prj_demo --from 2026-03-01 --to 2026-03-31 --csv',
    )
    .action(async ({ project, from, to, csv: isCsv, json }: UsageOptions) => {
      const route = 'GET /admin/projects/{projectId}/usage';
      const params = { projectId: checkId('prj', project) };
      const query: Sent<UsageQuery> = { from, to };
      const { days, counting } = await admin().json('days', route, { params, query });
      if (counting)
        await write(io.stderr, 'not all sessions have been counted yet: the numbers are lower bounds\n');
      if (isCsv) return write(io.stdout, csv(['day', 'experienceId', 'sessions', 'seconds'], days));
      if (json) return writeJson(io.stdout, days);
      const table = new Table<UsageDay>({
        DAY: ({ day }) => day,
        EXPERIENCE: ({ experienceId }) => experienceId,
        SESSIONS: ({ sessions }) => String(sessions),
        SECONDS: ({ seconds }) => String(seconds),
      });
      await write(io.stdout, days.length === 0 ? 'no sessions in this period\n' : table.text(days));
    });
}
