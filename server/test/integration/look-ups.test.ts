import { createHash } from 'node:crypto';
import { createWorld, type World } from '@session-launch/testing/world.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { findExperiences, findListing } from '../../src/content/experiences.ts';
import { findKeys } from '../../src/keys/keys.ts';
import type { Database, Statement } from '../../src/store/database.ts';
import { useService } from '../harness/service.ts';

const service = useService();
let world: World;
/** Enough rows that a full table scan reads several times the allowed number of pages. */
const many = 5_000;
const everywhere = 'https://everywhere.example.com';

/** Inserts rows directly, and queries them before the tables are analysed. */
beforeAll(async () => {
  world = await createWorld(service);
  await service.database.transaction(async (tx) => {
    const experiences = `
      INSERT INTO experiences (id, project_id, slug, title, sort_order, status, public, allowed_origins, latest_revision,
                               created_at, updated_at)
      SELECT 'exp_many' || i, $1, 'many-' || i, 'Many', 0, 'published', true,
             ARRAY['https://www' || i || '.example.com', 'https://*.site' || i || '.example.com', $2],
             1, now(), now()
        FROM generate_series(1, ${many}) i`;
    await tx.query({ text: experiences }, [world.projectId, everywhere]);
    const revisions = `
      INSERT INTO revisions (experience_id, number, slug, title, runtime, created_at)
      SELECT 'exp_many' || i, 1, 'many-' || i, 'Many', r.runtime, now()
        FROM generate_series(1, ${many}) i, revisions r
       WHERE r.experience_id = $1 AND r.number = 1`;
    await tx.query({ text: revisions }, [world.experienceId]);
    const keys = `
      INSERT INTO api_keys (id, project_id, mode, hash, hint, scopes, created_at)
      SELECT 'key_many' || i, $1, 'test', sha256(i::text::bytea), '…', ARRAY['catalog:read'], now()
        FROM generate_series(1, ${many}) i`;
    await tx.query({ text: keys }, [world.projectId]);
  });
}, 120_000);

/** Number of database pages that a look-up reads, from the cache or from disk. */
async function pagesOf(lookUp: (database: Database) => Promise<unknown>): Promise<number> {
  let touched: number | undefined;
  const explaining = {
    query: async (_: string, { text }: Statement, values: unknown[]) => {
      const explain = { text: `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}` };
      const [row] = await service.database.transaction(async (tx) => {
        // The first call is not measured: the first call of a function on a connection reads system catalogs.
        await tx.query(explain, values);
        return tx.query<{ 'QUERY PLAN': [{ Plan: Record<string, number> }] }>(explain, values);
      });
      const { Plan: plan } = row!['QUERY PLAN'][0];
      touched = (plan['Shared Hit Blocks'] ?? 0) + (plan['Shared Read Blocks'] ?? 0);
      return [];
    },
  };
  await lookUp(explaining as unknown as Database);
  return touched!;
}

const hashOf = (i: number) => createHash('sha256').update(String(i)).digest('hex');

describe(`among ${many} experiences and keys, each look-up reads only a few pages, for`, () => {
  test('an existing and an unknown key', async () => {
    const hash = hashOf(777);
    expect((await findKeys(service.database, [hash])).get(hash)?.id).toBe('key_many777');
    expect(await pagesOf((database) => findKeys(database, [hash]))).toBeLessThan(30);
    expect(await pagesOf((database) => findKeys(database, ['00'.repeat(32)]))).toBeLessThan(30);
    const hundred = Array.from({ length: 100 }, (_, i) => hashOf(i * 50 + 1));
    expect((await findKeys(service.database, hundred)).size).toBe(100);
    expect(await pagesOf((database) => findKeys(database, hundred))).toBeLessThan(30 + 100 * 5);
  });

  test('an existing and an unknown experience', async () => {
    const found = await findExperiences(service.database, ['exp_many777', 'exp_nobody']);
    expect([...found.keys()]).toEqual(['exp_many777']);
    expect(found.get('exp_many777')).toMatchObject({
      projectId: world.projectId,
      status: 'published',
      public: true,
      revision: { experienceId: 'exp_many777', number: 1, slug: 'many-777', title: 'Many' },
    });
    expect(await pagesOf((database) => findExperiences(database, ['exp_many777']))).toBeLessThan(40);
    expect(await pagesOf((database) => findExperiences(database, ['exp_nobody']))).toBeLessThan(40);
  });

  test.each([
    ['on one list', 'https://www777.example.com', 'exp_many777'],
    ['covered by a wildcard', 'https://shop.site777.example.com', 'exp_many777'],
    ['on no list', 'https://nobody.example.com', undefined],
    ['the apex of a wildcard', 'https://site777.example.com', undefined],
  ])('an origin: %s', async (_, origin, experienceId) => {
    const found = await findListing(service.database, [origin], [undefined]);
    expect(found.get(origin)).toBe(experienceId);
    expect(await pagesOf((database) => findListing(database, [origin], [undefined]))).toBeLessThan(40);
  });

  test('an origin on every list', async () => {
    const first = (await findListing(service.database, [everywhere], [undefined])).get(everywhere);
    expect(first).toMatch(/^exp_many/);
    // The experience that listed the origin before is checked first.
    const again = await findListing(service.database, [everywhere], ['exp_many4321']);
    expect(again.get(everywhere)).toBe('exp_many4321');
    // If that one no longer lists it, any other may be returned.
    const moved = await findListing(service.database, [everywhere], [world.experienceId]);
    expect(moved.get(everywhere)).toMatch(/^exp_many/);
    expect(await pagesOf((database) => findListing(database, [everywhere], ['exp_many4321']))).toBeLessThan(
      40,
    );
  });
});

test('the size of an experience counts the allowlists of the experience and of its project', async () => {
  const origins = (name: string) => Array.from({ length: 500 }, (_, n) => `https://${name}-${n}.example.com`);
  const { experienceId, projectId } = await createWorld(service);
  const size = async () => (await findExperiences(service.database, [experienceId])).get(experienceId)!.size;
  const sizes = [await size()];
  for (const [table, id] of [
    ['experiences', experienceId],
    ['projects', projectId],
  ] as const) {
    const text = `UPDATE ${table} SET allowed_origins = allowed_origins || $2::text[] WHERE id = $1`;
    await service.database.query('everyday', { text }, [id, origins(table)]);
    sizes.push(await size());
  }
  const grown = [sizes[1]! - sizes[0]!, sizes[2]! - sizes[1]!];
  expect(grown).toEqual(['experiences', 'projects'].map((name) => JSON.stringify(origins(name)).length - 1));
});
