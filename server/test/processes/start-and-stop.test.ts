import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { type ClientRequest, request } from 'node:http';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { useCleanup } from '@session-launch/testing/cleanup.ts';
import { clonedDatabase } from '@session-launch/testing/cloned-database.ts';
import { prepareDataFolder } from '@session-launch/testing/data-folder.ts';
import { untilReady } from '@session-launch/testing/fleet.ts';
import { type Answer, send } from '@session-launch/testing/http.ts';
import { onDatabase } from '@session-launch/testing/postgres-server.ts';
import {
  logLines,
  runProgram,
  type ServiceProcess,
  startProcess,
  temporaryFolder,
} from '@session-launch/testing/process.ts';
import { expectWithin } from '@session-launch/testing/slowness.ts';
import { adminToken } from '@session-launch/testing/target.ts';
import { experience, pageOrigin, project } from '@session-launch/testing/world.ts';
import { beforeAll, describe, expect, inject, onTestFinished, test, vi } from 'vitest';
import { isFolderInUse, lockFolder } from '../../../engine/src/folder-lock.ts';
import { openEmbedded } from '../../src/store/embedded.ts';
import { FailingStarts } from '../harness/failing-starts.ts';

type Env = Record<string, string>;

const cleanup = useCleanup();

let starts: FailingStarts;
beforeAll(() => {
  starts = new FailingStarts();
  cleanup(() => starts.close());
});

async function start(env: Env): Promise<ServiceProcess> {
  const service = await startProcess(env);
  cleanup(() => service.kill('SIGKILL'));
  return service;
}

async function emptyFolder(): Promise<string> {
  const { path, remove } = await temporaryFolder();
  cleanup(remove);
  return path;
}

async function freshDatabase(): Promise<string> {
  const name = `fresh_${randomBytes(6).toString('hex')}`;
  const server = inject('postgresUrl');
  await onDatabase(server, (client) => client.query(`CREATE DATABASE ${name}`));
  cleanup(() => onDatabase(server, (client) => client.query(`DROP DATABASE ${name} WITH (FORCE)`)));
  return server.replace(/\/postgres$/, `/${name}`);
}

async function migratedDatabase(): Promise<string> {
  const { url, drop } = await clonedDatabase();
  cleanup(drop);
  return url;
}

async function limitedRole(): Promise<string> {
  const role = `limited_${randomBytes(4).toString('hex')}`;
  await onDatabase(inject('postgresUrl'), (client) => client.query(`CREATE ROLE ${role} LOGIN`));
  cleanup(() => onDatabase(inject('postgresUrl'), (client) => client.query(`DROP ROLE ${role}`)));
  return role;
}

/** All rows of all tables, to check that nothing has changed. */
function contentOf(url: string): Promise<Record<string, object[]>> {
  return onDatabase(url, async (client) => {
    const { rows } = await client.query(
      `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public' ORDER BY 1`,
    );
    const content: Record<string, object[]> = {};
    for (const { name } of rows) {
      content[name] = (await client.query(`SELECT t::text AS row FROM public."${name}" t ORDER BY 1`)).rows;
    }
    return content;
  });
}

async function occupied(): Promise<{ port: string; server: Server }> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanup(() => new Promise((resolve) => server.close(resolve)));
  return { port: String((server.address() as { port: number }).port), server };
}

/** Creates a project with one experience and a key through the admin API of a process. */
async function setUp(service: ServiceProcess): Promise<{ projectId: string; key: string; body: object }> {
  const file = { project: project(), experiences: [experience()] };
  const applied = await service.admin({ method: 'POST', path: '/admin/projects', body: file });
  expect(applied.status, applied.text).toBe(200);
  const made = await service.admin({
    method: 'POST',
    path: `/admin/projects/${file.project.id}/keys`,
    body: { mode: 'live', scopes: ['sessions:create', 'sessions:read'] },
  });
  return {
    projectId: file.project.id,
    key: made.json.key,
    body: { experienceId: file.experiences[0]?.id },
  };
}

const mint = (service: ServiceProcess, key: string, body: object, headers: Env = {}): Promise<Answer> =>
  service.call({
    method: 'POST',
    path: '/v1/sessions',
    headers: { Authorization: `Bearer ${key}`, ...headers },
    body,
  });

const status = async (service: ServiceProcess, path: string) => (await service.call({ path })).status;

/** Sends a mint with an incomplete body. The service answers `100 Continue` when it has accepted the request. */
function halfSent(
  service: ServiceProcess,
  key: string,
): Promise<{ call: ClientRequest; answer: Promise<Answer> }> {
  const call = request(new URL('/v1/sessions', service.url), {
    method: 'POST',
    agent: false,
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', Expect: '100-continue' },
  });
  const answer = new Promise<Answer>((resolve, reject) => {
    call.once('error', reject);
    call.once('response', (response) => {
      let text = '';
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text,
          get json() {
            return JSON.parse(text);
          },
        }),
      );
    });
  });
  answer.catch(() => undefined);
  call.flushHeaders();
  return new Promise((resolve) => call.once('continue', () => resolve({ call, answer })));
}

/** Creates a data folder with a database of this version. */
const copyOfTemplate = async () => prepareDataFolder(join(await emptyFolder(), 'data'));

/** A service that is stopped while a request never ends. Its ten seconds pass while the other tests run. */
let stubborn: Promise<{ code: number | null; seconds: number; stderr: string }>;

describe('PostgreSQL, three processes', () => {
  let services: ServiceProcess[];

  test('three processes start together on an empty database', async () => {
    const DATABASE_URL = await freshDatabase();
    const env = { DATABASE_URL, DATA_DIR: await emptyFolder(), DEMO: 'on', SHUTDOWN_GRACE_SECONDS: '0' };
    const levels = ['warn', 'warn', 'trace'];
    services = await Promise.all(levels.map((LOG_LEVEL) => start({ ...env, LOG_LEVEL })));
    expect(services.filter((service) => /^ {2}API key +sl_test_/m.test(service.stdout()))).toHaveLength(1);
    for (const service of services) await untilReady(service);
    const { key, body } = await setUp(services[0]!);
    const answers = await Promise.all(services.map((service) => mint(service, key, body)));
    expect(answers.map((answer) => answer.status)).toEqual([201, 201, 201]);
    const known = (await readdir(new URL('../../migrations/', import.meta.url))).filter((name) =>
      name.endsWith('.sql'),
    );
    const { schema_migrations: applied } = await contentOf(DATABASE_URL);
    expect(applied).toHaveLength(known.length);

    const other = services[0]!;
    const { call } = await halfSent(other, key);
    const told = Date.now();
    stubborn = other.kill('SIGTERM').then(({ code }) => {
      call.destroy();
      return { code, seconds: (Date.now() - told) / 1000, stderr: other.stderr() };
    });
  });

  test('logs are JSON lines with request ids, without keys, tokens or idempotency keys', async () => {
    const service = services[2]!;
    const { projectId, key, body } = await setUp(service);
    const secret = key.slice(key.lastIndexOf('_') + 1);
    const idempotencyKey = `order-${randomBytes(12).toString('hex')}`;
    const browserKey = `click-${randomBytes(12).toString('hex')}`;
    const fromBrowser = { Origin: pageOrigin, 'Idempotency-Key': browserKey };
    const bearer = { Authorization: `Bearer ${key}` };
    const answers = [
      await mint(service, key, body, { 'Idempotency-Key': idempotencyKey }),
      await mint(service, key, body, { 'Idempotency-Key': idempotencyKey }),
      await mint(service, key, { ...body, mode: 'presenter' }, { 'Idempotency-Key': idempotencyKey }),
      await mint(service, `${key}x`, body),
      await mint(service, key, { experienceId: key }, { 'Idempotency-Key': idempotencyKey }),
      await service.call({ method: 'POST', path: '/v1/browser-sessions', headers: fromBrowser, body }),
      await service.call({ path: `/v1/sessions/${key}`, headers: bearer }),
      await service.call({ path: `/v1/keys/${key}` }),
      await service.call({ path: `/v1/keys?api_key=${key}`, headers: bearer }),
      await service.call({ path: `/v1/%zz/${key}` }),
      await service.call({ method: 'POST', path: '/v1/sessions', headers: bearer, body: `{"key":"${key}"` }),
      await service.admin({ method: 'POST', path: `/admin/keys/${key}/revoke` }),
      await service.admin({ path: `/admin/projects/${projectId}/keys` }),
      await service.admin({ path: `/admin/nothing/${key}` }),
      await service.admin({ path: '/admin/projects', headers: { Authorization: `Bearer ${adminToken}x` } }),
    ];
    expect(answers.map((answer) => answer.status)).toEqual([
      ...[201, 201, 409, 401, 400, 201, 404, 404, 404, 404, 415, 400, 200, 404, 401],
    ]);
    const tokens = answers.flatMap(({ status: code, json }) =>
      code === 201 ? [json.launch.sessionToken] : [],
    );
    const written = service.log && once(service.log, 'end');
    for (let n = 0; n < 50; n++) await service.call({ path: '/healthz' });
    expect((await service.kill('SIGTERM')).code).toBe(0);
    await written;

    const output = service.stdout() + service.stderr();
    const secrets = [key, secret, idempotencyKey, browserKey, adminToken];
    for (const hidden of [...secrets, ...tokens, ...tokens.map((token: string) => token.split('.')[2])]) {
      expect(output).not.toContain(hidden);
    }
    const lines = logLines(service);
    for (const line of lines)
      expect(line).toMatchObject({ level: expect.any(String), time: expect.any(String) });
    for (const answer of answers) {
      const own = lines.filter((line) => line.reqId === answer.headers['x-request-id']);
      expect(own.at(-1), answer.text).toMatchObject({ status: answer.status, msg: 'answered' });
    }
    expect(lines.filter((line) => ['error', 'fatal'].includes(line.level))).toEqual([]);
  });

  test('a shutdown writes every log line, up to the last', () => {
    const lines = logLines(services[2]!);
    expect(lines.filter(({ msg, route }) => msg === 'answered' && route === '/healthz')).toHaveLength(50);
    expect(lines.at(-1).msg).toBe('stopped');
  });

  test('a shutdown does not wait for a connection without requests', async () => {
    const silent = services[1]!;
    const { hostname, port } = new URL(silent.url);
    const socket = connect(Number(port), hostname).on('error', () => undefined);
    await once(socket, 'connect');
    const began = performance.now();
    const { code } = await silent.kill('SIGTERM');
    socket.destroy();
    expect(code).toBe(0);
    // A service that waits for the connection takes eight seconds.
    expectWithin(performance.now() - began, 7_000);
  });
});

describe('the first start and later ones', () => {
  let folder: string;
  let key: string;
  let experienceId: string;
  let sessionId: string;
  let adminHeader: Env;
  let service: ServiceProcess;
  /** Started with default settings except for the data folder. */
  const plainly = () => start({ DATA_DIR: folder, DEMO: '', ADMIN_TOKEN: '', LOG_LEVEL: '' });
  const sessions = async () => {
    const { json } = await service.admin({
      path: '/admin/projects/prj_demo/sessions',
      headers: adminHeader,
    });
    return json.sessions.map((record: { sessionId: string }) => record.sessionId);
  };

  beforeAll(async () => {
    folder = await emptyFolder();
  });

  test('a first start that fails changes nothing', async () => {
    const { port } = await occupied();
    const env = { DATA_DIR: folder, PORT: port, ADMIN_PORT: '0', LOG_LEVEL: 'warn' };
    expect(await runProgram(['serve'], env)).toEqual({
      code: 1,
      stdout: '',
      stderr: `session-launch: port ${port} on 127.0.0.1 is already in use; stop the process that uses it, or set PORT to another port\n`,
    });
    expect(await readdir(folder)).toEqual([]);
  });

  test('two processes race for an empty folder with an interrupted first start', async () => {
    await mkdir(join(folder, 'database.new', 'base'), { recursive: true });
    await writeFile(join(folder, 'database.new', 'PG_VERSION'), 'half');
    const outcomes = await Promise.allSettled([plainly(), plainly()]);
    const [winner] = outcomes.flatMap((o) => (o.status === 'fulfilled' ? [o.value] : []));
    const [loser, ...others] = outcomes.flatMap((o) => (o.status === 'rejected' ? [String(o.reason)] : []));
    expect(others).toEqual([]);
    expect(loser).toMatch(
      /ended with 1: (\{.*\}\n)*session-launch: another process already uses the data folder .*\n$/,
    );
    service = winner!;
  });

  test('prints the addresses, the demo key and a first request that works', async () => {
    const printed = service.stdout();
    expect(printed).toMatch(/^ {2}Project +prj_demo\b/m);
    expect(printed).toContain(`embedded PostgreSQL in ${folder}`);
    expect(printed).toContain(`(token in ${join(folder, 'admin-token')})`);
    key = /^ {2}API key +(sl_test_\w+) /m.exec(printed)?.[1] ?? '';
    const url = /curl -X POST (\S+) \\\n/.exec(printed)?.[1] ?? '';
    const headers = [...printed.matchAll(/-H '([\w-]+): (.+)' \\\n/g)].map(([, name, value]) => [
      name,
      value,
    ]);
    const data = /-d '(.+)'\n/.exec(printed)?.[1] ?? '';
    expect(Object.fromEntries(headers)).toMatchObject({ Authorization: `Bearer ${key}` });
    const { origin, pathname } = new URL(url);
    expect(origin).toBe(service.url);
    const answer = await send(origin, {
      method: 'POST',
      path: pathname,
      headers: Object.fromEntries(headers),
      body: data,
    });
    expect(answer.status, answer.text).toBe(201);
    expect(answer.json.launch.livemode).toBe(false);
    sessionId = answer.json.session.sessionId;
    experienceId = answer.json.session.experienceId;
    expect(await status(service, '/healthz')).toBe(200);
    await untilReady(service);
  });

  test('makes its secrets readable by their owner only', async () => {
    const mode = async (name: string) => (await stat(join(folder, name))).mode & 0o777;
    expect(await mode('admin-token')).toBe(0o600);
    expect(await mode('signing-keys.json')).toBe(0o600);
    const token = (await readFile(join(folder, 'admin-token'), 'utf8')).trim();
    expect(token.length).toBeGreaterThanOrEqual(32);
    adminHeader = { Authorization: `Bearer ${token}` };
    expect(await sessions()).toEqual([sessionId]);
    expect(service.stdout() + service.stderr()).not.toContain(token);
    const listed = await runProgram(['projects', 'list'], { DATA_DIR: folder, ADMIN_URL: service.adminUrl });
    expect(listed.stdout, listed.stderr).toContain('prj_demo');
  });

  test('a second start on the folder exits, and the first one continues', async () => {
    const before = await readdir(folder);
    expect(await starts.start({ DATA_DIR: folder })).toEqual({
      code: 1,
      lines: [
        `session-launch: another process already uses the data folder ${folder}; stop it first, or set DATA_DIR to another folder`,
      ],
    });
    expect(await readdir(folder)).toEqual(before);
    expect((await mint(service, key, { experienceId })).status).toBe(201);
  });

  test('a killed service restarts at once, with all acknowledged data', async () => {
    const read = () => service.admin({ path: '/admin/projects/prj_demo', headers: adminHeader });
    const { json } = await read();
    const applied = await service.admin({
      method: 'POST',
      path: '/admin/projects',
      headers: adminHeader,
      body: { ...json, project: { ...json.project, name: 'Mine now' } },
    });
    expect(applied.json).toMatchObject({ changed: true });
    const keys = (await service.call({ path: '/.well-known/jwks.json' })).text;
    const answers = await Promise.all(Array.from({ length: 20 }, () => mint(service, key, { experienceId })));
    const ids = answers.map((answer) => answer.json.session.sessionId);
    const minted = await sessions();
    expect(minted).toEqual(expect.arrayContaining(ids));
    await service.kill('SIGKILL');
    service = await plainly();
    await untilReady(service);
    expect(service.stderr(), 'what takes long').not.toContain('creating the database');
    expect(await sessions()).toEqual(minted);
    expect((await read()).json.project.name, 'the demo is not set up again').toBe('Mine now');
    expect((await service.call({ path: '/.well-known/jwks.json' })).text).toBe(keys);
    expect((await mint(service, key, { experienceId })).status).toBe(201);
  });

  test('a later start prints no key', () => {
    expect(service.stdout()).toMatch(/^ {2}Project +prj_demo\b/m);
    expect(service.stdout()).toMatch(/session-launch keys create --project prj_demo/);
    expect(service.stdout()).not.toMatch(/sl_test_|API key/);
    expect(service.stdout()).toContain(`-d '{"experienceId":"${experienceId}"}'`);
  });

  test('a shutdown finishes the request in flight, refuses new ones, and leaves a folder that can be opened again', async () => {
    const { call, answer } = await halfSent(service, key);
    const exit = service.kill('SIGTERM');
    await vi.waitFor(() => expect(service.stderr()).toContain('"msg":"stopping"'), 180_000);
    await vi.waitFor(
      () =>
        expect(send(service.url, { path: '/healthz', localAddress: '127.0.0.1' })).rejects.toThrow(
          'ECONNREFUSED',
        ),
      { timeout: 180_000 },
    );
    call.end(JSON.stringify({ experienceId }));
    const { status: code, json } = await answer;
    expect(code, service.stderr()).toBe(201);
    // Exit code 0 shows that the stop took less than the grace period.
    expect(await exit).toEqual({ code: 0, signal: null });
    expect(service.stderr()).toContain('"msg":"stopped"');
    expect(await readdir(folder)).not.toContain('lock');

    const database = await openEmbedded(folder);
    const text = 'SELECT project_id FROM sessions WHERE id = $1';
    const kept = await database.query('admin', { text }, [json.session.sessionId]);
    await database.close();
    expect(kept).toEqual([{ project_id: 'prj_demo' }]);
  });
});

test('a folder with a long path is locked too, regardless of TMPDIR', async () => {
  const folder = join(await emptyFolder(), ...Array.from({ length: 6 }, () => 'x'.repeat(30)));
  const [one, other] = [await emptyFolder(), await emptyFolder()];
  onTestFinished(() => void vi.unstubAllEnvs());
  vi.stubEnv('TMPDIR', one);
  const lock = await lockFolder(folder);
  vi.stubEnv('TMPDIR', other);
  expect(await isFolderInUse(folder)).toBe(true);
  await expect(lockFolder(folder)).rejects.toThrow('another process already uses the data folder');
  await lock.release();
  const next = await lockFolder(folder);
  await next.release();
  for (const path of [folder, one, other]) expect(await readdir(path)).toEqual([]);
});

describe.concurrent('PostgreSQL', () => {
  test('without ADMIN_TOKEN the admin API is off and the start logs it; the demo is off by default', async () => {
    const DATABASE_URL = await migratedDatabase();
    const DATA_DIR = await emptyFolder();
    const service = await start({
      DATABASE_URL,
      DATA_DIR,
      DEMO: '',
      ADMIN_TOKEN: '',
      RUNTIME_TOKEN: '',
      RUNTIME: 'off',
      METRICS_TOKEN: 'a-metrics-token-for-tests',
    });
    // A signal right after the summary still causes a graceful stop.
    expect(await service.kill('SIGTERM')).toEqual({ code: 0, signal: null });
    expect(service.adminUrl).toBe('off');
    expect(service.stdout()).toContain('set ADMIN_TOKEN');
    expect(service.stdout()).not.toContain('prj_demo');
    expect(service.stdout()).not.toContain(DATABASE_URL);
    const said = logLines(service).map((line) => line.msg);
    expect(said).toContainEqual(expect.stringContaining('the admin API is off: set ADMIN_TOKEN'));
    expect(said).toContainEqual(expect.stringContaining('METRICS_TOKEN has no effect'));
    expect(said).toContainEqual(expect.stringContaining('SIGNING_KEYS_FILE'));
    expect(await readdir(DATA_DIR)).toEqual(['signing-keys.json']);
    expect((await contentOf(DATABASE_URL)).projects).toEqual([]);
  });
});

test('a demo whose experiences belong to another project is left out, with a warning', async () => {
  const DATABASE_URL = await migratedDatabase();
  await onDatabase(DATABASE_URL, (client) =>
    client.query(`
      INSERT INTO projects VALUES ('prj_mine', 'Mine', false, '{}', 1, 1, 1, 1, now(), now());
      INSERT INTO experiences VALUES ('exp_harbor_guide', 'prj_mine', 'a', 'A', 0, 'draft', false, '{}', NULL, NULL, NULL, NULL, 1, now(), now());
      INSERT INTO revisions VALUES ('exp_harbor_guide', 1, 'a', 'A', '{}', now())`),
  );
  const service = await start({ DATABASE_URL, DEMO: 'on', DATA_DIR: await emptyFolder() });
  await expect
    .poll(() => logLines(service))
    .toContainEqual(
      expect.objectContaining({
        level: 'warn',
        msg: expect.stringContaining('set DEMO=off'),
        reason: expect.stringContaining('exp_harbor_guide'),
      }),
    );
  expect((await contentOf(DATABASE_URL)).projects).toHaveLength(1);
  await untilReady(service);
});

describe.concurrent('a start that cannot succeed fails in one line:', () => {
  const refused = 'check the address, the credentials and that PostgreSQL runs';

  test.each<[string, () => Promise<Env>, string | RegExp]>([
    [
      'a database that is not reachable',
      async () => ({ DATABASE_URL: 'postgres://u:hunter22@127.0.0.1:1/x', DATABASE_WAIT_SECONDS: '0' }),
      refused,
    ],
    [
      'a wrong database name',
      async () => ({ DATABASE_URL: inject('postgresUrl').replace(/\w+$/, 'nowhere') }),
      /"nowhere" does not exist; check the address/,
    ],
    [
      'a data folder below a file',
      async () => {
        const folder = await emptyFolder();
        await writeFile(join(folder, 'file'), '');
        return { DATA_DIR: join(folder, 'file', 'data') };
      },
      /data folder .* is not writable \(ENOTDIR\); .* set DATA_DIR/,
    ],
    [
      'a data folder with other files',
      async () => {
        const folder = await emptyFolder();
        await mkdir(join(folder, 'database'));
        await writeFile(join(folder, 'database', 'letters.txt'), 'Dear Ada');
        return { DATA_DIR: folder };
      },
      'holds files that are not a database; set DATA_DIR to another folder',
    ],
    [
      'an admin port in use',
      async () => ({
        DATABASE_URL: await migratedDatabase(),
        ADMIN_PORT: (await occupied()).port,
        ADMIN_TOKEN: adminToken,
        DEMO: 'on',
      }),
      'is already in use; stop the process that uses it, or set ADMIN_PORT to another port',
    ],
    [
      'an address of another machine',
      async () => ({ DATABASE_URL: await migratedDatabase(), HOST: '192.0.2.1' }),
      '192.0.2.1 is not an address of this machine; correct HOST',
    ],
    [
      'an admin token file without a token',
      async () => {
        const folder = await copyOfTemplate();
        await writeFile(join(folder, 'admin-token'), 'short\n');
        return { DATA_DIR: folder };
      },
      /admin token file .* holds no usable token; remove it .* or set ADMIN_TOKEN/,
    ],
    [
      'a database with foreign tables',
      async () => {
        const DATABASE_URL = await freshDatabase();
        await onDatabase(DATABASE_URL, (client) => client.query('CREATE TABLE projects (mine text)'));
        return { DATABASE_URL };
      },
      /"projects" already exists\); .* set DATABASE_URL to an empty database/,
    ],
    [
      'a database of a newer program',
      async () => {
        const DATABASE_URL = await migratedDatabase();
        await onDatabase(DATABASE_URL, (client) =>
          client.query(`INSERT INTO schema_migrations (version) VALUES (9999)`),
        );
        return { DATABASE_URL };
      },
      /newer version of this program; start that version, or restore a backup/,
    ],
    [
      'an empty database and a role without CREATE privileges',
      async () => ({ DATABASE_URL: (await freshDatabase()).replace('postgres@', `${await limitedRole()}@`) }),
      /permission denied .*; let the role of DATABASE_URL own the tables, and allow it to create some/,
    ],
    [
      'an invalid signing key file',
      async () => {
        const SIGNING_KEYS_FILE = join(await emptyFolder(), 'keys.json');
        await writeFile(SIGNING_KEYS_FILE, '{"keys":[');
        return { DATABASE_URL: await freshDatabase(), SIGNING_KEYS_FILE };
      },
      /SIGNING_KEYS_FILE .*keys\.json is not JSON; .*\(remove it to create a new one\)/,
    ],
  ])('%s', async (_, arrange, says) => {
    const env = await arrange();
    const url = env.DATABASE_URL?.startsWith(inject('postgresUrl').replace(/postgres$/, ''))
      ? env.DATABASE_URL
      : undefined;
    const before = url && !/nowhere$/.test(url) ? await contentOf(url) : undefined;
    const { code, lines } = await starts.start({ DATA_DIR: await emptyFolder(), ...env });
    expect(lines).toEqual([expect.stringMatching(/^session-launch: \S/)]);
    expect(lines[0]).toMatch(says);
    expect(lines[0]).not.toMatch(/hunter22|unexpected/);
    expect(code).toBe(1);
    if (before && url) expect(await contentOf(url)).toEqual(before);
  });

  test('every invalid variable, with exit code 2', async () => {
    const folder = await emptyFolder();
    const { code, lines } = await starts.start({
      DATA_DIR: folder,
      PORT: 'http',
      ADMIN_TOKEN: 'hunter22',
      DATABASE_URL: 'mysql://someone:hunter22@db.example/x',
      PUBLIC_URL: 'launch.example.com',
      TRUST_PROXY: 'everyone',
      DEMO: 'yes',
      LOG_LEVEL: 'loud',
    });
    expect(code).toBe(2);
    const named = lines.map((text) => /^session-launch: (\w+) is .+; it must be .+$/.exec(text)?.[1]);
    expect(named.sort()).toEqual(
      ['ADMIN_TOKEN', 'DATABASE_URL', 'DEMO', 'LOG_LEVEL', 'PORT', 'PUBLIC_URL', 'TRUST_PROXY'].sort(),
    );
    expect(lines.join()).not.toContain('hunter22');
    expect(await readdir(folder)).toEqual([]);
  });
});

test('a shutdown waits for a request that never ends up to the grace, cuts it off, and closes the engine', async () => {
  const { code, seconds, stderr } = await stubborn;
  expect(code, stderr).toBe(0);
  expect(seconds).toBeGreaterThan(7);
  expect(seconds).toBeLessThan(60);
});
