import { spawn } from 'node:child_process';
import type { Command } from 'commander';
import { checkRuntime } from '../config/config.ts';
import { environmentOfRuntime } from '../runtimes/environment.ts';
import { runtimeProgram } from '../runtimes/program.ts';
import type { Context } from './client/context.ts';
import { CliFailure } from './terminal/failure.ts';
import { variableLines } from './variable-lines.ts';

export function addRuntime(program: Command, { io }: Context): void {
  program
    .command('runtime')
    .description('run a standalone runtime for a service on another machine (ADMIN_URL, RUNTIME_TOKEN)')
    .addHelpText('after', `\nVariables:\n${variableLines('runtime')}`)
    .action(async () => {
      checkRuntime(io.env, io.cwd);
      const child = spawn(process.execPath, runtimeProgram(), {
        cwd: io.cwd,
        env: environmentOfRuntime(io.env),
        stdio: 'inherit',
      });
      // Forwards signals: a terminal sends them to both processes, a supervisor only to this one.
      const pass = (signal: NodeJS.Signals) => child.kill(signal);
      for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, pass);
      const code = await new Promise<number>((resolve, reject) => {
        child.once('error', reject);
        child.once('exit', (status) => resolve(status ?? 1));
      });
      for (const signal of ['SIGTERM', 'SIGINT'] as const) process.off(signal, pass);
      if (code !== 0) throw new CliFailure('the runtime has exited', { exitCode: code === 2 ? 2 : 1 });
    });
}
