import type { Command } from 'commander';
import { readConfig } from '../config/config.ts';
import type { Context } from './client/context.ts';
import { badUsage, CliFailure } from './terminal/failure.ts';
import { write, writeJson } from './terminal/io.ts';

export function addMigrate(program: Command, { io }: Context): void {
  program
    .command('migrate')
    .description('upgrade the tables of DATABASE_URL to this version, and exit; serve does it, too')
    .option('--json', 'print {"migrations","functions"}')
    .addHelpText(
      'after',
      `
Reads the variables of the service, and waits DATABASE_WAIT_SECONDS for PostgreSQL. Running services keep serving.
Use it if the role of the service may not change tables, or as a step before a deployment. The exit code is 0 if
the database is up to date.

Examples:
  DATABASE_URL=postgres://owner@db.internal/session_launch session-launch migrate`,
    )
    .action(async (options: { json?: true }) => {
      const { database, databaseWaitSeconds, logLevel } = readConfig(io.env, io.cwd);
      if (database.engine !== 'postgres')
        throw badUsage('DATABASE_URL is not set; the embedded engine is upgraded when the service starts');
      const [{ migratePostgres }, { createLog }, { StoppedDuringStart }] = await Promise.all([
        import('../start/migrate.ts'),
        import('../observe/log.ts'),
        import('../store/postgres/database-wait.ts'),
      ]);
      const log = createLog(logLevel);
      const { migrations, functions } = await migratePostgres({
        url: database.url,
        waitSeconds: databaseWaitSeconds,
        log,
      }).catch((error) => {
        if (!(error instanceof StoppedDuringStart)) throw error;
        throw new CliFailure('stopped before the upgrade was complete; run it again');
      });
      if (options.json) return writeJson(io.stdout, { migrations, functions });
      const changes = [...migrations, ...functions];
      await write(
        io.stdout,
        changes.length === 0
          ? 'the database is up to date; nothing was changed\n'
          : `the database is up to date; applied ${changes.join(', ')}\n`,
      );
    });
}
