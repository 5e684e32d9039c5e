import type { Availability } from '@session-launch/contract/availability';
import type { Command } from 'commander';
import type { Context } from './client/context.ts';
import { within } from './client/deadline.ts';
import { CliFailure, ExitWith } from './terminal/failure.ts';
import { checkId } from './terminal/ids.ts';
import { printable, write } from './terminal/io.ts';

interface CheckOptions {
  origin: string;
  door: string;
  url?: string;
  json?: true;
}

const timeoutSeconds = 10;

/** `check`: asks whether a page could start a session, as the page itself would. */
export function addCheck(program: Command, { io, admin }: Context): void {
  program
    .command('check')
    .description('ask whether a page could start a session of an experience now')
    .argument('<experienceId>')
    .requiredOption('--origin <origin>', 'origin of the page, such as https://app.example.com')
    .option('--door <name>', 'the endpoint that the page mints with: browser or public', 'browser')
    .option('--url <address>', 'public address of the service; by default read from the admin API')
    .option('--json', 'print the response of the service')
    .addHelpText(
      'after',
      '\nExits with 0 if a session could start, and with 1 if not.\n\nExample:\n  session-launch check exp_harbor_guide --origin http://localhost:5173',
    )
    .action(async (experienceId: string, { origin, door, url, json }: CheckOptions) => {
      checkId('exp', experienceId);
      const base = url ?? (await admin().json('publicUrl', 'GET /admin/status')).publicUrl;
      const answer = await ask(base, experienceId, origin, door);
      await write(
        io.stdout,
        json ? `${JSON.stringify(answer)}\n` : describe(answer, experienceId, printable(origin)),
      );
      if (!answer.available) throw new ExitWith(1);
    });
}

async function ask(base: string, experienceId: string, origin: string, door: string): Promise<Availability> {
  const query = new URLSearchParams({ door });
  const url = `${base.replace(/\/+$/, '')}/v1/experiences/${experienceId}/availability?${query}`;
  try {
    return await within(timeoutSeconds, async (signal) => {
      const response = await fetch(url, { headers: { Origin: origin }, signal });
      const body = (await response.json().catch(() => ({}))) as Availability & {
        error?: { message: string };
      };
      if (response.ok) return body;
      const reason = printable(String(body.error?.message ?? response.status));
      throw new CliFailure(`the service did not return the availability: ${reason}`);
    });
  } catch (cause) {
    if (cause instanceof CliFailure) throw cause;
    throw new CliFailure(`cannot reach the service at ${printable(base)}`, { cause });
  }
}

function describe(answer: Availability, experienceId: string, origin: string): string {
  if (answer.available) return `a page at ${origin} can start ${experienceId}\n`;
  const again =
    answer.retryAfter === undefined ? '' : ` (retry in ${printable(String(answer.retryAfter))} s)`;
  return `a page at ${origin} cannot start ${experienceId}: ${printable(String(answer.code))}${again}\n${printable(String(answer.message))}\n`;
}
