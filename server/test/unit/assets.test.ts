import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { expect, test } from 'vitest';
import { createServer } from '../../src/http/listener/server.ts';
import { type AssetDeps, assetRoutes } from '../../src/web/asset-routes.ts';

test('a missing folder at the start logs a warning with advice, and does not fail', async () => {
  const lines: string[] = [];
  const empty = await mkdtemp(join(tmpdir(), 'session-launch-no-assets-'));
  const server = createServer(pino({}, { write: (line) => void lines.push(line) }));
  const gallery = { find: async () => null };
  await server.register(assetRoutes, { assetsDir: empty, gallery } as unknown as AssetDeps);
  await server.ready();
  const warnings = lines.map((line) => JSON.parse(line)).filter(({ level }) => level === 40);
  expect(warnings.map(({ folder }) => folder)).toEqual([join(empty, 'avatars'), join(empty, 'locations')]);
  expect(warnings[0].msg).toContain('ASSETS_DIR');
  expect((await server.inject('/avatars/x.svg')).statusCode).toBe(404);
  await server.close();
  await rm(empty, { recursive: true });
});
