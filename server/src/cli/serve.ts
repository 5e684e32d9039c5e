import type { Command } from 'commander';
import { readConfig, variables } from '../config.ts';
import type { Context } from './context.ts';
import { hasColours } from './io.ts';

export function addServe(program: Command, { io }: Context): void {
  program
    .command('serve')
    .description('start the service; it runs until it gets SIGTERM or SIGINT')
    .addHelpText('after', `\nVariables:\n${variableLines()}`)
    .action(async () => {
      const config = readConfig(io.env, io.cwd);
      // Loaded here so that the commands that only speak HTTP start without the whole service.
      const { serve } = await import('../main.ts');
      await serve(config, { colours: hasColours(io) });
    });
}

function variableLines(): string {
  const width = Math.max(...variables.map(({ name }) => name.length));
  return variables
    .map(({ name, default: value, meaning }) => {
      const suffix = value === '' ? '' : ` [${value}]`;
      return `  ${name.padEnd(width)}  ${meaning}${suffix}`;
    })
    .join('\n');
}
