import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { clonedDatabase } from '@session-launch/testing/cloned-database.ts';
import { launched } from '@session-launch/testing/lifecycle.ts';
import { readMetrics } from '@session-launch/testing/metrics.ts';
import {
  type ServiceProcess,
  startProcess,
  startRuntimeAlone,
  temporaryFolder,
} from '@session-launch/testing/process.ts';
import { RtviClient } from '@session-launch/testing/rtvi-client.ts';
import { Talker } from '@session-launch/testing/talker.ts';
import { runtimeToken } from '@session-launch/testing/target.ts';
import { createWorld, runtime, type World } from '@session-launch/testing/world.ts';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { runtimeProgram } from '../../src/runtimes/program.ts';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let database: Awaited<ReturnType<typeof clonedDatabase>>;
let service: ServiceProcess;
let world: World;

beforeAll(async () => {
  folder = await temporaryFolder();
  database = await clonedDatabase();
  service = await startProcess({ DATABASE_URL: database.url, DATA_DIR: folder.path });
  const mind = { greeting: { en: 'Good morning.' } };
  world = await createWorld(service, {
    experience: { runtime: runtime({ transport: { type: 'websocket' }, mind }) },
  });
});
afterAll(async () => {
  await service?.kill('SIGKILL');
  await database?.drop();
  await folder?.remove();
});

const startAlone = (env: Record<string, string>) =>
  startRuntimeAlone({ DATA_DIR: folder.path, LOG_LEVEL: 'warn', ...env });

test('a separate runtime serves sessions of a remote service, refuses forged tokens without asking it, and stops on SIGTERM', async () => {
  const alone = startAlone({
    ADMIN_URL: service.adminUrl,
    // The URL of the JWKS; without it, the service would have to check every token.
    PUBLIC_URL: service.url,
    RUNTIME_TOKEN: runtimeToken,
    SPEECH: 'captions',
  });
  const url = await alone.url;
  const attempts = async () => (await readMetrics(service)).total('session_launch_connects_total');
  const before = await attempts();
  const { sessionId, sessionToken } = await launched(service, world);
  const forged = new Talker(url, sessionToken.replace(/[^.]+$/, 'A'.repeat(86)));
  expect(await forged.closed).toBe(4401);
  expect(await attempts()).toBe(before);
  const client = new Talker(url, sessionToken);
  expect((await client.ready()).engines.speech.kind).toBe('captions');
  const http = url.replace('ws://', 'http://').replace('/runtime', '');
  expect((await fetch(`${http}/readyz`)).status).toBe(200);
  expect((await fetch(`${http}/metrics`)).status).toBe(401);
  const metrics = await fetch(`${http}/metrics`, { headers: { Authorization: `Bearer ${runtimeToken}` } });
  expect(await metrics.text()).toMatch(/^session_runtime_sessions 1$/m);
  const stopped = alone.stop();
  expect(await client.closed).toBe(1001);
  expect(await stopped, alone.output.stderr).toBe(0);
  const read = await service.call({
    path: `/v1/sessions/${sessionId}`,
    headers: { Authorization: `Bearer ${world.key}` },
  });
  expect(read.json).toMatchObject({ status: 'ended', endReason: 'server_shutdown' });
});

test('Pipecat clients connect to a separate runtime, and no log has their token', async () => {
  const alone = startAlone({
    ADMIN_URL: service.adminUrl,
    PUBLIC_URL: service.url,
    RUNTIME_TOKEN: runtimeToken,
    LOG_LEVEL: 'trace',
  });
  const url = await alone.url;
  const { sessionId, sessionToken } = await launched(service, world);
  const client = await new RtviClient(`${url}/rtvi?token=${sessionToken}`).opened();
  client.ready();
  await client.message('bot-started-speaking');
  const again = await new RtviClient(`${url}/rtvi?token=${sessionToken}`).opened();
  again.ready();
  expect((await again.closed).code).toBe(4409);
  client.send('disconnect-bot');
  expect((await client.closed).code).toBe(1000);
  await alone.stop();
  const logged = alone.output.stdout + alone.output.stderr + service.stderr();
  expect(logged).toContain(sessionId);
  expect(logged).not.toContain(sessionToken);
});

test('all invalid variables are named together', async () => {
  const { exited, output } = startAlone({
    RUNTIME_MAX_SESSIONS: 'many',
    SPEECH: 'loud',
    MIND: 'openai',
    ADMIN_URL: 'not an address',
    PUBLIC_URL: 'launch.example.com',
    LOG_LEVEL: 'loud',
    SHUTDOWN_GRACE_SECONDS: 'soon',
  });
  expect(await exited).toBe(2);
  for (const name of [
    'RUNTIME_MAX_SESSIONS',
    'SPEECH',
    'MIND_URL',
    'MIND_MODEL',
    'ADMIN_URL',
    'PUBLIC_URL',
    'LOG_LEVEL',
    'SHUTDOWN_GRACE_SECONDS',
  ])
    expect(output.stderr).toMatch(new RegExp(`session-launch: ${name} is `));
});

test('with a wrong runtime token, clients get a fault, not an invalid token', async () => {
  const alone = startAlone({
    ADMIN_URL: service.adminUrl,
    RUNTIME_TOKEN: 'not-the-token-of-anybody',
    SPEECH: 'captions',
  });
  const { sessionToken } = await launched(service, world);
  const client = new Talker(await alone.url, sessionToken);
  expect(await client.closed).toBe(1011);
  // Log lines are buffered for a moment; a stop writes all of them.
  await alone.stop();
  expect(alone.output.stderr).toContain('RUNTIME_TOKEN_INVALID');
});

test('a runtime with an unwritable log keeps talking, and stops on SIGTERM', async () => {
  // A process that never reads its stdin, so the pipe to it fills up.
  const reader = spawn('sleep', ['600'], { stdio: ['pipe', 'ignore', 'ignore'] });
  reader.stdin.on('error', () => {});
  reader.stdin.write(Buffer.alloc(4 * 1024 * 1024));
  const env = {
    PATH: process.env.PATH,
    DATA_DIR: folder.path,
    ADMIN_URL: service.adminUrl,
    RUNTIME_TOKEN: runtimeToken,
    RUNTIME_PORT: '0',
    SPEECH: 'captions',
    LOG_LEVEL: 'trace',
    SHUTDOWN_GRACE_SECONDS: '0',
  };
  const child = spawn(process.execPath, runtimeProgram(), { env, stdio: ['ignore', 'pipe', reader.stdin] });
  const exited = new Promise((resolve) => child.once('exit', resolve));
  onTestFinished(() => {
    child.kill('SIGKILL');
    reader.kill('SIGKILL');
  });
  const [output] = (await once(child.stdout, 'data')) as [Buffer];
  const { sessionToken } = await launched(service, world);
  const client = new Talker(/Address\s+(\S+)/.exec(output.toString())![1]!, sessionToken);
  await client.ready();
  // At this level the texts of the conversation are logged.
  await client.ask('Are you there?');
  child.kill('SIGTERM');
  expect(await client.closed).toBe(1001);
  expect(await exited).toBe(0);
});

test('a stop during the start of the engines takes effect', async () => {
  const child = spawn(process.execPath, [...runtimeProgram(), '--child'], {
    env: { PATH: process.env.PATH, DATA_DIR: folder.path, RUNTIME_TOKEN: runtimeToken, LOG_LEVEL: 'warn' },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const exited = new Promise((resolve) => child.once('exit', resolve));
  child.send({ type: 'begin' });
  child.send({ type: 'drain' });
  expect(await exited).toBe(0);
});

test('a runtime whose service exits before it is ready exits as well', async () => {
  const child = spawn(process.execPath, [...runtimeProgram(), '--child'], {
    env: { PATH: process.env.PATH, DATA_DIR: folder.path, RUNTIME_TOKEN: runtimeToken, LOG_LEVEL: 'warn' },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const exited = new Promise((resolve) => child.once('exit', resolve));
  child.disconnect();
  expect(await exited).toBe(0);
});
