import type { AuditEntry, AuditPage, AuditQuery } from '@session-launch/contract/admin/audit';
import type { Sent } from '@session-launch/contract/sent';
import type { Command } from 'commander';
import type { Context } from './client/context.ts';
import { checkId } from './terminal/ids.ts';
import { write } from './terminal/io.ts';
import { Table } from './terminal/table.ts';
import { wholeNumber } from './terminal/whole-number.ts';

interface AuditOptions {
  project?: string;
  operator?: string;
  action?: string;
  limit: number;
  json?: true;
}

const pageSize = 500;

export function addAudit(program: Command, { io, admin }: Context): void {
  program
    .command('audit')
    .description('list who changed what, newest first')
    .option('--project <id>', 'only changes in this project')
    .option('--operator <id>', 'only changes by this operator; bootstrap is the holder of ADMIN_TOKEN')
    .option('--action <action>', 'only this action, such as key.create')
    .option('--limit <n>', 'maximum number of changes', wholeNumber, 100)
    .option('--json', 'print one change per line, as JSON with all fields')
    .addHelpText(
      'after',
      '\nExamples:\n  session-launch audit --project prj_demo\n  session-launch audit --limit 1000000 --json > audit.ndjson',
    )
    .action(async (options: AuditOptions) => {
      const query: Sent<AuditQuery> = {
        projectId: options.project === undefined ? undefined : checkId('prj', options.project),
        operatorId: options.operator,
        action: options.action,
      };
      const table = new Table<AuditEntry>({
        AT: ({ at }) => at,
        BY: ({ actor }) => `${actor.name} (${actor.via})`,
        ACTION: ({ action }) => action,
        TARGET: ({ target }) => target,
        CHANGES: ({ changes }) => changes.map(({ path }) => path).join(' '),
      });
      let left = options.limit;
      let cursor: string | undefined;
      do {
        const limit = String(Math.min(pageSize, left));
        const page: AuditPage = await admin().json('entries', 'GET /admin/audit', {
          query: { ...query, limit, cursor },
        });
        const { entries } = page;
        if (options.json) {
          if (entries.length > 0)
            await write(io.stdout, entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''));
        } else if (entries.length > 0) await write(io.stdout, table.text(entries));
        else if (cursor === undefined) await write(io.stdout, 'no changes\n');
        left -= entries.length;
        cursor = page.nextCursor;
      } while (cursor !== undefined && left > 0);
    });
}
