import { createHash } from 'node:crypto';
import { createKey, createWorld, expectError, mintFromServer } from '@session-launch/testing/world.ts';
import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { startService, useService } from '../harness/service.ts';

const service = useService();

test('only a hash of the key is stored', async () => {
  const world = await createWorld(service);
  const { key, keyId } = await createKey(service, world.projectId);
  const { rows } = (await service.database.orm.execute(
    sql`SELECT k::text AS row, encode(hash, 'hex') AS hash FROM api_keys k WHERE id = ${keyId}`,
  )) as unknown as { rows: { row: string; hash: string }[] };
  expect(rows[0]?.hash).toBe(createHash('sha256').update(key).digest('hex'));
  expect(rows[0]?.row).not.toContain(key.slice(8, 38));
});

test('API_KEY_PREFIX is the first part of new keys', async () => {
  const other = await startService({ API_KEY_PREFIX: 'acme' }, service);
  try {
    const world = await createWorld(other);
    expect([world.key, world.liveKey]).toEqual([
      expect.stringMatching(/^acme_test_/),
      expect.stringMatching(/^acme_live_/),
    ]);
  } finally {
    await other.close();
  }
});

test('an expired key gets the same response as an unknown one', async () => {
  const world = await createWorld(service);
  const mint = (key: string) => mintFromServer(service, key, { experienceId: world.experienceId });
  const { key, keyId } = await createKey(service, world.projectId, {
    expiresAt: new Date(Date.now() + 60_000).toISOString(),
  });
  await service.database.orm.execute(
    sql`UPDATE api_keys SET expires_at = now() - interval '1 second' WHERE id = ${keyId}`,
  );
  const [expired, unknown] = [await mint(key), await mint('sl_test_nothing')];
  expectError(expired, 401, 'API_KEY_INVALID');
  expect(expired.headers['www-authenticate']).toBe('Bearer');
  expect({ ...expired.json.error, requestId: '' }).toEqual({ ...unknown.json.error, requestId: '' });
});
