import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { onDatabase } from '@session-launch/testing/postgres-server.ts';
import pg from 'pg';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import type { Database } from '../../src/store/database.ts';
import { migrate } from '../../src/store/migrate.ts';
import { readMigrations } from '../../src/store/migrations.ts';

const onPostgres =
  inject('engine') === 'postgres' ? describe : (_name: string, _tests: () => void) => undefined;

onPostgres('an upgrade', () => {
  async function emptyDatabase(): Promise<string> {
    const server = inject('postgresUrl');
    const name = `upgrade_${randomBytes(6).toString('hex')}`;
    await onDatabase(server, (client) => client.query(`CREATE DATABASE ${name}`));
    onTestFinished(async () => {
      await onDatabase(server, (client) => client.query(`DROP DATABASE ${name} WITH (FORCE)`));
    });
    return server.replace(/\/postgres$/, `/${name}`);
  }

  const postgres = { engine: 'postgres' } as Database;
  const versions = (url: string) =>
    onDatabase(url, async (client) => {
      const { rows } = await client.query('SELECT version FROM schema_migrations ORDER BY version');
      return rows.map(({ version }) => version);
    });

  async function connection(url: string): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: url, statement_timeout: 10_000 });
    client.on('error', () => undefined);
    await client.connect();
    onTestFinished(() => client.end());
    return client;
  }

  /** A step that needs the table `sessions` for itself, as most changes of a table do. */
  const next = {
    version: 1_000,
    statements: ['LOCK TABLE sessions IN ACCESS EXCLUSIVE MODE', 'ALTER TABLE sessions ADD COLUMN more text'],
  };

  test('makes room for those who use the table while it has to wait for a long reader', async () => {
    const url = await emptyDatabase();
    await migrate(postgres, url);
    const reader = await connection(url);
    await reader.query('BEGIN; SELECT FROM sessions');
    const upgrading = migrate(postgres, url, [...(await readMigrations()), next]);
    const client = await connection(url);
    const waits = async () =>
      (
        await client.query(
          "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%LOCK TABLE%'",
        )
      ).rowCount === 1;
    for (let seen = 0; seen < 2; seen++) {
      while (!(await waits())) await sleep(10);
      // Not before the upgrade has given way, and well within the patience of a statement.
      await client.query('SELECT FROM sessions');
    }
    expect(await versions(url)).not.toContain(1_000);
    await reader.query('COMMIT');
    await upgrading;
    expect(await versions(url)).toContain(1_000);
  });

  test('that fails changes nothing', async () => {
    const url = await emptyDatabase();
    await migrate(postgres, url);
    const broken = { version: 1_000, statements: ['CREATE TABLE half ()', 'SELECT nonsense'] };
    await expect(migrate(postgres, url, [...(await readMigrations()), broken])).rejects.toThrow(
      /could not be brought up to date/,
    );
    expect(await versions(url)).toEqual([1]);
    expect(
      await onDatabase(
        url,
        async (client) => (await client.query("SELECT to_regclass('half') AS half")).rows,
      ),
    ).toEqual([{ half: null }]);
  });

  test('refuses a database from before the first release, and leaves it as it is', async () => {
    const url = await emptyDatabase();
    await onDatabase(url, (client) =>
      client.query('CREATE TABLE schema_migrations (id serial PRIMARY KEY, hash text, created_at bigint)'),
    );
    await expect(migrate(postgres, url)).rejects.toThrow(/before the first release/);
  });

  test('refuses a database that another form of a step has made', async () => {
    const url = await emptyDatabase();
    const [first, ...later] = await readMigrations();
    const other = {
      ...first!,
      statements: [...first!.statements, 'ALTER TABLE sessions ADD COLUMN more text'],
    };
    await migrate(postgres, url, [other, ...later]);
    await expect(migrate(postgres, url)).rejects.toThrow(/cannot be upgraded/);
    await migrate(postgres, url, [other, ...later]);
  });
});

test('statements end with a semicolon at the end of a line, outside bodies of functions', async () => {
  const [first] = await readMigrations();
  const functions = first!.statements.filter((statement) => statement.includes('CREATE OR REPLACE FUNCTION'));
  expect(functions.length).toBeGreaterThan(5);
  for (const statement of functions) expect(statement).toMatch(/\$\$;$/);
});
