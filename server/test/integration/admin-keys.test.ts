import { createHash } from 'node:crypto';
import { createKey, createWorld, expectError, mintFromServer } from '@session-launch/testing/world.ts';
import { expect, test } from 'vitest';
import { startService, useService } from '../harness/service.ts';

const service = useService();

test('only a hash of the key is stored', async () => {
  const world = await createWorld(service);
  const { key, keyId } = await createKey(service, world.projectId);
  const text = `SELECT k::text AS row, encode(hash, 'hex') AS hash FROM api_keys k WHERE id = $1`;
  const [stored] = await service.database.query<{ row: string; hash: string }>('admin', { text }, [keyId]);
  expect(stored?.hash).toBe(createHash('sha256').update(key).digest('hex'));
  expect(stored?.row).not.toContain(key.slice(8, 38));
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
  const text = `UPDATE api_keys SET expires_at = now() - interval '1 second' WHERE id = $1`;
  await service.database.query('admin', { text }, [keyId]);
  const [expired, unknown] = [await mint(key), await mint('sl_test_nothing')];
  expectError(expired, 401, 'API_KEY_INVALID');
  expect(expired.headers['www-authenticate']).toBe('Bearer');
  expect({ ...expired.json.error, requestId: '' }).toEqual({ ...unknown.json.error, requestId: '' });
});
