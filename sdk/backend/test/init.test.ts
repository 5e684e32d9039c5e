import { execFile } from 'node:child_process';
import { readdir, readFile, stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startApplication } from '@session-launch/testing/application.ts';
import { deployedService } from '@session-launch/testing/deployment.ts';
import { send } from '@session-launch/testing/http.ts';
import { shortLived, temporaryFolder } from '@session-launch/testing/process.ts';
import { Talker } from '@session-launch/testing/talker.ts';
import { sessionsOf, uniqueId } from '@session-launch/testing/world.ts';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';

const run = promisify(execFile);
const service = deployedService();
const program = inject('program');
let folder: Awaited<ReturnType<typeof temporaryFolder>>;

beforeAll(async () => {
  folder = await temporaryFolder();
  await symlink(join(program, '..', '..', '..'), join(folder.path, 'node_modules'), 'junction');
});

afterAll(() => folder.remove());

function init(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const env = { PATH: process.env.PATH, ADMIN_URL: service.adminUrl, ADMIN_TOKEN: service.adminToken };
  return run(process.execPath, [...shortLived, program, 'init', ...args], { cwd: folder.path, env }).then(
    (output) => ({ code: 0, ...output }),
    (failure) => failure,
  );
}

/** Creates a starter and returns its files and its server, started as `npm start` does. */
async function starter(template: string) {
  const name = uniqueId('app');
  const made = await init(name, '--template', template);
  expect(made, made.stderr).toMatchObject({ code: 0 });
  expect(made.stdout).toContain(`prj_${name} is in ${name}`);
  const path = join(folder.path, name);
  const read = (file: string) => readFile(join(path, file), 'utf8');
  const { scripts } = JSON.parse(await read('package.json'));
  const start = () => startApplication(path, scripts.start.split(' ').slice(1));
  return { name, path, read, start, projectId: `prj_${name}`, experienceId: `exp_${name}_hello` };
}

test('session-launch serve works from the packed packages, with the demo, its art, the SDK and the runtime', async () => {
  const minted = await service.call({
    method: 'POST',
    path: '/v1/sessions',
    headers: { Authorization: `Bearer ${inject('demoKey')}` },
    body: { experienceId: 'exp_harbor_guide', locale: 'en' },
  });
  expect(minted.status, minted.text).toBe(201);
  const { transport, sessionToken, location } = minted.json.launch;
  const client = new Talker(transport.url, sessionToken);
  expect((await client.ready()).engines.speech.kind).toBe('server');
  // Audio has arrived.
  await client.event(() => client.frames > 0);
  await client.leave();
  for (const path of ['/', '/reference', '/openapi.json', '/sdk/v2/session-launch.js', location.assets[0]])
    expect((await service.call({ path })).status, path).toBe(200);
});

describe('session-launch init', () => {
  test.each(['express', 'fastify'])(
    '%s: generates a server whose page launches through its relay',
    async (template) => {
      const { path, read, start, projectId, experienceId } = await starter(template);
      const key = /^LAUNCH_KEY=(sl_test_\w+)$/m.exec(await read('.env'))?.[1] ?? '';
      expect(key).not.toBe('');
      expect((await stat(join(path, '.env'))).mode & 0o777).toBe(0o600);
      expect(await read('.gitignore')).toContain('.env');
      expect(await read('README.md')).toContain('npm start');
      const { url } = await start();
      const page = await send(url, { path: '/' });
      const headers = { Cookie: page.headers['set-cookie']?.[0]?.split(';')[0] ?? '', Origin: url };
      const catalog = await send(url, { path: '/api/catalog', headers });
      expect(catalog.json.experiences).toMatchObject([{ experienceId, title: 'Hello' }]);
      const launched = await send(url, {
        method: 'POST',
        path: '/api/launch',
        headers,
        body: { experienceId },
      });
      expect(launched.status, launched.text).toBe(200);
      expect(await sessionsOf(service, projectId)).toMatchObject([
        { sessionId: launched.json.sessionId, livemode: false },
      ]);
      for (const text of [page.text, launched.text]) expect(text).not.toContain(key);
    },
  );

  test('static: generates a page that mints without a backend', async () => {
    const { start, read, experienceId, projectId } = await starter('static');
    const { url } = await start();
    expect((await send(url, { path: '/' })).text).toContain('page.js');
    expect((await send(url, { path: '/page.js' })).text).toContain('/sdk/v2/session-launch.mjs');
    const config = await send(url, { path: '/config.js' });
    expect(config.text).toContain(service.url);
    expect(config.text).toContain(experienceId);
    expect((await send(url, { path: '/../.env' })).status).toBe(404);
    // The page has its default origin, which the project file allows.
    expect(await read('project.yaml')).toContain('http://localhost:5173');
    const headers = { Origin: 'http://localhost:5173' };
    const minted = await service.call({
      method: 'POST',
      path: '/v1/browser-sessions',
      headers,
      body: { experienceId },
    });
    expect(minted.status, minted.text).toBe(201);
    expect(await sessionsOf(service, projectId)).toHaveLength(1);
  });

  test('overwrites no file and no project', async () => {
    const { name, path, projectId, read } = await starter('static');
    const before = await read('.env');
    const again = await init(name, '--template', 'express');
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('is not empty') });
    expect(await read('.env')).toBe(before);
    const other = await init('another', '--template', 'express', '--project', projectId);
    expect(other).toMatchObject({ code: 1, stderr: expect.stringContaining(`${projectId} exists`) });
    await expect(stat(join(folder.path, 'another'))).rejects.toThrow();
    expect((await readdir(path)).sort()).toContain('project.yaml');
  });

  test('creates no project if the folder cannot be written to, and no files if the service refuses', async () => {
    const name = uniqueId('app');
    // Reading a link to nothing fails like a folder that does not exist; creating it fails as well.
    await symlink('nowhere', join(folder.path, name));
    const failed = await init(name, '--template', 'express');
    expect([failed.code, failed.stderr]).toEqual([
      1,
      expect.stringMatching(/^session-launch: cannot write to app/),
    ]);
    const { projects } = (await service.admin({ path: '/admin/projects' })).json;
    expect(projects.map((one: { projectId: string }) => one.projectId)).not.toContain(`prj_${name}`);
    const refused = await init('refused', '--template', 'express', '--project', `prj_${'a'.repeat(80)}`);
    expect(refused.code).not.toBe(0);
    expect(await readdir(folder.path)).not.toContain('refused');
  });

  test('rejects an unknown template', async () => {
    expect(await init('new', '--template', 'rails')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('express, fastify, static'),
    });
    expect(await init('new')).toMatchObject({ code: 2 });
  });
});
