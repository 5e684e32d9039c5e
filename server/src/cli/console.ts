import type { Command } from 'commander';
import type { Context } from './client/context.ts';
import { checkId } from './terminal/ids.ts';
import { write, writeJson } from './terminal/io.ts';

export function addConsole(program: Command, { io, admin }: Context): void {
  program
    .command('console')
    .description('print a link that signs a browser in to the web console; it works once, for ten minutes')
    .option('--operator <id>', 'sign in as this operator instead of the holder of the token')
    .option('--json', 'print {"url","expiresAt"}')
    .addHelpText(
      'after',
      '\nExamples:\n  session-launch console\n  session-launch console --operator opr_01k…',
    )
    .action(async (options: { operator?: string; json?: true }) => {
      const operatorId = options.operator === undefined ? undefined : checkId('opr', options.operator);
      const link = await admin().json('url', 'POST /admin/login-links', { body: { operatorId } });
      if (options.json) return writeJson(io.stdout, { url: link.url, expiresAt: link.expiresAt });
      await write(io.stdout, `${link.url}\n`);
    });
}
