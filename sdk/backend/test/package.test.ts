import { execFile } from 'node:child_process';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { deployedService } from '@session-launch/testing/deployment.ts';
import { temporaryFolder } from '@session-launch/testing/process.ts';
import { createWorld } from '@session-launch/testing/world.ts';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { Package } from './packages.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../../', import.meta.url));
const service = deployedService();
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let files: string[];

beforeAll(async () => {
  folder = await temporaryFolder();
  const [own, jose] = ['@session-launch/backend', 'jose'].map((name) =>
    inject('packages').find((one) => one.name === name),
  ) as [Package, Package];
  files = own.files;
  await mkdir(join(folder.path, 'app'));
  await writeFile(join(folder.path, 'app', 'package.json'), '{ "type": "module" }');
  const flags = ['--offline', '--no-audit', '--no-fund', '--ignore-scripts'];
  await run('npm', ['install', ...flags, own.tarball, jose.tarball], { cwd: join(folder.path, 'app') });
});

afterAll(() => folder.remove());

test('the package contains the build output with its types, and nothing else', () => {
  expect(files).toEqual(
    expect.arrayContaining(['package.json', 'README.md', 'LICENSE', 'dist/index.js', 'dist/verify.d.ts']),
  );
  const others = files.filter((path) => !/^dist\/[\w/-]+\.(js|d\.ts)$/.test(path));
  expect(others.sort()).toEqual(['LICENSE', 'README.md', 'package.json']);
});

test('the package depends on jose only, not on the contract', async () => {
  const text = await readFile(
    join(folder.path, 'app', 'node_modules', '@session-launch', 'backend', 'package.json'),
    'utf8',
  );
  expect(Object.keys(JSON.parse(text).dependencies)).toEqual(['jose']);
});

test('the package works in an empty folder', async () => {
  const world = await createWorld(service);
  const program = `
    import { SessionLaunch, isLaunchError } from '@session-launch/backend';
    import { sessionTokenVerifier } from '@session-launch/backend/verify';
    const client = new SessionLaunch({ baseUrl: process.env.URL, apiKey: process.env.KEY });
    const { launch } = await client.sessions.mint({ experienceId: process.env.EXPERIENCE });
    const claims = await sessionTokenVerifier({ issuer: process.env.URL })(launch.sessionToken);
    const refused = await client.sessions.get('ses_none').catch(isLaunchError);
    console.log(claims.sub === launch.sessionId, refused);
    console.log(launch);`;
  await writeFile(join(folder.path, 'app', 'run.js'), program);
  const { stdout } = await run(process.execPath, ['run.js'], {
    cwd: join(folder.path, 'app'),
    env: { PATH: process.env.PATH, URL: service.url, KEY: world.key, EXPERIENCE: world.experienceId },
  });
  expect(stdout).toMatch(/^true true\n/);
  expect(stdout).toContain("sessionToken: '[hidden]'");
});

test('the types compile under the strictest settings, in ESM and for bundlers, with Express and Fastify', async () => {
  const app = join(folder.path, 'app');
  await writeFile(
    join(app, 'app.ts'),
    `import http from 'node:http';
    import express, { type RequestHandler } from 'express';
    import fastify, { type RouteHandlerMethod } from 'fastify';
    import { createRelay, type Grant, isLaunchError, RateLimitError, SessionLaunch, type SessionManifest, toExpress, toFastify, toNode } from '@session-launch/backend';
    import { type SessionClaims, sessionTokenVerifier } from '@session-launch/backend/verify';
    const client = new SessionLaunch({ baseUrl: 'https://launch.example.com', apiKey: async () => 'sl_test_x', log: console.log });
    const grant = (request: Request): Grant | null => (request.headers.has('cookie') ? { userId: 'a', fields: { mode: 'presenter' } } : null);
    const relay = createRelay(client, { authorize: grant, experiences: ['exp_a'], limit: { perMinute: 5 }, pageMaySet: ['locale'] });
    const onExpress: RequestHandler = toExpress(relay.mint);
    const onFastify: RouteHandlerMethod = toFastify(relay.mint);
    const listener: http.RequestListener = toNode(relay.mint);
    express().post('/mint', onExpress);
    fastify().post('/mint', onFastify);
    http.createServer(listener);
    export const POST: (request: Request) => Promise<Response> = relay.mint;
    export async function mint(): Promise<SessionManifest | number | undefined> {
      try {
        const { launch, session, replayed } = await client.sessions.mint({ experienceId: 'exp_a', metadata: { order: '1' } }, { signal: AbortSignal.timeout(1) });
        const status: 'ended' | string = session.status;
        return replayed || status === 'ended' ? undefined : launch;
      } catch (error) {
        if (error instanceof RateLimitError) return error.retryAfterMs;
        if (isLaunchError(error)) return error.attempts;
        throw error;
      }
    }
    export const claims: Promise<SessionClaims> = sessionTokenVerifier({ issuer: 'https://launch.example.com' })('x', { origin: 'https://a.example' });
    // @ts-expect-error a field that no mint has
    void client.sessions.mint({ experienceId: 'exp_a', lokale: 'en' });
    // @ts-expect-error who may launch must be said
    createRelay(client, {});
    // @ts-expect-error what a page can never set
    createRelay(client, { authorize: grant, pageMaySet: ['userId'] });`,
  );
  await mkdir(join(app, 'node_modules', '@types'), { recursive: true });
  for (const name of ['fastify', '@types/express', '@types/node'])
    await symlink(join(root, 'node_modules', name), join(app, 'node_modules', name), 'junction');
  const tsc = join(root, 'node_modules', '.bin', 'tsc');
  for (const [module, moduleResolution] of [
    ['nodenext', 'nodenext'],
    ['esnext', 'bundler'],
  ]) {
    const options = {
      compilerOptions: {
        strict: true,
        exactOptionalPropertyTypes: true,
        noUncheckedIndexedAccess: true,
        noPropertyAccessFromIndexSignature: true,
        // Also checks our declarations and those that they import.
        skipLibCheck: false,
        noEmit: true,
        esModuleInterop: true,
        target: 'es2023',
        module,
        moduleResolution,
        types: ['node'],
      },
      files: ['app.ts'],
    };
    await writeFile(join(app, 'tsconfig.json'), JSON.stringify(options));
    // The compiler runs only briefly: one thread, and no garbage collection to reduce memory.
    const { stdout } = await run(tsc, ['-p', 'tsconfig.json', '--singleThreaded'], {
      cwd: app,
      env: { ...process.env, GOGC: 'off' },
    }).catch((error) => error);
    expect(stdout).toBe('');
  }
});
