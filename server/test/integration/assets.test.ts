import { mkdir, mkdtemp, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Answer } from '@session-launch/testing/http.ts';
import { expectError } from '@session-launch/testing/world.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Service, startService } from '../harness/service.ts';

const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';
let folder: string;
let assets: string;
let service: Service;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'session-launch-assets-'));
  assets = join(folder, 'assets');
  await mkdir(join(assets, 'avatars', 'ada', '.hidden'), { recursive: true });
  await mkdir(join(assets, 'locations'), { recursive: true });
  await mkdir(join(assets, 'other'), { recursive: true });
  await mkdir(join(folder, 'outside'), { recursive: true });
  const files: Record<string, string> = {
    'assets/avatars/ada/thumb.svg': svg,
    'assets/avatars/ada/two words é.svg': svg,
    'assets/avatars/ada/model.glb': 'glTF',
    'assets/avatars/ada/face.png': 'png',
    'assets/avatars/ada/face.webp': 'webp',
    'assets/avatars/ada/page.html': '<script>alert(1)</script>',
    'assets/avatars/ada/strange.thing': 'x',
    'assets/avatars/ada/empty.svg': '',
    'assets/avatars/ada/.env': 'SECRET',
    'assets/avatars/ada/.hidden/file.svg': 'SECRET',
    'assets/locations/wide.svg': svg,
    'assets/secret.txt': 'SECRET',
    'assets/other/file.svg': 'SECRET',
    'outside/secret.svg': 'SECRET',
  };
  for (const [path, content] of Object.entries(files)) await writeFile(join(folder, path), content);
  await symlink(join(folder, 'outside', 'secret.svg'), join(assets, 'avatars', 'leak.svg'));
  await symlink(join(folder, 'outside'), join(assets, 'avatars', 'leak'));
  await symlink('../../outside/secret.svg', join(assets, 'locations', 'relative.svg'));
  await symlink(join(assets, 'avatars', 'ada', 'thumb.svg'), join(assets, 'locations', 'inside.svg'));
  await symlink('nowhere', join(assets, 'locations', 'broken.svg'));
  await symlink('loop.svg', join(assets, 'locations', 'loop.svg'));
  service = await startService({ ASSETS_DIR: assets });
});
afterAll(async () => {
  await service?.close();
  await rm(folder, { recursive: true, force: true });
});

const get = (path: string, headers: Record<string, string> = {}): Promise<Answer> =>
  service.call({ path, headers });

/** Sends the path unchanged: a URL object would normalise dot segments. */
function getRaw(path: string): Promise<{ status: number; text: string }> {
  const { hostname, port } = new URL(service.url);
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
    });
    sent.on('error', reject).end();
  });
}

describe('files', () => {
  test('are served with the headers that browsers on any origin need', async () => {
    for (const path of [
      '/avatars/ada/thumb.svg',
      '/locations/wide.svg',
      '/avatars/ada/two%20words%20%C3%A9.svg',
    ]) {
      const answer = await get(path);
      expect(answer, path).toMatchObject({ status: 200, text: svg });
      expect(answer.headers).toMatchObject({
        'content-type': 'image/svg+xml',
        'content-length': String(svg.length),
        'cache-control': 'public, max-age=86400, stale-while-revalidate=604800',
        'access-control-allow-origin': '*',
        'cross-origin-resource-policy': 'cross-origin',
        'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
        'x-content-type-options': 'nosniff',
        etag: expect.stringMatching(/^(W\/)?".+"$/),
      });
      expect(answer.headers).not.toHaveProperty('set-cookie');
    }
  });

  test.each([
    ['model.glb', 'model/gltf-binary'],
    ['face.png', 'image/png'],
    ['face.webp', 'image/webp'],
    ['page.html', 'text/html; charset=utf-8'],
    ['strange.thing', 'application/octet-stream'],
    ['empty.svg', 'image/svg+xml'],
  ])('%s has the type %s', async (name, type) => {
    const answer = await get(`/avatars/ada/${name}`);
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe(type);
    expect(answer.headers['content-security-policy']).toContain('sandbox');
  });

  test('are served with any query and without a key', async () => {
    expect((await get('/avatars/ada/thumb.svg?size=2')).status).toBe(200);
    expect((await get('/avatars/ada/thumb.svg', { Authorization: 'Bearer wrong' })).status).toBe(200);
  });

  test('HEAD has the headers and no body', async () => {
    const head = await service.call({ method: 'HEAD', path: '/avatars/ada/thumb.svg' });
    expect(head).toMatchObject({ status: 200, text: '' });
    expect(head.headers).toMatchObject({
      'content-type': 'image/svg+xml',
      'content-length': String(svg.length),
    });
    expect(head.headers.etag).toBe((await get('/avatars/ada/thumb.svg')).headers.etag);
  });

  test('a current copy gets 304; a replaced file is sent', async () => {
    const path = join(assets, 'avatars', 'ada', 'face.png');
    const { etag } = (await get('/avatars/ada/face.png')).headers;
    const same = await get('/avatars/ada/face.png', { 'If-None-Match': etag as string });
    expect(same).toMatchObject({ status: 304, text: '' });
    expect(same.headers['cache-control']).toContain('max-age=86400');
    await writeFile(path, 'gnp');
    await utimes(path, new Date(), new Date(Date.now() + 5_000));
    const changed = await get('/avatars/ada/face.png', { 'If-None-Match': etag as string });
    expect(changed).toMatchObject({ status: 200, text: 'gnp' });
  });

  test('ranges and preconditions are supported, and errors have no body', async () => {
    const part = await get('/avatars/ada/model.glb', { Range: 'bytes=1-2' });
    expect(part).toMatchObject({ status: 206, text: 'lT' });
    const beyond = await get('/avatars/ada/model.glb', { Range: 'bytes=100-' });
    expect(beyond).toMatchObject({ status: 416, text: '' });
    expect(beyond.headers['content-range']).toBe('bytes */4');
    expect(beyond.headers).not.toHaveProperty('cache-control');
    expect(await get('/avatars/ada/model.glb', { 'If-Match': '"x"' })).toMatchObject({
      status: 412,
      text: '',
    });
  });

  test('links inside the asset folder are followed', async () => {
    expect(await get('/locations/inside.svg')).toMatchObject({ status: 200, text: svg });
  });
});

describe('missing files', () => {
  test.each([
    '/avatars/',
    '/avatars',
    '/avatars/ada',
    '/avatars/ada/',
    '/avatars/nobody.svg',
    '/avatars/ada/thumb.svg/',
    '/avatars/ada/thumb.svg/more',
    '/avatars//ada/thumb.svg',
    '/avatars/ada/.env',
    '/avatars/ada/.hidden/file.svg',
    '/avatars/ada/%2eenv',
    '/other/file.svg',
    '/locations/broken.svg',
    '/locations/loop.svg',
    `/avatars/${'a'.repeat(5_000)}`,
    `/avatars/${'a/'.repeat(3_000)}a`,
  ])('%s gets 404 in the envelope', async (path) => {
    const answer = await get(path);
    expectError(answer, 404, 'NOT_FOUND');
    expect(answer.headers).not.toHaveProperty('cache-control');
  });

  test('a page on another origin can read the 404', async () => {
    expect((await get('/avatars/nobody.svg')).headers['access-control-allow-origin']).toBe('*');
  });

  test.each([
    '/avatars/../secret.txt',
    '/avatars/../../outside/secret.svg',
    '/avatars/%2e%2e/secret.txt',
    '/avatars/..%2fsecret.txt',
    '/avatars/%2e%2e%2fsecret.txt',
    '/avatars/%252e%252e%252fsecret.txt',
    '/avatars/ada/../../secret.txt',
    '/avatars/ada/..%5c..%5csecret.txt',
    '/avatars/..\\secret.txt',
    '/avatars/./ada/thumb.svg',
    '/avatars/%2fetc%2fpasswd',
    '/avatars//etc/passwd',
    '/avatars/ada/thumb.svg%00.png',
    '/avatars/ada/.%65nv',
    '/avatars/leak.svg',
    '/avatars/leak/secret.svg',
    '/locations/relative.svg',
    '/locations/..%2fother%2ffile.svg',
    '/avatars/%c0%ae%c0%ae/secret.txt',
    '/avatars/%zz',
    '/avatars/ada/thumb.svg%',
  ])('%s cannot leave the folder', async (path) => {
    const { status, text } = await getRaw(path);
    expect({ status, code: JSON.parse(text).error.code }, path).toEqual({ status: 404, code: 'NOT_FOUND' });
    expect(text).not.toContain('SECRET');
  });

  test.each(['POST', 'PUT', 'DELETE', 'OPTIONS'])('%s is refused', async (method) => {
    const answer = await service.call({ method, path: '/avatars/ada/thumb.svg' });
    expectError(answer, 405, 'METHOD_NOT_ALLOWED');
    expect(answer.headers.allow).toBe('GET, HEAD');
  });
});

test('a service whose asset folder is missing starts, and serves no files', async () => {
  const bare = await startService({ ASSETS_DIR: join(folder, 'nowhere') }, service);
  try {
    expectError(await bare.call({ path: '/avatars/ada/thumb.svg' }), 404, 'NOT_FOUND');
    expect((await bare.call({ path: '/readyz' })).status).toBe(200);
  } finally {
    await bare.close();
  }
});

test('by default the art of the demo project is served', async () => {
  const demo = await startService({}, service);
  try {
    const answer = await demo.call({ path: '/avatars/maren/thumb.svg' });
    expect(answer.status).toBe(200);
    expect(answer.text).toContain('<svg');
  } finally {
    await demo.close();
  }
});
