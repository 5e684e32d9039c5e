import type { Command } from 'commander';
import { readConfig } from '../config/config.ts';
import type { Context } from './client/context.ts';
import { hasColours } from './terminal/io.ts';
import { variableLines } from './variable-lines.ts';

export function addServe(program: Command, { io }: Context): void {
  program
    .command('serve')
    .description('start the service; it runs until SIGTERM or SIGINT')
    .addHelpText('after', `\nEnvironment variables:\n${variableLines('service')}`)
    .action(async () => {
      const config = readConfig(io.env, io.cwd);
      // Imported lazily: the other commands only need an HTTP client and start faster.
      const { serve } = await import('../start/serve.ts');
      await serve(config, { colours: hasColours(io) });
    });
}
