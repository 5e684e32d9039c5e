import { createHash } from 'node:crypto';
import { deployedService } from '@session-launch/testing/deployment.ts';
import { median } from '@session-launch/testing/median.ts';
import { readMetrics } from '@session-launch/testing/metrics.ts';
import { apply, createWorld, expectError, runtime, type World } from '@session-launch/testing/world.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { canResize, download, listArt, upload } from '../harness/art.ts';
import { avif, hostileFiles, jpeg, png, svg, webp } from '../harness/pictures.ts';

const service = deployedService();
const hashOf = (content: Buffer) => createHash('sha256').update(content).digest('hex');
const remove = (projectId: string, artId: string) =>
  service.admin({ method: 'DELETE', path: `/admin/projects/${projectId}/art/${artId}` });

let world: World;
beforeAll(async () => {
  world = await createWorld(service);
});

describe('uploading', () => {
  test.each<[string, Buffer, string, string, object]>([
    ['PNG', png(64, 48), 'png', 'image/png', { width: 64, height: 48 }],
    ['JPEG', jpeg, 'jpg', 'image/jpeg', { width: 1200, height: 800 }],
    ['WebP', webp, 'webp', 'image/webp', { width: 240, height: 160 }],
    ['AVIF', avif, 'avif', 'image/avif', { width: 240, height: 160 }],
    ['SVG', svg(), 'svg', 'image/svg+xml', { width: 40, height: 30 }],
  ])(
    'a %s is listed with its fields and served on both listeners',
    async (_, content, extension, type, size) => {
      const { projectId } = world;
      const name = `Größe 1.${extension}`;
      const query = `kind=location&name=${encodeURIComponent(name)}`;
      const answer = await upload(service, projectId, content, { query, type });
      expect(answer.status, answer.text).toBe(201);
      const path = `/locations/${projectId}/${hashOf(content)}.${extension}`;
      expect(answer.json).toEqual({
        artId: expect.stringMatching(/^art_[a-z0-9]{26}$/),
        path,
        kind: 'location',
        type,
        name,
        bytes: content.length,
        ...size,
        usedBy: [],
        uploadedAt: expect.stringMatching(/Z$/),
      });
      expect(await listArt(service, projectId)).toContainEqual(answer.json);
      for (const [base, origin] of [
        [service.url, 'cross-origin'],
        [service.adminUrl, 'same-origin'],
      ] as const) {
        const served = await download(base + path);
        expect(served.status).toBe(200);
        expect(served.content.equals(content)).toBe(true);
        expect(Object.fromEntries(served.headers)).toMatchObject({
          'content-type': type,
          'cache-control': 'public, max-age=31536000, immutable',
          'cross-origin-resource-policy': origin,
          'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
          'x-content-type-options': 'nosniff',
          etag: `"${hashOf(content)}"`,
        });
        expect(served.headers.get('access-control-allow-origin')).toBe(
          origin === 'cross-origin' ? '*' : null,
        );
        const current = await download(base + path, { 'If-None-Match': `"${hashOf(content)}"` });
        expect([current.status, current.content.length]).toEqual([304, 0]);
      }
    },
  );

  test('the same picture again returns the same entry; another kind is another entry', async () => {
    const { projectId } = await createWorld(service);
    const content = png(10, 10, 7);
    const first = await upload(service, projectId, content, { query: 'kind=avatar&name=first.png' });
    const again = await upload(service, projectId, content, { query: 'kind=avatar&name=second.png' });
    expect([first.status, again.status]).toEqual([201, 201]);
    expect(again.json).toEqual(first.json);
    const location = await upload(service, projectId, content, { query: 'kind=location' });
    expect(location.status).toBe(201);
    expect(location.json).not.toHaveProperty('name');
    expect((await listArt(service, projectId)).map(({ path }) => path)).toEqual([
      location.json.path,
      first.json.path,
    ]);
  });

  test('racing uploads of one picture make one entry', async () => {
    const { projectId } = await createWorld(service);
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => upload(service, projectId, png(11, 11))),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual(Array(10).fill(201));
    expect(new Set(answers.map(({ json }) => json.artId)).size).toBe(1);
  });
});

describe('refusing', () => {
  const refused = async (answer: Awaited<ReturnType<typeof upload>>, path: string, reason: string) => {
    expectError(answer, 400, 'INVALID_REQUEST');
    expect(answer.json.error.details).toEqual([{ path, message: expect.stringContaining(reason) }]);
  };

  test.each(Object.entries(hostileFiles))('%s', async (_, [content, reason]) => {
    await refused(await upload(service, world.projectId, content), '', reason);
  });

  test('a file that is not what its Content-Type or name says', async () => {
    const { projectId } = world;
    const lie = await upload(service, projectId, jpeg, { type: 'image/png' });
    await refused(lie, 'Content-Type', 'is image/png, but the file is a JPEG; send image/jpeg');
    const query = 'kind=avatar&name=a.png';
    await refused(await upload(service, projectId, jpeg, { query }), 'name', 'the file is a JPEG; use .jpg');
    const form = { type: 'multipart/form-data; boundary=a' };
    await refused(await upload(service, projectId, jpeg, form), 'Content-Type', 'multipart/form-data');
  });

  test('an empty body, and a query that is not valid', async () => {
    const { projectId } = world;
    await refused(await upload(service, projectId, Buffer.alloc(0)), '', 'is empty');
    for (const [query, path] of [
      ['', 'kind'],
      ['kind=voice', 'kind'],
      ['kind=avatar&name=', 'name'],
      [`kind=avatar&name=${'a'.repeat(201)}`, 'name'],
      ['kind=avatar&name=a%00b', 'name'],
      ['kind=avatar&size=3', 'size'],
    ] as const) {
      const answer = await upload(service, projectId, png(5, 5), { query });
      expectError(answer, 400, 'INVALID_REQUEST');
      expect(answer.json.error.details[0].path, query).toBe(path);
    }
  });

  test('4 MiB and one byte; exactly 4 MiB is accepted', async () => {
    const { projectId } = await createWorld(service);
    const padded = (bytes: number) => svg(`<!--${' '.repeat(bytes - svg('<!---->').length)}-->`);
    const limit = 4 * 1024 * 1024;
    const answer = await upload(service, projectId, padded(limit + 1));
    expectError(answer, 413, 'PAYLOAD_TOO_LARGE');
    expect(answer.json.error.message).toContain('4 MiB');
    const largest = await upload(service, projectId, padded(limit));
    expect(largest.status, largest.text).toBe(201);
    expect(largest.json.bytes).toBe(limit);
    const stored = await service.call({ path: largest.json.path });
    expect(stored.headers['content-length']).toBe(String(limit));
    expect(stored.text).toBe(padded(limit).toString());
  });

  test('a project that does not exist', async () => {
    expectError(await upload(service, 'prj_nobody', png(5, 5)), 404, 'PROJECT_NOT_FOUND');
    expectError(await service.admin({ path: '/admin/projects/prj_nobody/art' }), 404, 'PROJECT_NOT_FOUND');
  });

  test('fifty uploads of hostile files leave the memory level', async () => {
    const contents = Object.values(hostileFiles).map(([content]) => content);
    const round = async () => {
      for (let i = 0; i < 50; i++) {
        const answer = await upload(service, world.projectId, contents[i % contents.length]!);
        expect(answer.status).toBe(400);
      }
      return (await readMetrics(service)).total('process_resident_memory_bytes');
    };
    // The first round fills heaps and caches. Single rounds may grow, because tests of another worker use the same service.
    const first = await round();
    const sizes = [first, await round(), await round(), await round()];
    expect(median(sizes.slice(1).map((size, n) => size - sizes[n]!))).toBeLessThan(0.3 * first);
  });
});

describe('using and deleting', () => {
  test('a picture in settings or in a runtime document is in use, and cannot be deleted', async () => {
    const { projectId, experienceId, file } = await createWorld(service);
    const uploads: Record<string, { artId: string; path: string }> = {};
    for (const [n, name] of ['thumbnail', 'avatar', 'url', 'unused'].entries())
      uploads[name] = (await upload(service, projectId, png(20, 20, n))).json;
    const { json: background } = await upload(service, projectId, png(20, 20, 9), { query: 'kind=location' });
    const [experience] = file.experiences;
    const location = { locationId: 'lab', assets: [`${service.url}${uploads.url!.path}?w=320`] };
    const changed = {
      ...experience,
      thumbnailPath: uploads.thumbnail!.path,
      galleryThumb: { avatarImage: uploads.avatar!.path, backgroundImage: background.path },
      runtime: runtime({ location }),
    };
    const applied = await apply(service, { ...file, experiences: [changed] });
    expect(applied.status, applied.text).toBe(200);

    const art = await listArt(service, projectId);
    for (const { artId, path } of [...Object.values(uploads), background]) {
      const usedBy = path === uploads.unused!.path ? [] : [experienceId];
      expect(art.find((one) => one.path === path)?.usedBy, path).toEqual(usedBy);
      const answer = await remove(projectId, artId);
      if (usedBy.length === 0) {
        expect(answer.status, answer.text).toBe(204);
        continue;
      }
      expectError(answer, 409, 'ART_IN_USE');
      expect(answer.json.error.details).toEqual({ usedBy });
    }

    // The revision before the newest still names it, which does not count.
    const without = { ...changed, runtime: runtime() };
    expect((await apply(service, { ...file, experiences: [without] })).status).toBe(200);
    expect((await remove(projectId, uploads.url!.artId)).status).toBe(204);
  });

  test('a deleted picture is gone, and can be uploaded again', async () => {
    const { projectId } = await createWorld(service);
    const { json: art } = await upload(service, projectId, webp);
    expect((await download(service.url + art.path)).status).toBe(200);
    const answer = await remove(projectId, art.artId);
    expect([answer.status, answer.text]).toEqual([204, '']);
    expectError(await service.call({ path: art.path }), 404, 'NOT_FOUND');
    expectError(await remove(projectId, art.artId), 404, 'ART_NOT_FOUND');
    expect(await listArt(service, projectId)).toEqual([]);
    const again = await upload(service, projectId, webp);
    expect(again.status).toBe(201);
    expect(again.json.path).toBe(art.path);
    expect((await download(service.url + art.path)).status).toBe(200);
  });

  test('a picture of another project does not exist here', async () => {
    const other = await createWorld(service);
    const { json: art } = await upload(service, other.projectId, png(30, 30));
    expectError(await remove(world.projectId, art.artId), 404, 'ART_NOT_FOUND');
    expectError(await remove(world.projectId, 'art_nothing'), 404, 'ART_NOT_FOUND');
    expectError(await remove(world.projectId, 'key_nothing'), 400, 'INVALID_REQUEST');
    expect(await listArt(service, other.projectId)).toEqual([art]);
  });
});

describe('serving', () => {
  test('?w=320 of a JPEG is a smaller WebP; without the library it is the original', async () => {
    const { json: art } = await upload(service, world.projectId, jpeg);
    const small = await download(`${service.url}${art.path}?w=320`);
    expect(small.status).toBe(200);
    expect(small.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    if (!canResize) {
      expect(small.content.equals(jpeg)).toBe(true);
      return;
    }
    expect(small.headers.get('content-type')).toBe('image/webp');
    expect(small.content.length).toBeLessThan(jpeg.length / 2);
    expect(small.content.toString('latin1', 8, 12)).toBe('WEBP');
    const { default: sharp } = await import('sharp');
    expect(await sharp(small.content).metadata()).toMatchObject({ width: 320, height: 213 });
    const etag = small.headers.get('etag')!;
    expect(etag).not.toBe((await download(service.url + art.path)).headers.get('etag'));
    const current = await download(`${service.url}${art.path}?w=320`, { 'If-None-Match': etag });
    expect([current.status, current.content.length]).toEqual([304, 0]);
  });

  test('a picture is never enlarged, and an SVG is never resized', async () => {
    const { json: small } = await upload(service, world.projectId, webp);
    const same = await download(`${service.url}${small.path}?w=1280`);
    if (canResize) {
      const { default: sharp } = await import('sharp');
      expect(await sharp(same.content).metadata()).toMatchObject({ width: 240, height: 160 });
    }
    const { json: drawing } = await upload(service, world.projectId, svg('<circle r="4"/>'));
    const served = await download(`${service.url}${drawing.path}?w=320`);
    expect(served.content.equals(svg('<circle r="4"/>'))).toBe(true);
  });

  test.each(['0', '159', '1281', '320.5', '-320', '3e2', '', 'wide', '320&w=640'])(
    '?w=%s gets 400 with the valid widths',
    async (w) => {
      const { json: art } = await upload(service, world.projectId, jpeg);
      const answer = await service.call({ path: `${art.path}?w=${w}` });
      expectError(answer, 400, 'INVALID_REQUEST');
      expect(answer.json.error.message).toContain('a whole number from 160 to 1280');
    },
  );

  test('paths that no upload has get 404', async () => {
    const { json: art } = await upload(service, world.projectId, png(33, 33));
    for (const path of [
      art.path.replace('.png', '.jpg'),
      art.path.replace('.png', ''),
      art.path.replace('/avatars/', '/locations/'),
      art.path.replace(/[0-9a-f]{64}/, '0'.repeat(64)),
      art.path.replace(world.projectId, 'prj_nobody'),
    ])
      expectError(await service.call({ path }), 404, 'NOT_FOUND');
    expect((await service.call({ method: 'HEAD', path: art.path })).status).toBe(200);
    expectError(await service.call({ method: 'POST', path: art.path }), 405, 'METHOD_NOT_ALLOWED');
  });
});
