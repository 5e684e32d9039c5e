import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Answer, type Call, FakeAdmin, failure } from './fake-admin.ts';
import { runCli } from './run-cli.ts';

let admin: FakeAdmin;
let cwd: string;

beforeEach(async () => {
  admin = await FakeAdmin.start();
  cwd = await mkdtemp(join(tmpdir(), 'session-launch-cli-'));
  await writeFile(join(cwd, 'shop.yaml'), 'project: {}\n');
});

afterEach(async () => {
  await admin.stop();
  await rm(cwd, { recursive: true });
});

const cli = (line: string) =>
  runCli(line.split(' '), {
    cwd,
    stdin: '',
    env: { ADMIN_URL: admin.url, ADMIN_TOKEN: 'token-of-the-admin-api' },
  });
const answers = (answer: (call: Call) => Answer) => {
  admin.answer = answer;
};
const sent = (index = 0) => {
  const { method, url, headers, body } = admin.calls[index]!;
  return {
    request: `${method} ${url.pathname}${url.search}`,
    version: headers['if-match'],
    body: body === '' ? undefined : JSON.parse(body),
  };
};
const at = '2026-03-01T09:30:00.000Z';

describe('console', () => {
  const link = { url: 'http://localhost:8081/console/#code=abc', expiresAt: at };

  it('prints a sign-in link', async () => {
    answers(() => ({ status: 201, body: link }));
    expect(await cli('console')).toEqual({ code: 0, stdout: `${link.url}\n`, stderr: '' });
    expect(sent()).toMatchObject({ request: 'POST /admin/login-links', body: {} });
  });

  it('prints the link of another operator, as JSON', async () => {
    answers(() => ({ status: 201, body: link }));
    const { stdout } = await cli('console --operator opr_ada --json');
    expect(JSON.parse(stdout)).toEqual(link);
    expect(sent().body).toEqual({ operatorId: 'opr_ada' });
    expect((await cli('console --operator ada')).code).toBe(2);
  });
});

describe('plan', () => {
  const plan = {
    projectId: 'prj_shop',
    version: 3,
    changes: [{ path: 'experiences[exp_a].title', before: 'Old', after: 'New' }],
    newRevisions: [{ experienceId: 'exp_a', revision: 4, publishes: true }],
    overwrote: [{ experienceId: 'exp_a', path: 'title', by: 'Ada', at }],
  };

  it('exits with 2 if something would change, and says what', async () => {
    answers(() => ({ body: plan }));
    expect(await cli('plan shop.yaml')).toEqual({
      code: 2,
      stdout: [
        'experiences[exp_a].title: "Old" -> "New"',
        'exp_a: new revision 4, published',
        `overwrites exp_a title, changed by Ada at ${at}`,
        '',
      ].join('\n'),
      stderr: '',
    });
    expect(admin.calls[0]?.url.searchParams.get('plan')).toBe('true');
    expect(JSON.parse((await cli('plan shop.yaml --json')).stdout)).toEqual(plan);
  });

  it('exits with 0 if nothing would change', async () => {
    answers(() => ({ body: { ...plan, changes: [], newRevisions: [], overwrote: [] } }));
    expect(await cli('plan shop.yaml')).toEqual({ code: 0, stdout: 'prj_shop: no change\n', stderr: '' });
  });

  it('prints problems of the file with their positions', async () => {
    answers(() =>
      failure(400, {
        code: 'PROJECT_FILE_INVALID',
        message: 'Not valid.',
        details: [{ line: 2, column: 3, path: 'project.id', message: 'is missing' }],
      }),
    );
    const { code, stderr } = await cli('plan shop.yaml');
    expect(code).toBe(1);
    expect(stderr).toContain('shop.yaml:2:3: project.id is missing');
  });
});

describe('apply', () => {
  const applied = {
    projectId: 'prj_shop',
    changed: true,
    version: 4,
    changes: [{ kind: 'project', id: 'prj_shop', change: 'updated' }],
    overwrote: [{ path: 'name', by: 'Ada', at }],
    pendingDrafts: [{ experienceId: 'exp_a', revision: 5 }],
  };

  it('sends the name of the file as its source, and prints what it overwrote', async () => {
    answers(() => ({ body: applied }));
    const { stdout } = await cli('apply shop.yaml');
    expect(stdout).toBe(
      `prj_shop: project updated\noverwrote name, changed by Ada at ${at}\nexp_a has a draft, revision 5\n`,
    );
    expect(Object.fromEntries(admin.calls[0]!.url.searchParams)).toEqual({ source: 'shop.yaml' });
  });

  it('sends the given source and the expected version', async () => {
    answers(() => ({ body: applied }));
    await cli('apply shop.yaml --source shop.yaml@3f2c1 --expect 12');
    expect(Object.fromEntries(admin.calls[0]!.url.searchParams)).toEqual({
      source: 'shop.yaml@3f2c1',
      expect: '12',
    });
    expect((await cli('apply shop.yaml --expect latest')).stderr).toContain('It must be a version');
  });
});

describe('experiences', () => {
  const state = { version: 7, latestRevision: 3, publishedRevision: 3 };

  it('publishes the version that it has read', async () => {
    answers(() => ({ body: state }));
    expect((await cli('experiences publish exp_a --revision 3 --note Better')).stdout).toBe(
      'exp_a: revision 3 is published\n',
    );
    expect(sent(1)).toEqual({
      request: 'POST /admin/experiences/exp_a/publish',
      version: '"7"',
      body: { revision: 3, note: 'Better' },
    });
  });

  it('unpublishes, lists and shows', async () => {
    answers(({ url }) =>
      url.pathname.endsWith('/experiences')
        ? { body: { experiences: [], version: 1 } }
        : url.searchParams.has('format')
          ? { type: 'application/yaml', body: 'id: exp_a\n' }
          : { body: state },
    );
    expect((await cli('experiences unpublish exp_a')).stdout).toBe('exp_a is no longer published\n');
    expect((await cli('experiences list --project prj_shop')).stdout).toBe('prj_shop has no experiences\n');
    expect((await cli('experiences show exp_a')).stdout).toBe('id: exp_a\n');
    expect((await cli('experiences show ..')).code).toBe(2);
  });
});

describe('operators', () => {
  it('creates one and prints the token once', async () => {
    answers(() => ({ status: 201, body: { operatorId: 'opr_a', token: 'slo_secret' } }));
    expect((await cli('operators create --name Ada --role creator --project prj_shop')).stdout).toBe(
      'slo_secret (opr_a, creator). It is shown only once: store it now.\n',
    );
    expect(sent().body).toEqual({ name: 'Ada', role: 'creator', projectIds: ['prj_shop'] });
  });

  it('changes and removes one', async () => {
    answers(({ method }) =>
      method === 'DELETE'
        ? { status: 204, body: '' }
        : { body: { operatorId: 'opr_a', name: 'Ada', role: 'owner', projectIds: null } },
    );
    expect((await cli('operators change opr_a --role owner --all-projects')).stdout).toBe(
      'opr_a: Ada, owner, all projects\n',
    );
    expect(sent()).toMatchObject({ request: 'PATCH /admin/operators/opr_a', body: { projectIds: null } });
    expect((await cli('operators remove opr_a')).stdout).toBe('opr_a is removed\n');
    expect((await cli('operators change opr_a --project prj_a --all-projects')).code).toBe(2);
    expect((await cli('operators create --name Ada --role king')).stderr).toContain('Allowed choices');
  });
});

describe('check', () => {
  const line = 'check exp_a --origin https://app.example.com --url';

  it('prints no control characters of a foreign server', async () => {
    const hostile = '\u001b]0;title\u0007';
    answers(() => ({ body: { available: false, code: hostile, message: hostile, retryAfter: hostile } }));
    const refused = await cli(`${line} ${admin.url}`);
    expect(refused.code).toBe(1);
    answers(() => ({ status: 503, body: { error: { code: 'UNAVAILABLE', message: hostile } } }));
    const failed = await cli(`${line} ${admin.url}`);
    expect(failed.stderr).toContain('the service did not return the availability: ');
    for (const text of [refused.stdout, failed.stderr]) {
      expect(text).toContain('title');
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
      expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
    }
  });

  it('prints when to retry', async () => {
    const busy = { available: false, code: 'CONCURRENCY_LIMIT', message: 'Full.', retryAfter: 5 };
    answers(() => ({ body: busy }));
    expect((await cli(`${line} ${admin.url}`)).stdout).toContain('CONCURRENCY_LIMIT (retry in 5 s)\nFull.\n');
  });
});

describe('audit and usage', () => {
  const entry = {
    auditId: 'aud_1',
    at,
    actor: { operatorId: 'opr_a', name: 'Ada', via: 'console' },
    action: 'key.create',
    target: 'key_1',
    changes: [{ path: 'mode', after: 'test' }],
  };

  it('audit follows the pages up to the limit', async () => {
    answers(({ url }) => ({
      body: { entries: [entry], ...(url.searchParams.has('cursor') ? {} : { nextCursor: 'aud_1' }) },
    }));
    const { stdout } = await cli('audit --project prj_shop --limit 2 --json');
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual([entry, entry]);
    expect((await cli('audit --limit 1')).stdout).toContain('key.create');
  });

  it('usage prints a table, CSV or JSON', async () => {
    const days = [{ day: '2026-03-01', experienceId: 'exp_a', sessions: 2, seconds: 75 }];
    answers(() => ({ body: { days } }));
    expect((await cli('usage --project prj_shop')).stdout).toMatch(/2026-03-01 +exp_a +2 +75/);
    expect((await cli('usage --project prj_shop --csv')).stdout).toBe(
      'day,experienceId,sessions,seconds\r\n2026-03-01,exp_a,2,75\r\n',
    );
    const complete = await cli('usage --project prj_shop --from 2026-03-01 --json');
    expect(JSON.parse(complete.stdout)).toEqual(days);
    expect(complete.stderr).toBe('');
    answers(() => ({ body: { days, counting: true } }));
    for (const option of ['', ' --csv', ' --json'])
      expect((await cli(`usage --project prj_shop${option}`)).stderr).toContain('lower bounds');
  });
});

describe('tools secret', () => {
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

  it('creates the secret and prints it once', async () => {
    answers(() => ({ status: 201, body: { secret, createdAt: at } }));
    const { code, stdout } = await cli('tools secret prj_shop');
    expect(code).toBe(0);
    expect(stdout).toBe(
      `${secret} signs the calls of the tools of prj_shop from now on. It is shown only once: store it now.\n`,
    );
    expect(sent()).toMatchObject({ request: 'POST /admin/projects/prj_shop/tool-secret', body: {} });
  });

  it('replaces the secret, and says until when the old one signs', async () => {
    answers(() => ({ status: 201, body: { secret, createdAt: at, oldExpiresAt: at } }));
    const { stdout } = await cli('tools secret prj_shop --grace-seconds 60');
    expect(stdout).toContain(`The old secret also signs until ${at}.`);
    expect(sent().body).toEqual({ graceSeconds: 60 });
    expect(JSON.parse((await cli('tools secret prj_shop --json')).stdout)).toEqual({
      ...{ secret, createdAt: at, oldExpiresAt: at },
    });
  });

  it.each(['prj_shop --grace-seconds 604801', 'prj_shop --grace-seconds a', 'shop'])(
    'refuses %s',
    async (line) => {
      expect((await cli(`tools secret ${line}`)).code).toBe(2);
      expect(admin.calls).toEqual([]);
    },
  );
});
