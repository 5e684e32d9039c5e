import { type Command, InvalidArgumentError } from 'commander';
import type { Context } from './client/context.ts';
import { checkId } from './terminal/ids.ts';
import { write, writeJson } from './terminal/io.ts';

const maxGraceSeconds = 604_800;

interface SecretOptions {
  graceSeconds?: number;
  json?: true;
}

export function addTools(program: Command, { io, admin }: Context): void {
  const tools = program.command('tools').description('the secret that signs calls of the tools of a project');
  tools
    .command('secret')
    .argument('<projectId>', 'project whose tools are called')
    .description(
      'create or replace the secret that signs calls of tools, and print it; it cannot be shown again',
    )
    .option(
      '--grace-seconds <seconds>',
      'how long the old secret, if there is one, also signs; 86400 by default, at most 604800',
      seconds,
    )
    .option('--json', 'print {"secret","createdAt"} and, if there was one, when the old secret expires')
    .action(async (projectId: string, { graceSeconds, json }: SecretOptions) => {
      const created = await admin().json('secret', 'POST /admin/projects/{projectId}/tool-secret', {
        params: { projectId: checkId('prj', projectId) },
        body: { graceSeconds },
      });
      if (json) return writeJson(io.stdout, created);
      const { secret, oldExpiresAt } = created;
      const old = oldExpiresAt === undefined ? '' : ` The old secret also signs until ${oldExpiresAt}.`;
      await write(
        io.stdout,
        `${secret} signs the calls of the tools of ${projectId} from now on. It is shown only once: store it now.${old}\n`,
      );
    });
}

function seconds(value: string): number {
  const number = Number(value);
  if (/^\d+$/.test(value) && number <= maxGraceSeconds) return number;
  throw new InvalidArgumentError(`It must be a whole number from 0 to ${maxGraceSeconds}.`);
}
