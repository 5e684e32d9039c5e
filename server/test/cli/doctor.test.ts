import { once } from 'node:events';
import fs from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { lockFolder } from '../../../engine/src/folder-lock.ts';
import { openSigningKeys } from '../../src/tokens/signing-keys.ts';
import { FakeAdmin, failure } from './fake-admin.ts';
import { runCli } from './run-cli.ts';

const token = 'token-of-the-admin-api';
let admin: FakeAdmin;
let cwd: string;
let env: Record<string, string>;

beforeEach(async () => {
  admin = await FakeAdmin.start();
  cwd = await mkdtemp(join(tmpdir(), 'session-launch-doctor-'));
  await mkdir(join(cwd, 'assets', 'avatars'), { recursive: true });
  await mkdir(join(cwd, 'assets', 'locations'));
  // Without the runtime: each check of its engines starts a process.
  env = { ADMIN_URL: admin.url, ADMIN_TOKEN: token, ASSETS_DIR: 'assets', RUNTIME: 'off' };
  admin.answer = () => ({ body: status() });
});

afterEach(async () => {
  vi.restoreAllMocks();
  await admin.stop();
  await rm(cwd, { recursive: true });
});

const status = (more = {}) => ({
  version: '1.2.3',
  engine: 'embedded',
  database: 'ok',
  time: new Date().toISOString(),
  publicUrl: 'http://127.0.0.1:8080',
  ...more,
});

interface Finding {
  check: string;
  status: string;
  message: string;
  todo?: string;
}

async function doctor(more: Record<string, string> = {}) {
  const { code, stdout } = await runCli(['doctor', '--json'], { cwd, env: { ...env, ...more } });
  const { findings, ok } = JSON.parse(stdout) as { findings: Finding[]; ok: boolean };
  expect(ok).toBe(code === 0);
  for (const finding of findings) if (finding.status !== 'ok') expect(finding.todo).toBeTruthy();
  return { code, of: (check: string) => findings.find((finding) => finding.check === check) };
}

it('what only the service can check is shown as the service reports it', async () => {
  const livekit = { check: 'livekit', status: 'fail', message: 'no key is set', todo: 'set LIVEKIT_API_KEY' };
  const ofOthers = { check: 'clock', status: 'fail', message: 'of another machine', todo: 'set it' };
  admin.answer = ({ url }) =>
    url.pathname === '/admin/doctor'
      ? { body: { ok: false, findings: [ofOthers, livekit] } }
      : { body: status() };
  const { code, of } = await doctor();
  expect(of('livekit')).toEqual(livekit);
  expect(of('clock')?.message).not.toBe('of another machine');
  expect(code).toBe(1);
});

describe('engines', () => {
  it('an engine that responds is shown with its latency, a failing one with advice', async () => {
    const engine = createHttpServer((request, response) => {
      request.resume();
      const statuses: Record<string, number> = { '/v1/chat/completions': 200, '/v1/audio/speech': 401 };
      response.writeHead(statuses[request.url ?? ''] ?? 404, {
        'Content-Type': 'application/json',
      });
      response.end('{"choices":[{"message":{"content":"Hello."}}]}');
    });
    engine.listen(0, '127.0.0.1');
    await once(engine, 'listening');
    const url = `http://127.0.0.1:${(engine.address() as AddressInfo).port}/v1`;
    const { stdout, code } = await runCli(['doctor', '--json'], {
      cwd,
      env: {
        ...env,
        PATH: process.env.PATH ?? '',
        RUNTIME: 'on',
        ...{ MIND: 'openai', MIND_URL: url, MIND_MODEL: 'tiny' },
        ...{ SPEECH: 'openai', SPEECH_URL: url, SPEECH_MODEL: 'kokoro', SPEECH_API_KEY: 'secret-of-speech' },
        ...{ HEARING: 'openai', HEARING_URL: `${url}/nowhere`, HEARING_MODEL: 'whisper' },
      },
    });
    engine.close();
    expect(code).toBe(1);
    expect(stdout).not.toContain('secret-of-speech');
    const findings = (JSON.parse(stdout).findings as Finding[]).filter(({ check }) => check === 'engines');
    expect(findings.map(({ status, message }) => [status, message.replace(/\d+ ms/, 'some ms')])).toEqual([
      ['ok', 'MIND answers (some ms)'],
      ['fail', 'SPEECH does not work: /audio/speech answered 401: the key is missing or wrong'],
      ['fail', 'HEARING does not work: /audio/transcriptions answered 404: check the address and the model'],
    ]);
  });

  it('an engine without an address is a configuration error', async () => {
    const { stdout } = await runCli(['doctor', '--json'], {
      cwd,
      env: { ...env, RUNTIME: 'on', MIND: 'openai' },
    });
    expect((JSON.parse(stdout).findings as Finding[]).map(({ message }) => message)).toEqual([
      'MIND_URL is unset',
      'MIND_MODEL is unset',
    ]);
  });
});

describe('doctor', () => {
  it('passes all checks with a running service', async () => {
    const { code, stdout, stderr } = await runCli(['doctor'], {
      cwd,
      env: { ...env, RUNTIME: 'on', HEARING: 'page' },
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const checks = stdout.trimEnd().split('\n');
    expect(checks.map((line) => line.replace(/^ok {4}([^:]+): .*$/, '$1'))).toEqual([
      'configuration',
      'data folder',
      'database',
      'signing keys',
      'clock',
      'asset folder',
      'engines',
      'engines',
      'admin API',
    ]);
  });

  it('warns if the service is not running', async () => {
    const { code, of } = await doctor({ ADMIN_URL: 'http://127.0.0.1:1' });
    expect(code).toBe(0);
    expect(of('admin API')?.status).toBe('warn');
  });

  it('warns without a token if nothing is reachable, and fails without a token if a service runs', async () => {
    expect((await doctor({ ADMIN_TOKEN: '', ADMIN_URL: 'http://127.0.0.1:1' })).of('admin API')?.status).toBe(
      'warn',
    );
    const { code, of } = await doctor({ ADMIN_TOKEN: '' });
    expect(code).toBe(1);
    expect(of('admin API')?.todo).toContain('set ADMIN_TOKEN');
  });

  it('fails in one line for a refused token', async () => {
    admin.answer = () => failure(401, { code: 'API_KEY_INVALID', message: 'No.' });
    const { code, stdout, stderr } = await runCli(['doctor'], { cwd, env });
    expect(code).toBe(1);
    expect(stdout).toMatch(/^FAIL {2}admin API: /m);
    expect(stderr).toMatch(/^session-launch: one check failed; .*\n$/);
  });

  it('uses colours on terminals only, unless NO_COLOR is set', async () => {
    admin.answer = () => failure(401, { code: 'API_KEY_INVALID', message: 'No.' });
    const stdout = async (options: { terminal?: () => void; more?: Record<string, string> }) =>
      (await runCli(['doctor'], { cwd, env: { ...env, ...options.more }, ...options })).stdout;
    const terminal = () => {};
    expect(await stdout({ terminal })).toContain('\u001b[31mFAIL\u001b[39m  admin API: ');
    expect(await stdout({ terminal, more: { NO_COLOR: '1' } })).not.toContain('\u001b');
    expect(await stdout({ more: { FORCE_COLOR: '1' } })).not.toContain('\u001b');
  });

  it('names every invalid variable', async () => {
    const { code, stdout } = await runCli(['doctor'], { cwd, env: { ...env, PORT: 'x', LOG_LEVEL: 'loud' } });
    expect(code).toBe(1);
    expect(stdout).toMatch(/^FAIL {2}configuration: PORT is "x" → it must be /m);
    expect(stdout).toMatch(/^FAIL {2}configuration: LOG_LEVEL is "loud" → it must be /m);
  });

  it('names invalid variables of the command line next to those of the service', async () => {
    const { stdout } = await runCli(['doctor'], { cwd, env: { ...env, PORT: 'x', ADMIN_URL: 'nowhere' } });
    expect(stdout).toMatch(/^FAIL {2}configuration: PORT is "x"/m);
    expect(stdout).toMatch(/^FAIL {2}configuration: ADMIN_URL is "nowhere"/m);
  });

  it('needs no data folder with PostgreSQL and all secrets elsewhere', async () => {
    const { of } = await doctor({
      DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
      DATA_DIR: '/proc/never',
      SIGNING_KEYS_FILE: join(cwd, 'keys.json'),
      RUNTIME_TOKEN: 'a-token-of-runtimes',
    });
    expect(of('data folder')).toMatchObject({ status: 'ok', message: 'not needed with this configuration' });
  });

  it('warns about a service with another engine or another clock', async () => {
    admin.answer = () => ({ body: status({ engine: 'postgres', time: '2020-01-01T00:00:00.000Z' }) });
    const { of } = await doctor();
    expect(of('admin API')?.status).toBe('warn');
    expect(of('clock')?.status).toBe('warn');
  });

  it('fails if the service cannot use its database', async () => {
    admin.answer = () => ({ body: status({ database: 'disk full' }) });
    const { code, of } = await doctor();
    expect(code).toBe(1);
    expect(of('database')?.message).toContain('disk full');
  });

  it('reports an embedded folder as free or in use', async () => {
    await mkdir(join(cwd, 'data'));
    const down = { ADMIN_URL: 'http://127.0.0.1:1' };
    expect((await doctor(down)).of('database')?.message).toContain('the folder is free');
    const lock = await lockFolder(join(cwd, 'data'));
    expect((await doctor(down)).of('database')?.message).toContain('the folder is in use');
    await lock.release();
  });

  it('reports signing keys that are new, readable by others or damaged', async () => {
    const file = join(cwd, 'data', 'signing-keys.json');
    expect((await doctor()).of('signing keys')).toMatchObject({ status: 'ok' });
    await openSigningKeys(file);
    expect((await doctor()).of('signing keys')?.message).toContain('holds one key');
    await chmod(file, 0o640);
    expect((await doctor()).of('signing keys')?.status).toBe('warn');
    await chmod(file, 0o644);
    expect((await doctor()).of('signing keys')?.todo).toBe(`chmod 600 ${file}`);
    await chmod(file, 0o600);
    const set = JSON.parse(await readFile(file, 'utf8')) as { keys: object[] };
    for (const broken of ['{', '{"keys":[]}', JSON.stringify({ keys: [set.keys[0], set.keys[0]] })]) {
      await writeFile(file, broken);
      expect((await doctor()).of('signing keys')?.status).toBe('fail');
    }
  });

  it('warns about an admin token that others can read', async () => {
    await mkdir(join(cwd, 'data'));
    await writeFile(join(cwd, 'data', 'admin-token'), token, { mode: 0o644 });
    expect((await doctor()).of('data folder')).toMatchObject({ status: 'fail' });
  });

  it('warns about a data folder whose files others can read or replace', async () => {
    const dataDir = join(cwd, 'data');
    const folder = join(dataDir, 'database');
    await mkdir(folder, { recursive: true });
    await chmod(dataDir, 0o755);
    await chmod(folder, 0o755);
    expect((await doctor()).of('data folder')).toMatchObject({
      status: 'fail',
      todo: `chmod -R go= ${folder}`,
    });
    await chmod(folder, 0o700);
    expect((await doctor()).of('data folder')).toMatchObject({ status: 'ok' });
    await chmod(dataDir, 0o770);
    expect((await doctor()).of('data folder')).toMatchObject({ status: 'warn' });
    await chmod(dataDir, 0o777);
    expect((await doctor()).of('data folder')).toMatchObject({ status: 'fail' });
  });

  it('warns about a disk that is nearly full', async () => {
    await mkdir(join(cwd, 'data'), { mode: 0o700 });
    const real = await fs.promises.statfs(cwd);
    vi.spyOn(fs.promises, 'statfs').mockResolvedValue({ ...real, bsize: 4096, bavail: 25_600 });
    expect((await doctor()).of('data folder')).toMatchObject({
      status: 'warn',
      message: expect.stringContaining('100 MB are free'),
    });
    const elsewhere = { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' };
    expect((await doctor(elsewhere)).of('data folder')).toMatchObject({ status: 'ok' });
  });

  it('fails if the data folder is a file', async () => {
    await writeFile(join(cwd, 'data'), '');
    expect((await doctor()).of('data folder')).toMatchObject({
      status: 'fail',
      todo: 'set DATA_DIR to a folder',
    });
  });

  it('warns about an asset folder without its two subfolders', async () => {
    await rm(join(cwd, 'assets', 'avatars'), { recursive: true });
    expect((await doctor()).of('asset folder')).toMatchObject({ status: 'warn' });
    await rm(join(cwd, 'assets', 'locations'), { recursive: true });
    expect((await doctor()).of('asset folder')).toMatchObject({ status: 'fail' });
    await rm(join(cwd, 'assets'), { recursive: true });
    expect((await doctor()).of('asset folder')).toMatchObject({ status: 'fail' });
  });

  it('fails if PostgreSQL refuses or never answers, without printing the password', async () => {
    const refused = await doctor({ DATABASE_URL: 'postgres://someone:hunter22@127.0.0.1:1/x' });
    expect(refused.of('database')).toMatchObject({
      status: 'fail',
      todo: expect.stringContaining('DATABASE_URL'),
    });
    expect(refused.of('signing keys')?.status).toBe('warn');
    const silent = createServer();
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as { port: number };
    const { of } = await doctor({ DATABASE_URL: `postgres://someone:hunter22@127.0.0.1:${port}/x` });
    silent.close();
    expect(of('database')?.status).toBe('fail');
    expect(JSON.stringify([refused.of('database'), of('database')])).not.toContain('hunter22');
  });
});
