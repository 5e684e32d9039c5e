import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { onDatabase } from '@session-launch/testing/postgres-server.ts';
import { createWorld } from '@session-launch/testing/world.ts';
import { readMigrationFiles } from 'drizzle-orm/migrator';
import pg from 'pg';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { newId } from '../../src/ids.ts';
import type { Database } from '../../src/store/database.ts';
import { migrate } from '../../src/store/migrate.ts';
import { useService } from '../harness/service.ts';

const service = useService();

/** A mint as the version before sends it: JSON, to a function that only it calls. */
function olderMint(projectId: string, experienceId: string, key: string, revision = 1): string[] {
  const hash = `\\x${Buffer.from(key).toString('hex').padEnd(64, '0')}`;
  const session = {
    ...{ id: newId('ses'), project_id: projectId, experience_id: experienceId, revision, livemode: true },
    ...{
      source: 'server',
      mode: 'conversation',
      speech_input_mode: 'auto',
      speech_only: false,
      locale: 'en',
    },
    ...{
      created_at: new Date(),
      token_issued_at: 1,
      token_expires_at: 2,
      token_issuer: 'i',
      token_key_id: 'k',
    },
  };
  const claim = {
    ...{ n: 0, hash, lock: String(BigInt.asIntN(64, BigInt(`0x${hash.slice(2, 18)}`))), fingerprint: hash },
    ...{ sessionId: session.id, expiresAt: new Date(Date.now() + 60_000) },
  };
  return [JSON.stringify([session]), JSON.stringify([claim])];
}

const older = {
  name: 'older_record',
  text: 'SELECT outcome, n, prior FROM record_mints($1, $2, NULL, false)',
};

test('what the version before calls works as it did', async () => {
  const { projectId, experienceId } = await createWorld(service);
  const record = (key: string, revision = 1) =>
    service.database.query('recording', older, olderMint(projectId, experienceId, key, revision));
  expect(await record('a')).toEqual([]);
  expect(await record('a')).toMatchObject([{ outcome: 'replayed', n: 0, prior: { project_id: projectId } }]);
  await expect(record('b', 99)).rejects.toMatchObject({ code: '23503', constraint: 'sessions_revision' });
  expect(await record('b')).toEqual([]);
});

const onPostgres =
  inject('engine') === 'postgres' ? describe : (_name: string, _tests: () => void) => undefined;

onPostgres('an upgrade while processes of the version before go on', () => {
  const migrations = join(import.meta.dirname, '../../migrations');

  /** A database as the first two migrations left it, with an experience. */
  async function olderDatabase(): Promise<string> {
    const server = inject('postgresUrl');
    const name = `upgrade_${randomBytes(6).toString('hex')}`;
    await onDatabase(server, (client) => client.query(`CREATE DATABASE ${name}`));
    onTestFinished(async () => {
      await onDatabase(server, (client) => client.query(`DROP DATABASE ${name} WITH (FORCE)`));
    });
    const url = server.replace(/\/postgres$/, `/${name}`);
    await onDatabase(url, async (client) => {
      await client.query(
        'CREATE TABLE schema_migrations (id serial PRIMARY KEY, hash text NOT NULL, created_at bigint)',
      );
      for (const { sql, hash, folderMillis } of readMigrationFiles({ migrationsFolder: migrations }).slice(
        0,
        2,
      )) {
        for (const statement of sql) await client.query(statement);
        await client.query('INSERT INTO schema_migrations (hash, created_at) VALUES ($1, $2)', [
          hash,
          folderMillis,
        ]);
      }
      await client.query(`
        BEGIN;
        INSERT INTO projects VALUES ('prj_a', 'A', true, '{}', NULL, NULL, NULL, now(), now());
        INSERT INTO experiences (id, project_id, slug, title, sort_order, status, public, allowed_origins,
                                 latest_revision, created_at, updated_at)
          VALUES ('exp_a', 'prj_a', 'a', 'A', 0, 'published', false, '{}', 1, now(), now());
        INSERT INTO revisions VALUES ('exp_a', 1, 'a', 'A', '{}', now());
        COMMIT`);
    });
    return url;
  }

  const upgrade = (url: string) => migrate({ engine: 'postgres' } as Database, url);
  const versions = (url: string) =>
    onDatabase(url, async (client) => (await client.query('SELECT FROM schema_migrations')).rowCount);

  async function connection(url: string): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: url, statement_timeout: 10_000 });
    client.on('error', () => undefined);
    await client.connect();
    onTestFinished(() => client.end());
    return client;
  }

  test('fails none of their mints, replays and look-ups', async () => {
    const url = await olderDatabase();
    let running = true;
    const work = Array.from({ length: 4 }, async (_, n) => {
      const client = await connection(url);
      for (let i = 0; running; i++) {
        // Every other one is a replay, which reads the sessions before it writes them.
        const values = olderMint('prj_a', 'exp_a', `${n}-${Math.floor(i / 2)}`);
        const { rows } = await client.query({ ...older, values });
        expect(rows).toHaveLength(i % 2);
        await client.query(`SELECT FROM revisions r JOIN experiences e ON e.id = r.experience_id`);
        await client.query(`SELECT FROM experiences e JOIN revisions r ON e.id = r.experience_id`);
      }
    });
    await Promise.race([upgrade(url), Promise.all(work)]);
    running = false;
    await Promise.all(work);
    expect(await versions(url)).toBe(3);
  });

  test('makes room for them again and again while it has to wait for a long reader', async () => {
    const url = await olderDatabase();
    const reader = await connection(url);
    await reader.query('BEGIN; SELECT FROM sessions');
    const upgrading = upgrade(url);
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
      await client.query({ ...older, values: olderMint('prj_a', 'exp_a', `key ${seen}`) });
    }
    expect(await versions(url)).toBe(2);
    await reader.query('COMMIT');
    await upgrading;
    expect(await versions(url)).toBe(3);
  });
});
