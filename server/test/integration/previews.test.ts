import type { Answer } from '@session-launch/testing/http.ts';
import type { Target } from '@session-launch/testing/target.ts';
import { createWorld, expectError, sessionsOf } from '@session-launch/testing/world.ts';
import { expect, test } from 'vitest';
import { deleteExpiredPreviews } from '../../src/previews/previews.ts';
import { sha256Hex } from '../../src/primitives/sha256.ts';
import { deleteIn } from '../harness/deletion.ts';
import { startService, useService } from '../harness/service.ts';

const service = useService({ ADMIN_URL: 'https://admin.example.com' });

const run = <Row>(text: string) => service.database.query<Row>('admin', { text });
const exchange = (target: Target, code: string): Promise<Answer> =>
  target.call({ method: 'POST', path: '/preview-sessions', body: { code } });

async function createPreview(experienceId: string, wish: object = {}) {
  const path = `/admin/experiences/${experienceId}/previews`;
  const { json } = await service.admin({ method: 'POST', path, body: wish });
  const { previewId, url } = json as { previewId: string; url: string };
  return { previewId, code: url.split('#')[1]!, url };
}

test('the link is below the public URL, and only the hash of its code is stored', async () => {
  const { experienceId } = await createWorld(service);
  const { previewId, code, url } = await createPreview(experienceId);
  expect(url).toBe(`${service.url}/preview/#${code}`);
  const [row] = await run<{ hash: string; text: string }>(
    `SELECT encode(hash, 'hex') AS hash, to_json(v)::text AS text FROM previews v WHERE id = '${previewId}'`,
  );
  expect(row!.hash).toBe(sha256Hex(code));
  expect(row!.text).not.toContain(code);
});

test('an expired link is not found and not listed, and housekeeping deletes it', async () => {
  const { experienceId } = await createWorld(service);
  const { previewId, code } = await createPreview(experienceId);
  const { code: lasting } = await createPreview(experienceId);
  expect((await exchange(service, code)).status).toBe(201);
  await run(`UPDATE previews SET expires_at = now() WHERE id = '${previewId}'`);
  expectError(await exchange(service, code), 404, 'PREVIEW_NOT_FOUND');
  const path = `/admin/experiences/${experienceId}/previews`;
  expect((await service.admin({ path })).json.previews).toHaveLength(1);
  await deleteExpiredPreviews(service.database);
  expect(await run(`SELECT id FROM previews WHERE experience_id = '${experienceId}'`)).toHaveLength(1);
  expect((await exchange(service, lasting)).status).toBe(201);
});

test('the minute of the rate limit ends', async () => {
  const { experienceId } = await createWorld(service);
  const { previewId, code } = await createPreview(experienceId);
  const begin = (sql: string) =>
    run(
      `UPDATE previews SET sessions = 20, minute_sessions = 20, minute_began_at = ${sql} WHERE id = '${previewId}'`,
    );
  await begin("now() - interval '30 seconds'");
  const refused = await exchange(service, code);
  expectError(refused, 429, 'RATE_LIMITED');
  expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(31);
  await begin("now() - interval '60 seconds'");
  expect((await exchange(service, code)).status).toBe(201);
  const [row] = await run(`SELECT sessions, minute_sessions FROM previews WHERE id = '${previewId}'`);
  expect(row).toEqual({ sessions: 21, minute_sessions: 1 });
});

test('two processes share the limits of a link, and a withdrawn link works in neither', async () => {
  const other = await startService({}, service);
  try {
    const { experienceId, projectId } = await createWorld(service);
    const { previewId, code } = await createPreview(experienceId, { maxSessions: 5 });
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, i) => exchange(i % 2 === 0 ? service : other, code)),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(5);
    expect(await sessionsOf(service, projectId)).toHaveLength(5);
    const second = await createPreview(experienceId);
    expect((await exchange(other, second.code)).status).toBe(201);
    await service.admin({ method: 'DELETE', path: `/admin/previews/${second.previewId}` });
    expectError(await exchange(other, second.code), 404, 'PREVIEW_NOT_FOUND');
    expectError(await exchange(service, second.code), 404, 'PREVIEW_NOT_FOUND');
    expect(previewId).not.toBe(second.previewId);
  } finally {
    await other.close();
  }
});

test('a link of a project that is being deleted is not found', async () => {
  const { experienceId, projectId } = await createWorld(service);
  const { code } = await createPreview(experienceId);
  await run(`UPDATE projects SET deleted_at = now() WHERE id = '${projectId}'`);
  expectError(await exchange(service, code), 404, 'PREVIEW_NOT_FOUND');
  const path = `/admin/experiences/${experienceId}/previews`;
  expectError(await service.admin({ path }), 404, 'EXPERIENCE_NOT_FOUND');
});

test('creating and deleting are audited, without the code', async () => {
  const { experienceId, projectId } = await createWorld(service);
  const { previewId, code } = await createPreview(experienceId, { locale: 'ja' });
  await service.admin({ method: 'DELETE', path: `/admin/previews/${previewId}` });
  await service.admin({ method: 'DELETE', path: `/admin/previews/${previewId}` });
  const rows = await run<{ action: string; text: string }>(
    `SELECT action, project_id, operator_id, to_json(a)::text AS text FROM audit a WHERE target = '${previewId}' ORDER BY id`,
  );
  const by = { project_id: projectId, operator_id: 'bootstrap', text: expect.any(String) };
  expect(rows).toEqual([
    { action: 'preview.create', ...by },
    { action: 'preview.delete', ...by },
  ]);
  expect(rows[0]!.text).toContain('"after":"ja"');
  for (const { text } of rows) expect(text).not.toContain(code);
});

test('deleting an experience deletes its links', async () => {
  const world = await createWorld(service);
  const { previewId, code } = await createPreview(world.experienceId);
  await service.database.transaction((tx) => deleteIn(tx, world));
  expect(await run(`SELECT id FROM previews WHERE id = '${previewId}'`)).toEqual([]);
  expectError(await exchange(service, code), 404, 'PREVIEW_NOT_FOUND');
});

test('the page may be framed by the console only', async () => {
  const { status, headers, text } = await service.call({ path: '/preview/' });
  expect(status).toBe(200);
  const policy = headers['content-security-policy'] as string;
  const [, ancestors] = /frame-ancestors ([^;]*)/.exec(policy) ?? [];
  const { port } = new URL(service.adminUrl);
  expect(ancestors!.split(' ').sort()).toEqual(
    ['https://admin.example.com', `http://127.0.0.1:${port}`, `http://localhost:${port}`].sort(),
  );
  expect(policy).toContain("default-src 'none'; script-src 'self'");
  expect(headers).not.toHaveProperty('x-frame-options');
  expect(text).toContain('<h1 class="unseen" id="page-title">');
  for (const path of ['/site/preview.js', '/site/preview.css'])
    expect((await service.call({ path })).status).toBe(200);
});

/** Other databases of the server belong to other tests. */
const waitsForLock = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;

test('a link is not created for an experience that is deleted at the same moment', async () => {
  const world = await createWorld(service);
  const path = `/admin/experiences/${world.experienceId}/previews`;
  let creating: Promise<Answer> | undefined;
  await service.database.transaction(async (tx) => {
    await deleteIn(tx, world);
    creating = service.admin({ method: 'POST', path, body: {} });
    // The embedded engine runs one transaction at a time, so the request waits before its first statement there.
    if (service.database.engine === 'postgres') await expect.poll(() => run(waitsForLock)).not.toEqual([]);
  });
  expectError(await creating!, 404, 'EXPERIENCE_NOT_FOUND');
});
