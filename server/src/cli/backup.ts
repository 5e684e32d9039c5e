import { resolve } from 'node:path';
import type { Command } from 'commander';
import { type Config, readConfig } from '../config/config.ts';
import { version } from '../config/version.ts';
import type { Context } from './client/context.ts';
import { badUsage, CliFailure } from './terminal/failure.ts';
import { type Io, printable, write, writeJson } from './terminal/io.ts';
import { showProgress } from './terminal/progress.ts';

const usedOn = `
Both commands read the variables of the service, above all DATA_DIR. Run them on its machine, as its user. They
are for the embedded engine; PostgreSQL has pg_dump and pg_restore.`;

export function addBackup(program: Command, { io }: Context): void {
  program
    .command('backup <file>')
    .description(
      'write the database, the signing keys and the tokens of DATA_DIR to a file; the service may run',
    )
    .option('--json', 'print {"file","bytes","createdAt","contains"}')
    .addHelpText(
      'after',
      `
The file is a compressed tar archive. It contains secrets, so only its owner can read it. An existing file is
replaced once the new one is complete. Sessions created before the command started are in it.
${usedOn}

Examples:
  session-launch backup session-launch.backup
  session-launch backup "/var/backups/session-launch-$(date +%F).backup" --json`,
    )
    .action(async (name: string, options: { json?: true }) => {
      const config = embeddedConfig(io);
      const { createBackup } = await import('@session-launch/engine');
      const { leftOut, ...backup } = await attempt(io, 'copying', (onProgress) =>
        createBackup({
          version,
          dataDir: config.dataDir,
          secretFiles: [
            config.signingKeysFile,
            config.admin.tokenFile,
            ...(config.runtime === undefined ? [] : [config.runtime.tokenFile]),
          ],
          file: resolve(io.cwd, name),
          onProgress,
        }),
      );
      for (const path of leftOut)
        await write(
          io.stderr,
          `session-launch: ${printable(path)} is outside DATA_DIR and not in the backup; copy it yourself\n`,
        );
      if (options.json) return writeJson(io.stdout, backup);
      await write(
        io.stdout,
        `${backup.file}: ${megabytes(backup.bytes)}, contains ${backup.contains.join(', ')}\n`,
      );
    });
}

export function addRestore(program: Command, { io }: Context): void {
  program
    .command('restore <file>')
    .description('restore a backup into DATA_DIR, which must be empty; then start the service')
    .option('--json', 'print {"dataDir","version","createdAt","contains"}')
    .addHelpText(
      'after',
      `
Nothing is changed if DATA_DIR is not empty or the file is damaged.
${usedOn}

Examples:
  DATA_DIR=./restored session-launch restore session-launch.backup`,
    )
    .action(async (name: string, options: { json?: true }) => {
      const { dataDir } = embeddedConfig(io);
      const { restoreBackup } = await import('@session-launch/engine');
      const restored = await attempt(io, 'restoring', (onProgress) =>
        restoreBackup({ file: resolve(io.cwd, name), dataDir, onProgress }),
      );
      if (options.json) return writeJson(io.stdout, restored);
      const { createdAt, contains } = restored;
      await write(
        io.stdout,
        `${dataDir}: restored ${contains.join(', ')} as of ${createdAt}; start the service with session-launch serve\n`,
      );
    });
}

function embeddedConfig(io: Io): Config {
  const config = readConfig(io.env, io.cwd);
  if (config.database.engine === 'embedded') return config;
  throw badUsage(
    'DATABASE_URL is set, and this command is for the embedded engine; use pg_dump and pg_restore for PostgreSQL',
  );
}

/** Shows progress, and turns the failures of the operation into those of a command. */
async function attempt<T>(
  io: Io,
  what: string,
  work: (onProgress: (bytes: number) => void) => Promise<T>,
): Promise<T> {
  const { BackupFailure } = await import('@session-launch/engine');
  let bytes = 0;
  try {
    return await showProgress(
      io,
      () => `${what} ${megabytes(bytes)}`,
      work((sofar) => {
        bytes = sofar;
      }),
    );
  } catch (error) {
    throw error instanceof BackupFailure ? new CliFailure(error.message, { cause: error }) : error;
  }
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
