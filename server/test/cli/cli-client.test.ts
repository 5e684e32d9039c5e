import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { errorTable } from '@session-launch/contract/errors';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createAdminClient } from '../../src/cli/client/admin-client.ts';
import { run } from '../../src/cli/main.ts';
import { FakeAdmin, failure } from './fake-admin.ts';
import { runCli } from './run-cli.ts';

const token = 'token-of-the-admin-api';
let admin: FakeAdmin;
let cwd: string;

beforeEach(async () => {
  admin = await FakeAdmin.start();
  cwd = await mkdtemp(join(tmpdir(), 'session-launch-cli-'));
});

afterEach(async () => {
  await admin.stop();
  await rm(cwd, { recursive: true });
});

const cli = (line: string, stdin = '') =>
  runCli(line.split(' '), { cwd, stdin, env: { ADMIN_URL: admin.url, ADMIN_TOKEN: token } });

describe('usage', () => {
  it('--help shows commands, examples and exit codes', async () => {
    const { code, stdout } = await cli('--help');
    expect(code).toBe(0);
    for (const text of [
      'serve',
      'apply',
      'keys',
      'sessions',
      'projects',
      'doctor',
      'Examples:',
      'Exit codes',
    ]) {
      expect(stdout).toContain(text);
    }
  });

  it('serve --help names every variable', async () => {
    const { stdout } = await cli('serve --help');
    for (const name of ['DATABASE_URL', 'TRUST_PROXY', 'LOG_LEVEL']) expect(stdout).toContain(name);
  });

  it('--version prints that of the package', async () => {
    expect(await cli('--version')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
    });
  });

  it.each([
    [
      'aply x.yaml',
      "session-launch: unknown command 'aply' (Did you mean apply?); see session-launch --help",
    ],
    ['keys revok', "unknown command 'revok' (Did you mean revoke?); see session-launch keys --help"],
    ['keys', 'session-launch: name a command: create, list, revoke; see session-launch keys --help'],
    ['apply', "missing required argument 'file'"],
    ['keys list', "required option '--project <id>' not specified"],
    ['sessions list --project prj_a --limt 3', "unknown option '--limt' (Did you mean --limit?)"],
    ['sessions list --project prj_a --limit 0', 'It must be a whole number, 1 or more.'],
    ['sessions list --project prj_a --status open', 'Allowed choices are created, active, ended, expired.'],
    ['sessions list --project ../keys', 'a project id looks like prj_demo'],
    ['projects export ..', 'a project id looks like prj_demo'],
    ['keys create --project prj_a --mode prod --scope sessions:read', 'Allowed choices are test, live.'],
    [
      'keys create --project prj_a --mode test --scope sessions:write',
      'Allowed scopes are sessions:create, sessions:read, catalog:read.',
    ],
    [
      'keys create --project prj_a --mode test --scope sessions:read --expires 0d',
      'It must be in the future.',
    ],
  ])('%s is rejected locally, in one line', async (line, text) => {
    const { code, stdout, stderr } = await cli(line);
    expect(stderr).toContain(text);
    expect(stderr).toMatch(/^session-launch: .*\n$/);
    expect({ code, stdout, calls: admin.calls }).toEqual({ code: 2, stdout: '', calls: [] });
  });

  it('a missing command prints the list of commands', async () => {
    const { code, stderr } = await runCli([], { cwd });
    expect(code).toBe(2);
    expect(stderr).toMatch(
      /^session-launch: name a command: serve, runtime, console, plan, apply, experiences, keys, .*\n$/,
    );
  });

  it('an API key given as a key id is not echoed', async () => {
    const { code, stderr } = await cli('keys revoke sl_live_0123456789');
    expect(code).toBe(2);
    expect(stderr).not.toContain('sl_live');
  });
});

describe('the admin API', () => {
  it('is called with the token file in DATA_DIR if ADMIN_TOKEN is unset', async () => {
    await writeFile(join(cwd, 'admin-token'), `${token}\n`);
    admin.answer = () => ({ body: { projects: [] } });
    const { code } = await runCli(['projects', 'list'], {
      cwd,
      env: { ADMIN_URL: admin.url, DATA_DIR: '.' },
    });
    expect(code).toBe(0);
    expect(admin.calls[0]?.headers.authorization).toBe(`Bearer ${token}`);
  });

  it('cannot be called without a token', async () => {
    const { code, stderr } = await runCli(['projects', 'list'], { cwd, env: { ADMIN_URL: admin.url } });
    expect(code).toBe(2);
    expect(stderr).toMatch(/^session-launch: no admin token: set ADMIN_TOKEN, or DATA_DIR .*\n$/);
  });

  it('is unreachable if no process listens', async () => {
    const { url } = admin;
    await admin.stop();
    const { code, stderr } = await runCli(['projects', 'list'], {
      cwd,
      env: { ADMIN_URL: url, ADMIN_TOKEN: token },
    });
    admin = await FakeAdmin.start();
    expect(code).toBe(1);
    expect(stderr).toBe(
      `session-launch: cannot reach the admin API at ${url}: is the service running? (set ADMIN_URL to point elsewhere)\n`,
    );
  });

  it('is not called with invalid variables, which are named one per line', async () => {
    const { code, stderr } = await runCli(['projects', 'list'], {
      cwd,
      env: { ADMIN_URL: 'nowhere', ADMIN_TOKEN: 'short' },
    });
    expect(code).toBe(2);
    expect(stderr.split('\n')).toEqual([
      expect.stringMatching(/^session-launch: ADMIN_URL is "nowhere"; it must be /),
      expect.stringMatching(/^session-launch: ADMIN_TOKEN is a secret of 5 characters; it must be /),
      '',
    ]);
  });

  it.each([
    [
      'a refused token',
      failure(401, { code: 'API_KEY_INVALID', message: 'No.' }),
      /refused the token: set ADMIN_TOKEN/,
    ],
    [
      'a conflict, without the values',
      failure(412, {
        code: 'VERSION_CONFLICT',
        message: 'The document was changed.',
        details: {
          version: 7,
          by: 'Ada',
          at: '2026-11-18T10:00:00.000Z',
          changes: ['title', 'slug', 'a', 'b', 'c', 'd', 'e'].map((path) => ({
            path,
            before: '{…}',
            after: '{…}',
          })),
        },
      }),
      /^session-launch: The document was changed\. Version 7, by Ada at 2026-11-18T10:00:00\.000Z, changed title, slug, a, b, c and 2 more\.\n$/,
    ],
    [
      'an error with details',
      failure(400, {
        code: 'INVALID_REQUEST',
        message: 'The request is not valid; see details.',
        details: [{ path: 'name', message: 'is too long' }],
      }),
      /^session-launch: The request is not valid; see details\. name is too long\n$/,
    ],
    [
      'an error whose message already contains the detail',
      failure(400, {
        code: 'INVALID_REQUEST',
        message: 'The request is not valid: name is too long.',
        details: [{ path: 'name', message: 'is too long' }],
      }),
      /^session-launch: The request is not valid: name is too long\.\n$/,
    ],
    [
      'a failure of the service',
      failure(500, { code: 'INTERNAL', message: 'Something went wrong.' }),
      /Something went wrong\. \(request id req_1\)\n$/,
    ],
    [
      'the public port',
      failure(404, { code: 'NOT_FOUND', message: errorTable.NOT_FOUND.message }),
      /so it is not the admin API: set ADMIN_URL/,
    ],
    [
      'another web server',
      { status: 502, type: 'text/html', body: '<h1>Bad gateway</h1>' },
      /answers with status 502 and text\/html, so it is not the admin API/,
    ],
    ['a web page', { type: 'text/html', body: '<h1>It works</h1>' }, /so it is not the admin API/],
    [
      'a redirect',
      { status: 301, headers: { location: 'https://admin.example.com/' }, body: '' },
      /a redirect to https:\/\/admin\.example\.com\//,
    ],
  ])('%s', async (_name, answer, line) => {
    admin.answer = () => answer;
    const { code, stdout, stderr } = await cli('projects list');
    expect(stderr).toMatch(line);
    expect(stderr).toMatch(/^session-launch: .*\n$/);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  });
});

describe('a stalled admin API', () => {
  const ask = (adminUrl: string) =>
    createAdminClient({ adminUrl, token, tokenFile: '' }).text('GET /admin/projects', {
      timeoutSeconds: 0.2,
    });
  const timeout = { kind: 'timeout', message: expect.stringContaining('did not answer within 0.2 seconds') };

  afterEach(() => {
    vi.unstubAllGlobals();
    vi.useRealTimers();
  });

  it.each([
    ['before its response', () => {}],
    ['within the body', (response: ServerResponse) => response.write('{"projects":[')],
  ])('%s times out', async (_, answer) => {
    const server = createServer((_request, response) => answer(response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    await expect(ask(`http://127.0.0.1:${port}`)).rejects.toMatchObject(timeout);
    // Resolves only if the client has closed its connection.
    await new Promise((resolve) => server.close(resolve));
  });

  it('times out even if fetch ignores its signal', async () => {
    vi.stubGlobal('fetch', () => new Promise(() => {}));
    await expect(ask(admin.url)).rejects.toMatchObject(timeout);
  });

  it('apply waits longer, and warns that the file may still be applied', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const sent = new Promise<void>((resolve) => {
      vi.stubGlobal('fetch', () => {
        resolve();
        return new Promise(() => {});
      });
    });
    const done = cli('apply -');
    await sent;
    vi.advanceTimersByTime(120_000);
    expect(await done).toEqual({
      code: 1,
      stdout: '',
      stderr: `session-launch: the admin API at ${admin.url} did not answer within 120 seconds; the file may still be applied, and applying it again is safe\n`,
    });
  });
});

describe('apply', () => {
  const unchanged = { projectId: 'prj_demo', changed: false, changes: [] };

  it.each([
    ['project.yaml', 'application/yaml'],
    ['project.JSON', 'application/json'],
  ])('%s is sent unchanged, as %s', async (file, type) => {
    await writeFile(join(cwd, file), 'project: é\n');
    admin.answer = () => ({ body: unchanged });
    expect(await cli(`apply ${file}`)).toEqual({ code: 0, stdout: 'prj_demo: no change\n', stderr: '' });
    expect(admin.calls[0]).toMatchObject({ method: 'POST', body: 'project: é\n' });
    expect(admin.calls[0]?.url.pathname).toBe('/admin/projects');
    expect(admin.calls[0]?.headers['content-type']).toBe(type);
  });

  it('- reads standard input', async () => {
    admin.answer = () => ({ body: unchanged });
    expect((await cli('apply -', 'from: stdin')).code).toBe(0);
    expect(admin.calls[0]?.body).toBe('from: stdin');
  });

  it('updates a terminal every second while it waits, and clears that line', async () => {
    const told: string[] = [];
    admin.answer = () =>
      new Promise((resolve) => {
        ticked = () => resolve({ body: unchanged });
      });
    let ticked = () => {};
    const { stdout } = await runCli(['apply', '-'], {
      cwd,
      env: { ADMIN_URL: admin.url, ADMIN_TOKEN: token },
      terminal: (text) => {
        told.push(text);
        ticked();
      },
    });
    expect(stdout).toBe('prj_demo: no change\n');
    expect(told[0]).toBe('\rApplying stdin… 1 s');
    expect(told.at(-1)).toBe('\r\u001b[K');
  });

  it('prints a summary of the changes with the new revisions', async () => {
    const experience = (id: string, change: string, more = {}) => ({
      kind: 'experience',
      id,
      change,
      ...more,
    });
    const answer = {
      projectId: 'prj_demo',
      changed: true,
      changes: [
        { kind: 'project', id: 'prj_demo', change: 'updated' },
        experience('exp_new', 'created', { revision: 1, newRevision: true }),
        experience('exp_a', 'updated', { revision: 3, newRevision: true }),
        experience('exp_b', 'updated', { revision: 1, newRevision: false }),
        experience('exp_c', 'unchanged', { revision: 1 }),
      ],
    };
    admin.answer = () => ({ body: answer });
    expect((await cli('apply -')).stdout).toBe(
      'prj_demo: project updated, 1 experience created, 2 updated (new revisions: exp_a 3), 1 unchanged\n',
    );
    expect(JSON.parse((await cli('apply - --json')).stdout)).toEqual(answer);
  });

  it('problems are printed with their positions', async () => {
    await writeFile(join(cwd, 'project.yaml'), 'x');
    admin.answer = () =>
      failure(400, {
        code: 'PROJECT_FILE_INVALID',
        message: 'The project file is not valid.',
        details: [
          { line: 12, column: 5, path: 'experiences[1].slug', message: 'must be lower case' },
          { path: 'project', message: 'is missing' },
          { line: 3, path: '', message: 'is not YAML' },
        ],
      });
    const { code, stdout, stderr } = await cli('apply project.yaml');
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr.split('\n')).toEqual([
      'session-launch: project.yaml has 3 problems; nothing was changed',
      'project.yaml:12:5: experiences[1].slug must be lower case',
      'project.yaml: project is missing',
      'project.yaml:3: is not YAML',
      '',
    ]);
  });

  it('a file that cannot be read is an error', async () => {
    expect(await cli('apply missing.yaml')).toEqual({
      code: 1,
      stdout: '',
      stderr: 'session-launch: cannot read missing.yaml: there is no such file\n',
    });
    await writeFile(join(cwd, 'latin1.yaml'), Buffer.from([0x63, 0xe9]));
    expect((await cli('apply latin1.yaml')).stderr).toContain('latin1.yaml is not UTF-8 text');
    expect(admin.calls).toEqual([]);
  });
});

describe('keys', () => {
  const created = {
    keyId: 'key_1',
    key: 'sl_test_secret',
    projectId: 'prj_demo',
    mode: 'test',
    scopes: ['sessions:create', 'sessions:read'],
    createdAt: '2026-01-01T00:00:00.000Z',
  };

  it('create sends the options and prints the key once', async () => {
    admin.answer = () => ({ status: 201, body: created });
    const { code, stdout } = await runCli(
      [
        ...'keys create --project prj_demo --mode test --scope sessions:create --scope sessions:read'.split(
          ' ',
        ),
        ...['--scope', 'sessions:read', '--name', 'My key', '--expires', '2090-01-01T00:00:00Z'],
      ],
      { cwd, env: { ADMIN_URL: admin.url, ADMIN_TOKEN: token } },
    );
    expect(code).toBe(0);
    expect(stdout).toMatch(/^sl_test_secret \(key_1, .*shown only once.*\n$/);
    expect(admin.calls[0]?.url.pathname).toBe('/admin/projects/prj_demo/keys');
    expect(JSON.parse(admin.calls[0]?.body ?? '')).toEqual({
      mode: 'test',
      scopes: ['sessions:create', 'sessions:read'],
      name: 'My key',
      expiresAt: '2090-01-01T00:00:00.000Z',
    });
  });

  it('create --json prints keyId and key on one line, and omits unset options', async () => {
    admin.answer = () => ({ status: 201, body: created });
    const { stdout } = await cli('keys create --project prj_demo --mode test --scope catalog:read --json');
    expect(stdout).toBe('{"keyId":"key_1","key":"sl_test_secret"}\n');
    expect(JSON.parse(admin.calls[0]?.body ?? '')).toEqual({ mode: 'test', scopes: ['catalog:read'] });
  });

  it('list shows the state of each key', async () => {
    const key = (keyId: string, more = {}) => ({
      ...created,
      key: undefined,
      keyId,
      hint: 'sl_test_…abcd',
      ...more,
    });
    const keys = [
      key('key_1', { name: 'evil\u001b[31m' }),
      key('key_2', { expiresAt: '2026-01-02T00:00:00.000Z' }),
      key('key_3', { expiresAt: '2026-01-02T00:00:00.000Z', revokedAt: '2026-01-03T00:00:00.000Z' }),
      key('key_4', { expiresAt: '2090-01-02T00:00:00.000Z' }),
    ];
    admin.answer = () => ({ body: { keys } });
    const { stdout } = await cli('keys list --project prj_demo');
    const lines = stdout.trimEnd().split('\n');
    expect(lines[0]).toMatch(/^KEY ID +HINT +MODE +STATE/);
    expect(lines.slice(1).map((line) => line.split(/ +/)[3])).toEqual([
      'active',
      'expired',
      'revoked',
      'active',
    ]);
    expect(stdout).not.toContain('\u001b');
    expect(JSON.parse((await cli('keys list --project prj_demo --json')).stdout)).toHaveLength(4);
  });

  it('list prints a notice for a project without keys', async () => {
    admin.answer = () => ({ body: { keys: [] } });
    expect((await cli('keys list --project prj_demo')).stdout).toBe('prj_demo has no keys\n');
    expect((await cli('keys list --project prj_demo --json')).stdout).toBe('[]\n');
  });

  it('revoke prints the time of revocation', async () => {
    admin.answer = () => ({ body: { ...created, revokedAt: '2026-02-01T00:00:00.000Z' } });
    expect((await cli('keys revoke key_1')).stdout).toBe('key_1 is revoked since 2026-02-01T00:00:00.000Z\n');
    expect(admin.calls[0]).toMatchObject({ method: 'POST' });
    expect(admin.calls[0]?.url.pathname).toBe('/admin/keys/key_1/revoke');
  });
});

describe('sessions list', () => {
  const all = Array.from({ length: 1201 }, (_, index) => ({
    sessionId: `ses_${index}`,
    experienceId: 'exp_cafe',
    status: 'created',
    source: 'server',
    locale: 'en',
    createdAt: '2026-01-01T00:00:00.000Z',
    usage: { seconds: 0 },
  }));

  beforeEach(() => {
    admin.answer = ({ url }) => {
      const start = Number(url.searchParams.get('cursor') ?? 0);
      const end = start + Number(url.searchParams.get('limit'));
      return {
        body: { sessions: all.slice(start, end), ...(end < all.length ? { nextCursor: String(end) } : {}) },
      };
    };
  });

  it('fetches all pages', async () => {
    const { code, stdout } = await cli('sessions list --project prj_demo --json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual(all);
    expect(admin.calls.map(({ url }) => url.search)).toEqual([
      '?limit=500',
      '?limit=500&cursor=500',
      '?limit=500&cursor=1000',
    ]);
  });

  it('stops at the limit', async () => {
    const { stdout } = await cli('sessions list --project prj_demo --limit 501 --json');
    expect(JSON.parse(stdout)).toEqual(all.slice(0, 501));
    expect(admin.calls.map(({ url }) => url.search)).toEqual(['?limit=500', '?limit=1&cursor=500']);
  });

  it('prints a line per session', async () => {
    const lines = (await cli('sessions list --project prj_demo')).stdout.trimEnd().split('\n');
    expect(lines).toHaveLength(all.length + 1);
    expect(lines[1]).toMatch(/^2026-01-01T00:00:00\.000Z +ses_0 +exp_cafe +created +server +en +-$/);
  });

  it('sends its filters', async () => {
    await cli(
      'sessions list --project prj_demo --experience exp_a --status ended --source browser --user a&b=c',
    );
    expect(Object.fromEntries(admin.calls[0]!.url.searchParams)).toEqual({
      limit: '500',
      experienceId: 'exp_a',
      status: 'ended',
      source: 'browser',
      userId: 'a&b=c',
    });
  });

  it('prints a notice for an empty list', async () => {
    admin.answer = () => ({ body: { sessions: [] } });
    expect((await cli('sessions list --project prj_demo --json')).stdout).toBe('[]\n');
    expect((await cli('sessions list --project prj_demo')).stdout).toBe('no sessions\n');
  });

  it('prints nothing to standard output if the first page fails', async () => {
    admin.answer = () => failure(404, { code: 'NOT_FOUND', message: 'No such project.' });
    expect(await cli('sessions list --project prj_demo --json')).toEqual({
      code: 1,
      stdout: '',
      stderr: 'session-launch: No such project.\n',
    });
  });

  it('exits quietly when its output is closed', async () => {
    const gone = new Writable({
      write: (_chunk, _encoding, done) => done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' })),
    });
    gone.on('error', () => {});
    const code = await run(['sessions', 'list', '--project', 'prj_demo'], {
      env: { ADMIN_URL: admin.url, ADMIN_TOKEN: token },
      cwd,
      stdin: Readable.from([]),
      stdout: gone,
      stderr: process.stderr,
    });
    expect(code).toBe(0);
    expect(admin.calls).toHaveLength(1);
  });
});

describe('projects', () => {
  it('list prints a line per project', async () => {
    const projects = [{ projectId: 'prj_demo', name: 'Demo', browserEmbeds: true, experiences: 4 }];
    admin.answer = () => ({ body: { projects } });
    expect((await cli('projects list')).stdout).toMatch(/\nprj_demo +4 +on +Demo\n$/);
    expect(JSON.parse((await cli('projects list --json')).stdout)).toEqual(projects);
  });

  it('export prints the file in the requested format', async () => {
    admin.answer = ({ headers }) =>
      headers.accept === 'application/yaml'
        ? { type: 'application/yaml', body: 'project:\n  id: prj_demo\n' }
        : { body: '{"project":{"id":"prj_demo"}}' };
    expect((await cli('projects export prj_demo')).stdout).toBe('project:\n  id: prj_demo\n');
    expect((await cli('projects export prj_demo --json')).stdout).toBe('{"project":{"id":"prj_demo"}}\n');
    expect(admin.calls[0]?.url.pathname).toBe('/admin/projects/prj_demo');
  });
});
