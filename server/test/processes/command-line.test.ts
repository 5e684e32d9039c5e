import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { useCleanup } from '@session-launch/testing/cleanup.ts';
import { clonedDatabase } from '@session-launch/testing/cloned-database.ts';
import { startPostgres } from '@session-launch/testing/postgres-server.ts';
import {
  type Finished,
  runProgram,
  type ServiceProcess,
  startProcess,
  temporaryFolder,
} from '@session-launch/testing/process.ts';
import { expectWithin } from '@session-launch/testing/slowness.ts';
import { adminToken } from '@session-launch/testing/target.ts';
import { experience, project, runtime, uniqueId } from '@session-launch/testing/world.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import type { Finding } from '../../src/doctor/finding.ts';
import { runCli } from '../cli/run-cli.ts';
import { openPatiently } from '../harness/patient-postgres.ts';

const cleanup = useCleanup();
let service: ServiceProcess;
let folder: string;
/** Environment variables of an operator of that service. */
let env: Record<string, string>;

beforeAll(async () => {
  const { path, remove } = await temporaryFolder();
  cleanup(remove);
  folder = path;
  const { url, drop } = await clonedDatabase();
  cleanup(drop);
  env = { DATABASE_URL: url, DATA_DIR: join(folder, 'data') };
  service = await startProcess(env);
  cleanup(() => service.kill('SIGKILL'));
  env = { ...env, ADMIN_URL: service.adminUrl, ADMIN_TOKEN: adminToken };
});

type Run = (args: string[], more?: Record<string, string>) => Promise<Finished>;

/** Runs the program as a child process. */
const program: Run = (args, more = {}) => runProgram(args, { ...env, ...more }, folder);

/** Runs the same commands in this process: most of the time of a child process is spent on loading Node. */
const cli: Run = (args, more = {}) => runCli(args, { env: { ...env, ...more }, cwd: folder });

/** Runs a command that must succeed and write nothing to standard error. */
async function done(...args: string[]): Promise<string> {
  return succeeded(await cli(args));
}

function succeeded({ code, stdout, stderr }: Finished): string {
  expect({ code, stderr }, stdout).toEqual({ code: 0, stderr: '' });
  return stdout;
}

/** Runs a command that must fail with a first line that explains what to do. */
async function failed(
  args: string[],
  more: Record<string, string> = {},
  run: Run = cli,
): Promise<{ code: number | null; lines: string[] }> {
  const { code, stdout, stderr } = await run(args, more);
  expect(stdout).toBe('');
  const lines = stderr.trimEnd().split('\n');
  expect(lines[0]).toMatch(/^session-launch: \S/);
  return { code, lines };
}

async function fileWith(content: object | string, name = `${uniqueId('file')}.yaml`): Promise<string> {
  await writeFile(join(folder, name), typeof content === 'string' ? content : stringify(content));
  return name;
}

const stored = async (projectId: string) =>
  (await service.admin({ path: `/admin/projects/${projectId}` })).text;

describe('apply', () => {
  const file = { project: project(), experiences: [experience(), experience()] };
  const { id } = file.project;

  test('creates a project, then reports no change, then lists the changes', async () => {
    const name = await fileWith(file);
    expect(succeeded(await program(['apply', name]))).toBe(`${id}: project created, 2 experiences created\n`);
    expect(await done('apply', name)).toBe(`${id}: no change\n`);
    const changed = {
      ...file,
      experiences: [{ ...file.experiences[0], runtime: runtime({ mode: 'presenter' }) }],
    };
    expect(await done('apply', await fileWith(changed))).toBe(
      `${id}: 1 experience updated (new revisions: ${file.experiences[0]?.id} 2)\n`,
    );
    const again = JSON.parse(
      await done('apply', await fileWith(JSON.stringify(changed), 'again.json'), '--json'),
    );
    expect(again).toMatchObject({ projectId: id, changed: false });
  });

  test('lists every problem of an invalid file with its line, and changes nothing', async () => {
    const before = await stored(id);
    const name = await fileWith(
      [
        'project:',
        `  id: ${id}`,
        '  name: Renamed',
        '  allowedOrigins: ["*"]',
        'experiences:',
        `  - id: ${uniqueId('exp')}`,
        '    slug: Not a slug',
        '    titel: Oops',
        '    runtime: { characters: [], transport: { type: websocket, url: https://a.example } }',
        '',
      ].join('\n'),
      'broken.yaml',
    );
    const { code, lines } = await failed(['apply', name]);
    expect(code).toBe(1);
    expect(lines[0]).toBe('session-launch: broken.yaml has 5 problems; nothing was changed');
    expect(lines.slice(1).map((line) => /^broken\.yaml:(\d+):\d+: \S+ .+/.exec(line)?.[1])).toEqual([
      ...['4', '7', '8', '9', '9'],
    ]);
    expect(await stored(id)).toBe(before);
  });

  test('rejects a file that is not YAML', async () => {
    const { code, lines } = await failed(['apply', await fileWith('project: {id: prj_a', 'cut.yaml')]);
    expect(code).toBe(1);
    expect(lines[1]).toMatch(/^cut\.yaml:1:\d+: is not valid YAML: .*close/);
  });

  test('reports a conflict that only the service can detect', async () => {
    const other = { project: project(), experiences: [experience({ id: file.experiences[0]?.id })] };
    const { code, lines } = await failed(['apply', await fileWith(other, 'thief.yaml')]);
    expect({ code, lines }).toEqual({
      code: 1,
      lines: [
        'session-launch: thief.yaml has a problem; nothing was changed',
        `thief.yaml: experiences[0].id "${file.experiences[0]?.id}" belongs to another project; choose another id`,
      ],
    });
    expect((await service.admin({ path: `/admin/projects/${other.project.id}` })).status).toBe(404);
  });

  test('rejects a file that does not exist', async () => {
    const { code, lines } = await failed(['apply', 'missing.yaml']);
    expect({ code, lines }).toEqual({
      code: 1,
      lines: ['session-launch: cannot read missing.yaml: there is no such file'],
    });
  });

  test('accepts the output of projects export without changes', async () => {
    for (const [name, ...format] of [['export.yaml'], ['export.json', '--json']] as [string, ...string[]][]) {
      await fileWith(await done('projects', 'export', id, ...format), name);
      expect(await done('apply', name)).toBe(`${id}: no change\n`);
    }
    expect(await readFile(join(folder, 'export.json'), 'utf8')).toBe(await stored(id));
    expect(await done('projects', 'list')).toContain(id);
  });
});

describe('webhooks', () => {
  const file = { project: project(), experiences: [experience()] };
  const { id } = file.project;
  beforeAll(async () => {
    await service.admin({ method: 'POST', path: '/admin/projects', body: file });
  });

  test('create, update, list, secret and delete work, and the secret is shown once', async () => {
    const ofProject = ['--project', id];
    const settings = ['--url', 'https://shop.example/in', '--event', 'session.ended', '--name', 'Shop'];
    const made = JSON.parse(await done('webhooks', 'create', ...ofProject, ...settings, '--json'));
    expect(made).toEqual({
      webhookId: expect.stringMatching(/^whk_/),
      secret: expect.stringMatching(/^whsec_/),
    });
    const { webhookId, secret } = made;
    expect(await done('webhooks', 'list', ...ofProject)).toMatch(
      new RegExp(`${webhookId} +enabled +session.ended .* https://shop.example/in +Shop\n`),
    );
    const updated = await done(
      'webhooks',
      'update',
      webhookId,
      ...ofProject,
      '--event',
      'session.created',
      '--disable',
    );
    expect(updated).toBe(`${webhookId} is disabled (operator): session.created to https://shop.example/in\n`);
    expect(await done('webhooks', 'update', webhookId, ...ofProject, '--enable')).toContain('is enabled');
    const replaced = await done('webhooks', 'secret', webhookId, ...ofProject, '--grace', '0');
    expect(replaced).toMatch(/^whsec_\S+ \(whk_\w+\)\. It is shown only once: store it now\.\n$/);
    expect(await done('webhooks', 'deliveries', webhookId, ...ofProject)).toBe('no deliveries\n');
    const [record] = JSON.parse(await done('webhooks', 'list', ...ofProject, '--json'));
    expect(JSON.stringify(record)).not.toContain(secret.slice(6));
    expect(await done('webhooks', 'delete', webhookId, ...ofProject)).toBe(`${webhookId} is deleted\n`);
    expect(await done('webhooks', 'list', ...ofProject)).toBe(`${id} has no webhooks\n`);
  });
});

describe('keys', () => {
  const file = { project: project(), experiences: [experience()] };
  const { id } = file.project;
  beforeAll(async () => {
    await service.admin({ method: 'POST', path: '/admin/projects', body: file });
  });
  const mint = (key: string) =>
    service.call({
      method: 'POST',
      path: '/v1/sessions',
      headers: { Authorization: `Bearer ${key}` },
      body: { experienceId: file.experiences[0]?.id },
    });

  test('create, list and revoke work, and the key can be used between', async () => {
    const scopes = ['--scope', 'sessions:create', '--scope', 'sessions:read'];
    const options = [...scopes, '--name', 'Shop', '--expires', '90d'];
    const made = JSON.parse(
      await done('keys', 'create', '--project', id, '--mode', 'live', ...options, '--json'),
    );
    expect(made).toEqual({
      keyId: expect.stringMatching(/^key_/),
      key: expect.stringMatching(/^sl_live_/),
    });
    expect((await mint(made.key)).status).toBe(201);

    const [record] = JSON.parse(await done('keys', 'list', '--project', id, '--json'));
    expect(record).toMatchObject({ keyId: made.keyId, mode: 'live', name: 'Shop' });
    expect(Date.parse(record.expiresAt) - Date.parse(record.createdAt)).toBeGreaterThan(89 * 86_400_000);
    expect(await done('keys', 'list', '--project', id)).toMatch(
      new RegExp(`${made.keyId} .* active .* Shop\n`),
    );

    expect(await done('keys', 'revoke', made.keyId)).toMatch(/^key_\w+ is revoked since \S+Z\n$/);
    expect((await mint(made.key)).status).toBe(401);
    expect(await done('keys', 'revoke', made.keyId)).toMatch(/is revoked/);
    const listed = await done('keys', 'list', '--project', id);
    expect(listed).toContain('revoked');
    expect(listed).not.toContain(made.key);
  });

  test('create prints the key for people on one line', async () => {
    const printed = await done(
      'keys',
      'create',
      '--project',
      id,
      '--mode',
      'test',
      '--scope',
      'catalog:read',
    );
    expect(printed).toMatch(/^sl_test_\w+ \(key_\w+, test, catalog:read, never expires\)\. .*\n$/);
  });

  test.each<[string, string[], number, RegExp]>([
    [
      'an unknown project',
      ['create', '--project', 'prj_nobody', '--mode', 'test', '--scope', 'sessions:read'],
      1,
      /No such project/,
    ],
    ['an id without prefix', ['list', '--project', 'demo'], 2, /a project id looks like prj_demo/],
    [
      'an unknown scope',
      ['create', '--project', id, '--mode', 'test', '--scope', 'all'],
      2,
      /Allowed scopes are/,
    ],
    [
      'an expiry in the past',
      ['create', '--project', id, '--mode', 'test', '--scope', 'sessions:read', '--expires', '2020-01-01'],
      2,
      /future/,
    ],
    ['an unknown key', ['revoke', 'key_nobody'], 1, /No such API key/],
  ])('%s', async (_, args, expected, says) => {
    const { code, lines } = await failed(['keys', ...args]);
    expect(lines).toEqual([expect.stringMatching(says)]);
    expect(code).toBe(expected);
  });
});

describe('sessions list', () => {
  const file = { project: project(), experiences: [experience()] };
  const { id } = file.project;
  const count = 505;
  beforeAll(async () => {
    await service.admin({ method: 'POST', path: '/admin/projects', body: file });
    const made = await service.admin({
      method: 'POST',
      path: `/admin/projects/${id}/keys`,
      body: { mode: 'test', scopes: ['sessions:create'] },
    });
    await Promise.all(
      Array.from({ length: count }, (_, i) =>
        service.call({
          method: 'POST',
          path: '/v1/sessions',
          headers: { Authorization: `Bearer ${made.json.key}` },
          body: { experienceId: file.experiences[0]?.id, ...(i < 3 ? { userId: 'ada' } : {}) },
        }),
      ),
    );
  });

  test('prints all sessions over several pages as one JSON array', async () => {
    const records = JSON.parse(await done('sessions', 'list', '--project', id, '--json'));
    const ids = records.map((record: { sessionId: string }) => record.sessionId);
    expect(new Set(ids).size).toBe(count);
    expect(ids).toEqual(ids.toSorted().toReversed());
    expect(records[0]).toMatchObject({ projectId: id, status: 'created', usage: { seconds: 0 } });
  });

  test('prints a table, with a limit, with filters, and when empty', async () => {
    const table = (await done('sessions', 'list', '--project', id, '--limit', '3')).trimEnd().split('\n');
    expect(table).toHaveLength(4);
    expect(table[0]).toMatch(/^CREATED +SESSION +EXPERIENCE +STATUS/);
    const limited = JSON.parse(await done('sessions', 'list', '--project', id, '--limit', '502', '--json'));
    expect(limited).toHaveLength(502);
    const users = JSON.parse(await done('sessions', 'list', '--project', id, '--user', 'ada', '--json'));
    expect(users).toHaveLength(3);
    expect(await done('sessions', 'list', '--project', id, '--status', 'ended')).toBe('no sessions\n');
    expect(await done('sessions', 'list', '--project', id, '--status', 'ended', '--json')).toBe('[]\n');
  });

  test('fails for an unknown project', async () => {
    const { code, lines } = await failed(['sessions', 'list', '--project', 'prj_nobody', '--json']);
    expect({ code, lines }).toEqual({ code: 1, lines: ['session-launch: No such project.'] });
  });
});

describe('doctor', () => {
  test('passes', async () => {
    // The server of the other tests does not sync to disk, which the doctor reports.
    const server = await startPostgres({ durable: true });
    cleanup(() => server.dispose());
    const DATABASE_URL = server.url('postgres');
    await (await openPatiently(DATABASE_URL)).close();
    const printed = succeeded(await program(['doctor'], { DATABASE_URL, HEARING: 'page' }));
    const lines = printed.trimEnd().split('\n');
    expect(lines.length).toBeGreaterThanOrEqual(7);
    for (const line of lines) expect(line).toMatch(/^ok {4}/);
    const began = performance.now();
    const { ok, findings } = JSON.parse(succeeded(await cli(['doctor', '--json'], { DATABASE_URL })));
    expect(ok).toBe(true);
    const warnings: Finding[] = findings.filter(({ status }: Finding) => status !== 'ok');
    if (warnings.length === 0) return;
    // On a busy machine, loading the model of the local hearing can take longer than the doctor waits.
    expect(warnings).toEqual([
      expect.objectContaining({ message: expect.stringMatching(/^English speech .* within 60 seconds$/) }),
    ]);
    expectWithin(performance.now() - began, 60_000);
  });

  test('fails with advice', async () => {
    const { code, stdout, stderr } = await cli(['doctor'], {
      DATABASE_URL: 'postgres://someone:hunter22@127.0.0.1:1/x',
      ADMIN_TOKEN: 'a-token-of-another-service',
    });
    expect(code).toBe(1);
    expect(stdout).toMatch(/^FAIL {2}database: .* → start it, or correct DATABASE_URL$/m);
    expect(stdout).toMatch(/^FAIL {2}admin API: .*refused the token/m);
    expect(stdout).toMatch(/^ok {4}configuration: /m);
    expect(stderr).toMatch(/^session-launch: 2 checks failed; .*\n$/);
    expect(stdout + stderr).not.toContain('hunter22');
  });
});

describe('connecting to the service', () => {
  test('fails with a wrong token', async () => {
    const { code, lines } = await failed(['projects', 'list'], { ADMIN_TOKEN: 'a-token-of-another-service' });
    expect(code).toBe(1);
    expect(lines).toEqual([
      expect.stringMatching(/refused the token: set ADMIN_TOKEN to the token of that service/),
    ]);
  });

  test('fails without a token', async () => {
    const { code, lines } = await failed(['projects', 'list'], { ADMIN_TOKEN: '' });
    expect(code).toBe(2);
    expect(lines).toEqual([expect.stringMatching(/no admin token: set ADMIN_TOKEN, or DATA_DIR/)]);
  });

  test('fails if the service is not running', async () => {
    const { code, lines } = await failed(['projects', 'list'], { ADMIN_URL: 'http://127.0.0.1:1' });
    expect(code).toBe(1);
    expect(lines).toEqual([
      expect.stringMatching(/cannot reach the admin API at .*: is the service running\?/),
    ]);
  });

  test('fails with the public address instead of the admin address', async () => {
    const { code, lines } = await failed(['projects', 'list'], { ADMIN_URL: service.url });
    expect(code).toBe(1);
    expect(lines).toEqual([expect.stringMatching(/it is not the admin API: set ADMIN_URL/)]);
  });
});

describe('usage', () => {
  const commands = [
    [],
    ['serve'],
    ['apply'],
    ['keys'],
    ['keys', 'create'],
    ['keys', 'list'],
    ['keys', 'revoke'],
    ['sessions'],
    ['sessions', 'list'],
    ['projects'],
    ['projects', 'list'],
    ['projects', 'export'],
    ['doctor'],
  ];

  test('every command has --help, in any environment', async () => {
    const helps = await Promise.all(
      commands.map((command) => cli([...command, '--help'], { ADMIN_TOKEN: 'bad', PORT: 'bad' })),
    );
    for (const [i, { code, stdout, stderr }] of helps.entries()) {
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toMatch(new RegExp(`^Usage: ${['session-launch', ...commands[i]!].join(' ')} `));
      expect(stdout).toMatch(/-h, --help/);
    }
  });

  test.each([
    [['lauch'], "unknown command 'lauch'"],
    [['keys', 'revok', 'key_a'], "unknown command 'revok' (Did you mean revoke?)"],
    [['keys'], 'name a command: create, list, revoke'],
    [['apply'], "missing required argument 'file'"],
    [['sessions', 'list'], "required option '--project <id>' not specified"],
  ])('%j is rejected in one line', async (args, says) => {
    const { code, lines } = await failed(args);
    expect(code).toBe(2);
    expect(lines).toEqual([expect.stringContaining(says)]);
    expect(lines[0]).toMatch(/; see session-launch( \w+)* --help$/);
  });
});

test('a command whose event loop runs empty exits with an error message', async () => {
  // Simulates an event loop with nothing left to wait for: `fetch` never settles, and no timer keeps the process alive.
  const lost = `const real = setTimeout;
    globalThis.fetch = () => new Promise(() => {});
    globalThis.setTimeout = (...args) => real(...args).unref();`;
  const NODE_OPTIONS = `--import "data:text/javascript,${encodeURIComponent(lost)}"`;
  const { code, lines } = await failed(['projects', 'list'], { NODE_OPTIONS }, program);
  expect(code).toBe(1);
  expect(lines).toEqual([
    'session-launch: the command hangs: it waits for an event that cannot occur; try again',
  ]);
});

describe('check', () => {
  const origin = 'https://app.example.com';

  test('says whether a page could start a session, with an exit code', async () => {
    const file = { project: project(), experiences: [experience()] };
    await writeFile(join(folder, 'checked.yaml'), stringify(file));
    await done('apply', 'checked.yaml');
    const id = file.experiences[0]!.id;
    expect(await done('check', id, '--origin', origin)).toBe(`a page at ${origin} can start ${id}\n`);
    expect(JSON.parse(await done('check', id, '--origin', origin, '--json'))).toEqual({ available: true });
    const refused = await cli(['check', id, '--origin', 'https://other.example']);
    expect([refused.code, refused.stderr]).toEqual([1, '']);
    expect(refused.stdout).toContain(
      `a page at https://other.example cannot start ${id}: ORIGIN_NOT_ALLOWED\n`,
    );
    const notPublic = await cli(['check', id, '--origin', origin, '--door', 'public']);
    expect([notPublic.code, notPublic.stdout]).toEqual([1, expect.stringContaining('EXPERIENCE_NOT_FOUND')]);
  });

  test('fails for a wrong door, a missing origin and a service that is not there', async () => {
    const asked = ['check', 'exp_one', '--origin', origin];
    expect((await failed([...asked, '--door', 'back'])).lines[0]).toContain(
      'door must be one of browser, public',
    );
    expect((await failed(['check', 'exp_one'])).lines[0]).toContain('--origin');
    expect((await failed([...asked, '--url', 'http://127.0.0.1:1'])).lines[0]).toContain(
      'cannot reach the service at http://127.0.0.1:1',
    );
  });
});
