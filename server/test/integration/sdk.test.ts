import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { applyDemo } from '@session-launch/testing/demo.ts';
import { createWorld, expectError } from '@session-launch/testing/world.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { build, isStale } from '../../../sdk/browser/build.mjs';
import { useService } from '../harness/service.ts';

const service = useService({ DEMO: 'on' });
const sdkPackage = new URL('../../../sdk/browser/package.json', import.meta.url);
let version: string;

beforeAll(async () => {
  if (isStale()) await build();
  version = JSON.parse(await readFile(sdkPackage, 'utf8')).version;
  await applyDemo(service);
});

describe('the browser SDK', () => {
  test.each([
    'session-launch.js',
    'session-launch.mjs',
    'worklet.js',
    'opus.js',
    'picture.mjs',
    'livekit.mjs',
    'integrity.json',
  ])('%s is served to pages of any origin, by major and by exact version', async (name) => {
    const major = await service.call({ path: `/sdk/v2/${name}` });
    const exact = await service.call({ path: `/sdk/${version}/${name}` });
    expect([major.status, exact.status]).toEqual([200, 200]);
    expect(exact.text).toBe(major.text);
    expect(major.headers['cache-control']).toBe('public, max-age=300, stale-while-revalidate=86400');
    expect(exact.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    for (const { headers } of [major, exact]) {
      expect(headers).toMatchObject({
        'access-control-allow-origin': '*',
        'cross-origin-resource-policy': 'cross-origin',
        'x-content-type-options': 'nosniff',
        'content-type': expect.stringMatching(/^(text\/javascript|application\/json); charset=utf-8$/),
      });
    }
    const again = await service.call({
      path: `/sdk/v2/${name}`,
      headers: { 'If-None-Match': String(major.headers.etag) },
    });
    expect(again.status).toBe(304);
  });

  test('has the hashes of its files', async () => {
    const { files } = (await service.call({ path: `/sdk/${version}/integrity.json` })).json;
    for (const [name, hash] of Object.entries(files)) {
      const { text } = await service.call({ path: `/sdk/${version}/${name}` });
      expect(`sha384-${createHash('sha384').update(text).digest('base64')}`).toBe(hash);
    }
  });

  test.each([
    '/sdk/v1/session-launch.js',
    '/sdk/2.999.0/session-launch.js',
    '/sdk/v2/index.js',
    '/sdk/v2/../v2',
  ])('%s does not exist', async (path) => expectError(await service.call({ path }), 404, 'NOT_FOUND'));
});

describe('the landing page of the service', () => {
  const mint = (origin: string, experienceId: string) =>
    service.call({
      method: 'POST',
      path: '/v1/browser-sessions',
      headers: { Origin: origin },
      body: { experienceId },
    });

  test.each(['127.0.0.1', 'localhost', '[::1]'])('launches the demo from %s', async (name) => {
    const { port } = new URL(service.url);
    const answer = await mint(`http://${name}:${port}`, 'exp_harbor_guide');
    expect(answer.status, answer.text).toBe(201);
  });

  test.each([
    ['another port', () => `http://127.0.0.1:1`],
    ['another scheme', () => service.url.replace('http:', 'https:')],
    ['another name', () => service.url.replace('127.0.0.1', 'evil.example')],
  ])('cannot launch the demo from %s', async (_name, origin) => {
    expectError(await mint(origin(), 'exp_harbor_guide'), 403, 'ORIGIN_NOT_ALLOWED');
  });

  test('cannot launch experiences outside the demo', async () => {
    const world = await createWorld(service);
    expectError(await mint(service.url, world.experienceId), 403, 'ORIGIN_NOT_ALLOWED');
  });
});
