import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { apply, createWorld, expectError } from '@session-launch/testing/world.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PictureNotes } from '../../src/art/used-by.ts';
import { canResize, download, listArt, upload } from '../harness/art.ts';
import { jpeg, png, svg } from '../harness/pictures.ts';
import { type Service, startService } from '../harness/service.ts';

let assets: string;
let service: Service;
beforeAll(async () => {
  assets = await mkdtemp(join(tmpdir(), 'session-launch-art-'));
  await mkdir(join(assets, 'avatars', 'ada'), { recursive: true });
  await mkdir(join(assets, 'locations'));
  await writeFile(join(assets, 'avatars', 'ada', 'face one.jpg'), jpeg);
  await writeFile(join(assets, 'avatars', 'ada', 'words.png'), 'words');
  await writeFile(join(assets, 'locations', 'lab.svg'), svg());
  service = await startService({ ASSETS_DIR: assets });
});
afterAll(async () => {
  await service?.close();
  await rm(assets, { recursive: true, force: true });
});

const auditOf = (target: string) =>
  service.database.query(
    'admin',
    {
      text: 'SELECT action, project_id, name, changes FROM audit WHERE target = $1 ORDER BY id',
    },
    [target],
  );

test('a second process serves an upload, and within five seconds no longer after its deletion', async () => {
  const other = await startService({ ASSETS_DIR: assets }, service);
  try {
    const { projectId } = await createWorld(service);
    const { json: art } = await upload(service, projectId, png(12, 12));
    const served = await download(other.url + art.path);
    expect(served.content.equals(png(12, 12))).toBe(true);
    await service.admin({ method: 'DELETE', path: `/admin/projects/${projectId}/art/${art.artId}` });
    expectError(await service.call({ path: art.path }), 404, 'NOT_FOUND');
    await expect.poll(async () => (await download(other.url + art.path)).status).toBe(404);
  } finally {
    await other.close();
  }
});

test('repeated downloads read the content once', async () => {
  const { projectId } = await createWorld(service);
  const { json: art } = await upload(service, projectId, png(13, 13));
  const { query } = service.database;
  let reads = 0;
  service.database.query = (workload, statement, values) => {
    if (statement.name === 'read_art') reads++;
    return query.call(service.database, workload, statement, values) as never;
  };
  try {
    const served = await Promise.all(Array.from({ length: 20 }, () => download(service.url + art.path)));
    for (const { content } of served) expect(content.equals(png(13, 13))).toBe(true);
  } finally {
    service.database.query = query;
  }
  expect(reads).toBe(1);
});

test('a picture in a document is in use before, while and after revisions of an earlier version are searched for pictures', async () => {
  const world = await createWorld(service);
  const { projectId, experienceId } = world;
  const { json: art } = await upload(service, projectId, png(14, 14));
  const [one] = world.file.experiences;
  one!.runtime.characters[0]!.avatar = { avatarId: 'ada', modelPath: `https://cdn.example${art.path}` };
  await apply(service, world.file);
  const query = (text: string) =>
    service.database.query<{ paths: string[] }>('admin', { text }, [experienceId]);
  const noted = () => query('SELECT paths FROM revision_pictures WHERE experience_id = $1 AND revision = 2');
  const requireUsed = async () => {
    expect(await listArt(service, projectId)).toContainEqual(
      expect.objectContaining({ artId: art.artId, usedBy: [experienceId] }),
    );
    const path = `/admin/projects/${projectId}/art/${art.artId}`;
    expectError(await service.admin({ method: 'DELETE', path }), 409, 'ART_IN_USE');
  };
  const [{ paths } = { paths: [] }] = await noted();
  expect(paths).toContain(art.path);
  await requireUsed();
  // As after an upgrade.
  await query('DELETE FROM revision_pictures WHERE experience_id = $1');
  await requireUsed();
  await new PictureNotes(service.database).run(60_000);
  expect(await noted()).toEqual([{ paths }]);
  await requireUsed();
});

test('a project has at most 500 pictures, also when uploads race', async () => {
  const { projectId } = await createWorld(service);
  await service.database.query(
    'admin',
    {
      text: `INSERT INTO art (id, project_id, kind, hash, type, content, uploaded_at)
             SELECT 'art_' || md5($1 || n), $1, 'avatar', repeat(md5(n::text), 2), 'image/png', 'x', now()
               FROM generate_series(1, 498) AS n`,
    },
    [projectId],
  );
  const known = (await upload(service, projectId, png(1, 1))).json;
  const answers = await Promise.all([2, 3, 4, 5].map((n) => upload(service, projectId, png(n, n))));
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 400, 400, 400]);
  const refused = answers.find(({ status }) => status === 400)!;
  expectError(refused, 400, 'INVALID_REQUEST');
  expect(refused.json.error.message).toContain('500 pictures');
  expect(await listArt(service, projectId)).toHaveLength(500);
  // What is already there needs no place.
  const again = await upload(service, projectId, png(1, 1));
  expect([again.status, again.json.artId]).toEqual([201, known.artId]);
});

test('uploading and deleting are audited once, and an upload that changes nothing is not', async () => {
  const { projectId } = await createWorld(service);
  const { json: art } = await upload(service, projectId, png(14, 14), { query: 'kind=avatar&name=a.png' });
  await upload(service, projectId, png(14, 14));
  await service.admin({ method: 'DELETE', path: `/admin/projects/${projectId}/art/${art.artId}` });
  const facts = { path: art.path, type: 'image/png', bytes: art.bytes, name: 'a.png' };
  const changes = (side: 'before' | 'after') =>
    Object.entries(facts).map(([path, value]) => ({ path, [side]: value }));
  expect(await auditOf(art.artId)).toEqual([
    { action: 'art.upload', project_id: projectId, name: 'bootstrap', changes: changes('after') },
    { action: 'art.delete', project_id: projectId, name: 'bootstrap', changes: changes('before') },
  ]);
});

test('the list includes the files of the asset folder that settings name', async () => {
  const experience = {
    avatarId: 'ada',
    thumbnailPath: '/avatars/ada/face%20one.jpg',
    galleryThumb: { avatarImage: '/avatars/ada/missing.png', backgroundImage: '/locations/lab.svg' },
  };
  const { projectId, experienceId } = await createWorld(service, { experience });
  const { json: uploaded } = await upload(service, projectId, png(15, 15));
  const usedBy = [experienceId];
  expect(await listArt(service, projectId)).toEqual([
    uploaded,
    {
      path: '/avatars/ada/face%20one.jpg',
      kind: 'avatar',
      type: 'image/jpeg',
      bytes: jpeg.length,
      width: 1200,
      height: 800,
      usedBy,
    },
    {
      path: '/locations/lab.svg',
      kind: 'location',
      type: 'image/svg+xml',
      bytes: svg().length,
      width: 40,
      height: 30,
      usedBy,
    },
  ]);
});

test('files of the asset folder are resized, too, until they change', async () => {
  const url = `${service.url}/avatars/ada/face%20one.jpg?w=160`;
  const small = await download(url);
  expect(small.headers.get('cache-control')).toBe('public, max-age=86400, stale-while-revalidate=604800');
  if (!canResize) {
    expect(small.content.equals(jpeg)).toBe(true);
    return;
  }
  expect(small.headers.get('content-type')).toBe('image/webp');
  expect(small.content.length).toBeLessThan(jpeg.length / 4);
  const etag = small.headers.get('etag')!;
  expect((await download(url, { 'If-None-Match': etag })).status).toBe(304);
  await writeFile(join(assets, 'avatars', 'ada', 'face one.jpg'), Buffer.concat([jpeg, Buffer.alloc(1)]));
  const changed = await download(url, { 'If-None-Match': etag });
  expect([changed.status, changed.headers.get('content-type')]).toEqual([200, 'image/webp']);
});

test('a file that is no picture is served as it is', async () => {
  const served = await download(`${service.url}/avatars/ada/words.png?w=320`);
  expect(served.content.toString()).toBe('words');
});
