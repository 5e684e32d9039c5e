import { deployedService } from '@session-launch/testing/deployment.ts';
import { until } from '@session-launch/testing/fleet.ts';
import {
  apply,
  createKey,
  createWorld,
  expectError,
  experience,
  mintFromBrowser,
  mintFromPublic,
  mintFromServer,
  pageOrigin,
  project,
  runtime,
  uniqueId,
  type World,
} from '@session-launch/testing/world.ts';
import { describe, expect, test } from 'vitest';
import { askAdmin } from '../harness/ask-admin.ts';

const service = deployedService();
const { adminToken } = service;

const read = (projectId: string, accept = 'application/json') =>
  service.admin({ path: `/admin/projects/${projectId}`, headers: { Accept: accept } });

const applyText = (text: string | Buffer, type = 'application/yaml') =>
  service.admin({
    method: 'POST',
    path: '/admin/projects',
    headers: { 'Content-Type': type },
    body: text,
  });

const catalog = (world: World) =>
  service.call({
    path: `/v1/projects/${world.projectId}/experiences`,
    headers: { Authorization: `Bearer ${world.key}` },
  });

/** The paths of the problems for which a file is rejected. */
async function problemPaths(file: object): Promise<string[]> {
  const answer = await apply(service, file);
  expectError(answer, 400, 'PROJECT_FILE_INVALID');
  return answer.json.error.details.map((problem: { path: string }) => problem.path);
}

function withRuntime(world: World, overrides: object) {
  const [first, ...others] = world.file.experiences;
  return { ...world.file, experiences: [{ ...first, runtime: runtime(overrides) }, ...others] };
}

describe('authorisation', () => {
  const routes: [string, string][] = [
    ['GET', '/admin/status'],
    ['GET', '/admin/projects'],
    ['POST', '/admin/projects'],
    ['GET', '/admin/projects/prj_a'],
    ['GET', '/admin/projects/prj_a/keys'],
    ['POST', '/admin/projects/prj_a/keys'],
    ['POST', '/admin/keys/key_a/revoke'],
    ['GET', '/admin/projects/prj_a/sessions'],
  ];
  const unusable: Record<string, string>[] = [
    {},
    { Authorization: '' },
    { Authorization: 'Bearer' },
    { Authorization: 'Bearer a-wrong-token-of-the-admin' },
    { Authorization: `Bearer ${adminToken}x` },
    { Authorization: `Bearer ${adminToken.slice(0, -1)}` },
    { Authorization: `Bearer ${adminToken.toUpperCase()}` },
    { Authorization: `Basic ${Buffer.from(`admin:${adminToken}`).toString('base64')}` },
    { Authorization: adminToken },
    { Authorization: `Bearer ${adminToken} ${adminToken}` },
  ];

  test.each(routes)('%s %s: every invalid token gets an identical 401', async (method, path) => {
    const answers = await Promise.all(
      unusable.map((headers) => service.admin({ method, path, headers: { Authorization: '', ...headers } })),
    );
    for (const answer of answers) {
      expectError(answer, 401, 'ADMIN_TOKEN_INVALID');
      expect(answer.headers['www-authenticate']).toBe('Bearer');
      expect(answer.headers['cache-control']).toBe('no-store, private');
      expect({ ...answer.json.error, requestId: '' }).toEqual({ ...answers[0]?.json.error, requestId: '' });
    }
  });

  test('an API key is not accepted as the admin token, nor the admin token as an API key', async () => {
    const world = await createWorld(service);
    const asAdmin = await service.admin({
      path: '/admin/projects',
      headers: { Authorization: `Bearer ${world.key}` },
    });
    expectError(asAdmin, 401, 'ADMIN_TOKEN_INVALID');
    expectError(
      await mintFromServer(service, adminToken, { experienceId: world.experienceId }),
      401,
      'API_KEY_INVALID',
    );
  });

  test('the scheme is case-insensitive', async () => {
    const answer = await service.admin({
      path: '/admin/projects',
      headers: { Authorization: `bEARER ${adminToken}` },
    });
    expect(answer.status).toBe(200);
  });

  test('the public listener has no admin routes', async () => {
    for (const [method, path] of routes) {
      const headers = { Authorization: `Bearer ${adminToken}` };
      expectError(await service.call({ method, path, headers }), 404, 'NOT_FOUND');
    }
  });

  test.each([
    ['DELETE', '/admin/projects', 'GET, POST, HEAD'],
    ['PUT', '/admin/projects/prj_a', 'GET, PATCH, DELETE, HEAD'],
    ['POST', '/admin/projects/prj_a', 'GET, PATCH, DELETE, HEAD'],
    ['DELETE', '/admin/projects/prj_a/keys', 'GET, POST, HEAD'],
    ['GET', '/admin/keys/key_a/revoke', 'POST'],
    ['POST', '/admin/projects/prj_a/sessions', 'GET, HEAD'],
    ['OPTIONS', '/admin/projects', 'GET, POST, HEAD'],
  ])('%s %s is 405', async (method, path, allow) => {
    const answer = await service.admin({ method, path });
    expectError(answer, 405, 'METHOD_NOT_ALLOWED');
    expect(answer.headers.allow).toBe(allow);
  });

  test.each(['/admin', '/admin/', '/admin/keys', '/admin/projects/prj_a/experience'])(
    '%s is 404',
    async (path) => {
      expectError(await service.admin({ path }), 404, 'NOT_FOUND');
    },
  );

  test('HEAD answers like GET, without a body', async () => {
    const answer = await service.admin({ method: 'HEAD', path: '/admin/projects' });
    expect({ status: answer.status, text: answer.text }).toEqual({ status: 200, text: '' });
  });
});

describe('reading', () => {
  test('status shows version and engine', async () => {
    const { status, json } = await service.admin({ path: '/admin/status' });
    expect(status).toBe(200);
    expect(json).toMatchObject({ database: 'ok', publicUrl: service.url });
    expect(['embedded', 'postgres']).toContain(json.engine);
    expect(Math.abs(Date.parse(json.time) - Date.now())).toBeLessThan(60_000);
  });

  test('projects are listed by id with the number of their experiences', async () => {
    const worlds = await Promise.all([
      createWorld(service, { experiences: [experience(), experience()] }),
      createWorld(service, { experiences: [], project: { browserEmbeds: false } }),
    ]);
    const json = await askAdmin(service, 'GET /admin/projects');
    const ids = json.projects.map((p: { projectId: string }) => p.projectId);
    expect(ids).toEqual([...ids].sort());
    expect(json.projects).toEqual(
      expect.arrayContaining([
        { projectId: worlds[0].projectId, name: 'Test project', browserEmbeds: true, experiences: 2 },
        { projectId: worlds[1].projectId, name: 'Test project', browserEmbeds: false, experiences: 0 },
      ]),
    );
  });

  test('a project that does not exist is 404', async () => {
    for (const path of ['', '/keys', '/sessions']) {
      for (const id of ['prj_nobody', 'prj_%00', `prj_${'x'.repeat(65)}`]) {
        expectError(await service.admin({ path: `/admin/projects/${id}${path}` }), 404, 'PROJECT_NOT_FOUND');
      }
    }
  });

  test('an id without its prefix gets an error that names the prefix', async () => {
    for (const path of ['', '/keys', '/sessions']) {
      const answer = await service.admin({ path: `/admin/projects/demo${path}` });
      expectError(answer, 400, 'INVALID_REQUEST');
      expect(answer.json.error.message).toContain('prj_');
    }
  });
});

describe('applying', () => {
  test('creates a project and its experiences', async () => {
    const file = { project: project(), experiences: [experience(), experience({ status: 'draft' })] };
    const answer = await apply(service, file);
    expect(answer.status, answer.text).toBe(200);
    expect(answer.json).toEqual({
      projectId: file.project.id,
      changed: true,
      changes: [
        { kind: 'project', id: file.project.id, change: 'created' },
        ...file.experiences.map(({ id }) => ({
          kind: 'experience',
          id,
          change: 'created',
          revision: 1,
          newRevision: true,
        })),
      ],
      version: 1,
      pendingDrafts: [],
      overwrote: [],
    });
  });

  test('the smallest file gets every default', async () => {
    const id = uniqueId('prj');
    const exp = uniqueId('exp');
    const answer = await applyText(`
project: { id: ${id}, name: Small }
experiences:
  - id: ${exp}
    slug: small
    title: Small
    runtime:
      characters: [{ characterId: ada, name: Ada }]
      transport: { type: websocket, url: wss://runtime.example.com }
`);
    expect(answer.status, answer.text).toBe(200);
    expect((await read(id)).json).toEqual({
      project: {
        id,
        name: 'Small',
        browserEmbeds: false,
        allowedOrigins: [],
        limits: {
          mintsPerMinutePerClient: 30,
          mintsPerMinute: 600,
          sessionsPerDay: 10_000,
          concurrentSessions: null,
          concurrentSessionsPerClient: null,
        },
      },
      experiences: [
        {
          id: exp,
          slug: 'small',
          title: 'Small',
          sortOrder: 0,
          status: 'draft',
          public: false,
          allowedOrigins: [],
          runtime: {
            mode: 'conversation',
            speechInputMode: 'auto',
            languages: { dual: false, default: 'en', conversation: 'match', paired: 'match' },
            characters: [{ characterId: 'ada', name: 'Ada' }],
            transport: { type: 'websocket', url: 'wss://runtime.example.com' },
            limits: { maxSeconds: 900, idleSeconds: 120 },
          },
        },
      ],
    });
  });

  test('the same file again changes nothing', async () => {
    const world = await createWorld(service, { experiences: [experience(), experience()] });
    const before = await catalog(world);
    const answer = await apply(service, world.file);
    expect(answer.json.changed).toBe(false);
    expect(answer.json.changes.map((c: { change: string }) => c.change)).toEqual(Array(3).fill('unchanged'));
    expect(answer.json.changes.some((c: object) => 'newRevision' in c)).toBe(false);
    const after = await catalog(world);
    expect({ text: after.text, etag: after.headers.etag }).toEqual({
      text: before.text,
      etag: before.headers.etag,
    });
  });

  test('the order of fields does not count as a change', async () => {
    const world = await createWorld(service);
    const [first] = world.file.experiences;
    const backwards = Object.fromEntries(Object.entries(first?.runtime).reverse());
    const answer = await apply(service, {
      experiences: [{ runtime: backwards, ...Object.fromEntries(Object.entries(first ?? {}).slice(0, 4)) }],
      project: Object.fromEntries(Object.entries(world.file.project).reverse()),
    });
    expect(answer.json, answer.text).toMatchObject({ changed: false });
  });

  test('changes to origins and other access rules take effect at once', async () => {
    const world = await createWorld(service, { project: { browserEmbeds: false, allowedOrigins: [] } });
    const body = { experienceId: world.experienceId };
    expectError(await mintFromBrowser(service, body), 403, 'BROWSER_EMBEDS_DISABLED');
    const { project: settings, experiences } = world.file;
    await apply(service, { project: { ...settings, browserEmbeds: true }, experiences });
    expectError(await mintFromBrowser(service, body), 403, 'ORIGIN_NOT_ALLOWED');
    await apply(service, {
      project: { ...settings, browserEmbeds: true, allowedOrigins: [pageOrigin] },
      experiences,
    });
    expect((await mintFromBrowser(service, body)).status).toBe(201);
    await apply(service, world.file);
    expectError(await mintFromBrowser(service, body), 403, 'BROWSER_EMBEDS_DISABLED');
  });

  test('a field left out of the project is reset to its default', async () => {
    const world = await createWorld(service);
    const { id, name } = world.file.project;
    const answer = await apply(service, { project: { id, name } });
    expect(answer.json.changes).toEqual([{ kind: 'project', id, change: 'updated' }]);
    const { json } = await read(id);
    expect(json.project).toMatchObject({ browserEmbeds: false, allowedOrigins: [] });
    expect(json.project.limits.sessionsPerDay).toBe(10_000);
  });

  test('an experience left out is not changed', async () => {
    const world = await createWorld(service, { experiences: [experience(), experience()] });
    const answer = await apply(service, {
      project: { ...world.file.project, name: 'Renamed' },
      experiences: [],
    });
    expect(answer.json.changes).toEqual([{ kind: 'project', id: world.projectId, change: 'updated' }]);
    expect((await read(world.projectId)).json.experiences).toHaveLength(2);
    expect((await catalog(world)).json.experiences).toHaveLength(2);
    expect((await mintFromServer(service, world.key, { experienceId: world.experienceId })).status).toBe(201);
  });
});

describe('revisions', () => {
  const mint = (world: World, headers = {}) =>
    mintFromServer(service, world.liveKey, { experienceId: world.experienceId }, headers);

  test('are numbered from 1; only a change to a frozen field creates one', async () => {
    const world = await createWorld(service);
    const [first] = world.file.experiences;
    const steps: [object, object][] = [
      [{ sortOrder: 7 }, { change: 'updated', revision: 1 }],
      [
        { sortOrder: 7, public: true, allowedOrigins: [pageOrigin] },
        { change: 'updated', revision: 1 },
      ],
      [
        { sortOrder: 7, avatarId: 'ada' },
        { change: 'updated', revision: 1 },
      ],
      [{ runtime: runtime({ mode: 'presenter' }) }, { change: 'updated', revision: 2, newRevision: true }],
      [{ runtime: runtime({ mode: 'presenter' }) }, { change: 'unchanged', revision: 2 }],
      [{ title: 'Another' }, { change: 'updated', revision: 3, newRevision: true }],
      [
        { title: 'Another', slug: `${first?.slug}-2` },
        { change: 'updated', revision: 4, newRevision: true },
      ],
      [{ status: 'draft' }, { change: 'updated', revision: 5, newRevision: true }],
      [
        { status: 'draft', runtime: runtime({ speechInputMode: 'off' }) },
        { change: 'updated', revision: 6, newRevision: true },
      ],
    ];
    for (const [change, expected] of steps) {
      const answer = await apply(service, { ...world.file, experiences: [{ ...first, ...change }] });
      expect(answer.json.changes[1], answer.text).toEqual({ kind: 'experience', id: first?.id, ...expected });
    }
  });

  test('old sessions keep theirs, new sessions get the newest', async () => {
    const world = await createWorld(service);
    const key = { 'Idempotency-Key': uniqueId('idem') };
    const old = await mint(world, key);
    await apply(service, withRuntime(world, { transport: { type: 'websocket', url: 'wss://new.example' } }));
    const fresh = await mint(world);
    expect([old, fresh].map(({ json }) => [json.session.revision, json.launch.transport.url])).toEqual([
      [1, 'wss://runtime.example.com/session'],
      [2, 'wss://new.example'],
    ]);
    const replay = await mint(world, key);
    expect(replay.text).toBe(old.text);
    const stored = await service.call({
      path: `/v1/sessions/${old.json.session.sessionId}`,
      headers: { Authorization: `Bearer ${world.key}` },
    });
    expect(stored.json.revision).toBe(1);
  });

  test('restoring an earlier runtime creates another revision', async () => {
    const world = await createWorld(service);
    await apply(service, withRuntime(world, { mode: 'presenter' }));
    const answer = await apply(service, world.file);
    expect(answer.json.changes[1]).toMatchObject({ revision: 3, newRevision: true });
  });

  test('are reused when an experience is published, unpublished and published again', async () => {
    const world = await createWorld(service, {
      experience: { public: true, allowedOrigins: [pageOrigin] },
    });
    const [first] = world.file.experiences;
    const body = { experienceId: world.experienceId };
    const as = (status: string) =>
      apply(service, { ...world.file, experiences: [{ ...first, status }] }).then(
        ({ json }) => json.changes[1],
      );

    expect(await as('draft')).toMatchObject({ change: 'updated', revision: 1 });
    expect((await catalog(world)).json).toEqual({ experiences: [] });
    expectError(await mintFromBrowser(service, body), 404, 'EXPERIENCE_NOT_PUBLISHED');
    expectError(await mintFromPublic(service, body), 404, 'EXPERIENCE_NOT_PUBLISHED');
    expectError(await mint(world), 404, 'EXPERIENCE_NOT_PUBLISHED');
    expect((await mintFromServer(service, world.key, body)).json.session.revision).toBe(1);

    await apply(service, {
      ...world.file,
      experiences: [{ ...first, status: 'draft', runtime: runtime({ mode: 'presenter' }) }],
    });
    expect((await mintFromServer(service, world.key, body)).json.session.revision).toBe(2);

    const back = await apply(service, withRuntime(world, { mode: 'presenter' }));
    expect(back.json.changes[1]).toEqual({
      kind: 'experience',
      id: first?.id,
      change: 'updated',
      revision: 2,
    });
    expect((await catalog(world)).json.experiences).toHaveLength(1);
    for (const answer of [await mint(world), await mintFromBrowser(service, body)]) {
      expect(answer.json.session, answer.text).toMatchObject({ revision: 2, mode: 'presenter' });
    }

    await as('archived');
    expect((await catalog(world)).json).toEqual({ experiences: [] });
    for (const answer of [
      await mint(world),
      await mintFromServer(service, world.key, body),
      await mintFromBrowser(service, body),
      await mintFromPublic(service, body),
    ]) {
      expectError(answer, 404, 'EXPERIENCE_NOT_FOUND');
    }
  });
});

describe('refusing', () => {
  test.each<[string, object, string]>([
    ['a project id without prefix', { project: { id: 'demo' } }, 'project.id'],
    ['an empty project id', { project: { id: 'prj_' } }, 'project.id'],
    ['a blank name', { project: { name: '  ' } }, 'project.name'],
    ['an unknown field of the project', { project: { plan: 'gold' } }, 'project'],
    ['a star as origin', { project: { allowedOrigins: ['*'] } }, 'project.allowedOrigins[0]'],
    [
      'an origin with a path',
      { project: { allowedOrigins: [pageOrigin, 'https://a.example/b'] } },
      'project.allowedOrigins[1]',
    ],
    ['plain http', { project: { allowedOrigins: ['http://a.example'] } }, 'project.allowedOrigins[0]'],
    [
      'a wildcard under a public suffix',
      { project: { allowedOrigins: ['https://*.co.uk'] } },
      'project.allowedOrigins[0]',
    ],
    ['a negative limit', { project: { limits: { mintsPerMinute: -1 } } }, 'project.limits.mintsPerMinute'],
    ['a limit as text', { project: { limits: { sessionsPerDay: '10' } } }, 'project.limits.sessionsPerDay'],
    ['an experience id without prefix', { experience: { id: 'cafe' } }, 'experiences[0].id'],
    ['an upper-case slug', { experience: { slug: 'Cafe' } }, 'experiences[0].slug'],
    ['a slug with an underscore', { experience: { slug: 'a_b' } }, 'experiences[0].slug'],
    ['a slug with a double dash', { experience: { slug: 'a--b' } }, 'experiences[0].slug'],
    ['a slug that ends in a dash', { experience: { slug: 'a-' } }, 'experiences[0].slug'],
    ['a slug of 65 characters', { experience: { slug: 'a'.repeat(65) } }, 'experiences[0].slug'],
    ['an empty slug', { experience: { slug: '' } }, 'experiences[0].slug'],
    ['an unknown status', { experience: { status: 'live' } }, 'experiences[0].status'],
    [
      'half of a gallery thumbnail',
      { experience: { galleryThumb: { avatarImage: '/avatars/a.svg' } } },
      'experiences[0].galleryThumb',
    ],
    [
      'a full address as thumbnail',
      { experience: { thumbnailPath: 'https://cdn.example/a.svg' } },
      'experiences[0].thumbnailPath',
    ],
    [
      'no characters',
      { experience: { runtime: runtime({ characters: [] }) } },
      'experiences[0].runtime.characters',
    ],
    [
      'an unknown transport',
      { experience: { runtime: runtime({ transport: { type: 'webrtc', url: 'wss://a.example' } }) } },
      'experiences[0].runtime.transport.type',
    ],
    [
      'an ill-formed language',
      { experience: { runtime: runtime({ languages: { default: 'en_US' } }) } },
      'experiences[0].runtime.languages.default',
    ],
  ])('%s', async (_, { project: p, experience: e }: { project?: object; experience?: object }, path) => {
    const file = { project: project(p), experiences: [experience(e)] };
    const answer = await apply(service, file);
    expectError(answer, 400, 'PROJECT_FILE_INVALID');
    expect(answer.json.error.message).not.toContain('\n');
    expect(answer.json.error.details).toEqual([
      expect.objectContaining({ path, line: expect.any(Number), message: expect.stringMatching(/\w/) }),
    ]);
    if (file.project.id.length > 4 && file.project.id.startsWith('prj_')) {
      expectError(await read(file.project.id), 404, 'PROJECT_NOT_FOUND');
    }
  });

  test.each(['a', '0', 'a-b-c', 'cafe-2', '0-0', 'a'.repeat(64)])('but accepts the slug %s', async (slug) => {
    await createWorld(service, { experience: { slug } });
  });

  test('reports all problems of a file together, with their lines', async () => {
    const answer = await applyText(
      ['project:', '  id: demo', '  naem: Demo', 'experiences:', '  - id: exp_a', '    slug: A!', ''].join(
        '\n',
      ),
    );
    expectError(answer, 400, 'PROJECT_FILE_INVALID');
    const lines = answer.json.error.details.map((p: { line: number; path: string }) => [p.line, p.path]);
    expect(lines).toEqual(
      expect.arrayContaining([
        [2, 'project.id'],
        [3, 'project'],
        [6, 'experiences[0].slug'],
      ]),
    );
    expect(answer.json.error.message).toMatch(/^line 2: project\.id .* \(and \d+ more problems\)$/);
  });

  test.each<[string, string | Buffer, string]>([
    ['nothing', '', 'application/yaml'],
    ['a comment', '# nothing here\n', 'application/yaml'],
    ['a list', '- a\n- b\n', 'application/yaml'],
    ['a word', 'project', 'text/plain'],
    ['broken YAML', 'project: {id: prj_a', 'application/yaml'],
    ['YAML sent as JSON', 'project:\n  id: prj_a\n', 'application/json'],
    ['broken JSON', '{"project":', 'application/json'],
    [
      'two documents',
      'project: {id: prj_a, name: A}\n---\nproject: {id: prj_b, name: B}\n',
      'application/yaml',
    ],
    ['Latin-1', Buffer.from('project: {id: prj_a, name: Caf\xe9}\n', 'latin1'), 'application/yaml'],
    ['UTF-16', Buffer.from('\ufeffproject: {id: prj_a, name: A}\n', 'utf16le'), 'application/yaml'],
  ])('%s', async (_, text, type) => {
    const answer = await applyText(text, type);
    expectError(answer, 400, 'PROJECT_FILE_INVALID');
    expect(answer.json.error.details.length).toBeGreaterThan(0);
  });

  test('a request without any body', async () => {
    expectError(
      await service.admin({ method: 'POST', path: '/admin/projects' }),
      400,
      'PROJECT_FILE_INVALID',
    );
  });

  test('more than 4 MiB, and the error contains the limit', async () => {
    // A client that is still sending may get a reset before it reads the response.
    const answer = await until('an answer', () =>
      applyText(`# ${'x'.repeat(4 * 1024 * 1024)}\n`).catch(() => undefined),
    );
    expectError(answer, 413, 'PAYLOAD_TOO_LARGE');
    expect(answer.json.error.message).toContain('4 MiB');
  });

  test('ids and slugs that repeat in the file', async () => {
    const [a, b] = [experience(), experience()];
    expect(await problemPaths({ project: project(), experiences: [a, { ...b, id: a.id }] })).toEqual([
      'experiences[1].id',
    ]);
    expect(await problemPaths({ project: project(), experiences: [a, { ...b, slug: a.slug }] })).toEqual([
      'experiences[1].slug',
    ]);
  });
});

describe('atomicity', () => {
  test('one invalid experience among valid ones changes nothing', async () => {
    const world = await createWorld(service, { experiences: [experience(), experience()] });
    const before = (await read(world.projectId)).text;
    const [first, second] = world.file.experiences;
    const paths = await problemPaths({
      project: { ...world.file.project, name: 'Renamed' },
      experiences: [{ ...first, title: 'Renamed' }, experience(), { ...second, slug: 'NO' }],
    });
    expect(paths).toEqual(['experiences[2].slug']);
    expect((await read(world.projectId)).text).toBe(before);
  });

  test('an experience id of another project, found only in the database, is refused', async () => {
    const owner = await createWorld(service);
    const world = await createWorld(service);
    const before = (await read(world.projectId)).text;
    const fresh = experience();
    const answer = await apply(service, {
      project: { ...world.file.project, name: 'Renamed' },
      experiences: [
        fresh,
        experience({ id: owner.experienceId }),
        { ...world.file.experiences[0], title: 'T' },
      ],
    });
    expectError(answer, 400, 'PROJECT_FILE_INVALID');
    expect(answer.json.error.details).toEqual([
      { path: 'experiences[1].id', message: expect.stringContaining(owner.experienceId) },
    ]);
    expect(answer.text).not.toContain(owner.projectId);
    expect((await read(world.projectId)).text).toBe(before);
    expectError(
      await mintFromServer(service, world.key, { experienceId: fresh.id }),
      404,
      'EXPERIENCE_NOT_FOUND',
    );
    expect((await read(owner.projectId)).json.experiences).toHaveLength(1);
  });

  test('a refused new project is not created', async () => {
    const owner = await createWorld(service);
    const file = { project: project(), experiences: [experience(), experience({ id: owner.experienceId })] };
    expect(await problemPaths(file)).toEqual(['experiences[1].id']);
    expectError(await read(file.project.id), 404, 'PROJECT_NOT_FOUND');
  });

  test('a slug held by an experience outside the file is refused', async () => {
    const world = await createWorld(service, { experiences: [experience(), experience()] });
    const [first, second] = world.file.experiences;
    const before = (await read(world.projectId)).text;
    const answer = await apply(service, {
      project: { ...world.file.project, name: 'Renamed' },
      experiences: [experience(), { ...first, slug: second?.slug }],
    });
    expectError(answer, 400, 'PROJECT_FILE_INVALID');
    expect(answer.json.error.details).toEqual([
      { path: 'experiences[1].slug', message: expect.stringContaining(second?.id) },
    ]);
    expect((await read(world.projectId)).text).toBe(before);
  });

  test('all conflicts are reported together', async () => {
    const owner = await createWorld(service);
    const world = await createWorld(service, { experiences: [experience(), experience()] });
    const [first, second] = world.file.experiences;
    const paths = await problemPaths({
      project: world.file.project,
      experiences: [{ ...first, slug: second?.slug }, experience({ id: owner.experienceId })],
    });
    expect(paths).toEqual(['experiences[0].slug', 'experiences[1].id']);
  });

  test('two experiences may swap their slugs in one file', async () => {
    const world = await createWorld(service, { experiences: [experience(), experience()] });
    const [first, second] = world.file.experiences;
    const answer = await apply(service, {
      ...world.file,
      experiences: [
        { ...first, slug: second?.slug },
        { ...second, slug: first?.slug },
      ],
    });
    expect(answer.json, answer.text).toMatchObject({ changed: true });
    const slugs = (await catalog(world)).json.experiences.map((e: { experienceId: string; slug: string }) => [
      e.experienceId,
      e.slug,
    ]);
    expect(Object.fromEntries(slugs)).toEqual({
      [first?.id]: second?.slug,
      [second?.id]: first?.slug,
    });
  });

  test('a slug released by a file can be used by a new experience of the same file', async () => {
    const world = await createWorld(service);
    const [first] = world.file.experiences;
    const heir = experience({ slug: first?.slug });
    const answer = await apply(service, {
      ...world.file,
      experiences: [heir, { ...first, slug: `${first?.slug}-old` }],
    });
    expect(answer.status, answer.text).toBe(200);
    const found = await service.call({
      path: `/v1/projects/${world.projectId}/experiences/${first?.slug}`,
      headers: { Authorization: `Bearer ${world.key}` },
    });
    expect(found.json.experienceId).toBe(heir.id);
  });

  test('slugs are unique within a project, not across projects', async () => {
    await createWorld(service, { experience: { slug: 'lobby' } });
    await createWorld(service, { experience: { slug: 'lobby' } });
  });
});

describe('concurrent requests', () => {
  test('one new project many times: one request creates it, the others find it unchanged', async () => {
    const file = { project: project(), experiences: [experience(), experience()] };
    const answers = await Promise.all(Array.from({ length: 8 }, () => apply(service, file)));
    for (const answer of answers) expect(answer.status, answer.text).toBe(200);
    expect(answers.filter((answer) => answer.json.changed)).toHaveLength(1);
  });

  test('different files of one project are applied one after the other', async () => {
    const world = await createWorld(service);
    const files = Array.from({ length: 8 }, (_, i) =>
      withRuntime(world, { location: { locationId: `l${i}` } }),
    );
    const answers = await Promise.all(files.map((file) => apply(service, file)));
    const revisions = answers.map((answer) => answer.json.changes[1].revision as number);
    expect(revisions.toSorted((a, b) => a - b)).toEqual([2, 3, 4, 5, 6, 7, 8, 9]);
    const last = files[revisions.indexOf(9)];
    expect((await read(world.projectId)).json.experiences[0].runtime.location).toEqual(
      last?.experiences[0]?.runtime.location,
    );
  });

  test('of two projects that claim one experience id, one gets it and the other is refused as a whole', async () => {
    for (let round = 0; round < 5; round++) {
      const shared = [experience(), experience()];
      const files = [
        { project: project(), experiences: [experience(), ...shared] },
        { project: project(), experiences: [...shared.toReversed(), experience()] },
      ];
      const answers = await Promise.all(files.map((file) => apply(service, file)));
      expect(answers.map((answer) => answer.status).sort(), answers.map((a) => a.text).join()).toEqual([
        200, 400,
      ]);
      const loser = answers.findIndex((answer) => answer.status === 400);
      expectError(answers[loser]!, 400, 'PROJECT_FILE_INVALID');
      expectError(await read(files[loser]?.project.id), 404, 'PROJECT_NOT_FOUND');
      expect((await read(files[1 - loser]?.project.id)).json.experiences).toHaveLength(3);
    }
  });

  test('launches continue while files are applied, each from one complete revision', async () => {
    const world = await createWorld(service);
    const name = (i: number) => ({
      location: { locationId: `l${i}` },
      characters: [{ characterId: `l${i}`, name: 'A' }],
    });
    await apply(service, withRuntime(world, name(0)));
    const applying = (async () => {
      for (let i = 1; i <= 10; i++) await apply(service, withRuntime(world, name(i)));
    })();
    const mints = await Promise.all(
      Array.from({ length: 40 }, () =>
        mintFromServer(service, world.key, { experienceId: world.experienceId }),
      ),
    );
    await applying;
    for (const { json, text } of mints) {
      expect(json.launch?.characters[0].characterId, text).toBe(json.launch.location.locationId);
    }
  });

  test('a file read while others are applied is one that was applied', async () => {
    const world = await createWorld(service);
    const step = (i: number) => ({
      project: { ...world.file.project, name: `Step ${i}` },
      experiences: [{ ...world.file.experiences[0], sortOrder: i }],
    });
    await apply(service, step(0));
    let going = true;
    const applying = (async () => {
      for (let i = 1; i <= 15; i++) await apply(service, step(i));
      going = false;
    })();
    while (going) {
      const { json } = await read(world.projectId);
      expect(json.project.name).toBe(`Step ${json.experiences[0].sortOrder}`);
    }
    await applying;
  });
});

describe('the exported file', () => {
  const awkward = {
    project: project({
      name: 'Ünïcödé 🦜 "quoted": # not a comment',
      allowedOrigins: ['HTTPS://Bücher.example:443/', 'https://*.example.com', 'http://localhost:5173'],
      limits: { mintsPerMinutePerClient: 0, mintsPerMinute: null, sessionsPerDay: null },
    }),
    experiences: [
      experience({
        title: '- yes: no, null ~ 0x1F \u2028 <<',
        sortOrder: -2_147_483_648,
        status: 'archived',
        public: true,
        allowedOrigins: ['https://xn--bcher-kva.example'],
        avatarId: '007',
        thumbnailPath: '/avatars/a b/ü.svg',
        galleryThumb: { avatarImage: '/avatars/a.svg', backgroundImage: '/locations/b.svg' },
        runtime: runtime({
          mode: 'presenter',
          speechInputMode: 'off',
          languages: {
            dual: true,
            default: 'EN-us',
            conversation: { fixed: 'iw' },
            paired: { fixed: 'pt-pt' },
          },
          characters: [
            {
              characterId: 'a-1_B',
              name: 'Inês\nda Silva',
              voice: {
                '': 'empty',
                '<<': 'merge',
                'a: b': [1, 1.5, 1e21, -0.1, true, null, [], {}, [[]]],
                '10': 'ten',
                '9': 'nine',
                yes: 'no',
                constructor: { prototype: 'x' },
                '\u202e': '\u0001\u0085\ufeff',
                text: 'a\r\nb\n\n  c\t',
                big: 9_007_199_254_740_991,
              },
              avatar: { modelPath: '/avatars/a.glb', nested: { a: { b: { c: { d: { e: 'f' } } } } } },
            },
            { characterId: 'two', name: '0' },
          ],
          location: {},
          transport: {
            type: 'websocket',
            url: 'wss://runtime.example.com/session?x=1&y=%20#z',
            protocols: ['v1', 'null', '2024-01-01'],
            '*': '&anchor',
          },
        }),
      }),
      experience({
        status: 'draft',
        runtime: { characters: [{ characterId: 'a', name: 'A' }], transport: runtime().transport },
      }),
    ],
  };

  test.each(['json', 'yaml'])('can be applied again as %s without changes', async (format) => {
    const file = structuredClone(awkward);
    file.project.id = uniqueId('prj');
    for (const e of file.experiences) {
      e.id = uniqueId('exp');
      e.slug = e.id.replace('_', '-');
    }
    expect((await apply(service, file)).status).toBe(200);
    const type = `application/${format}`;
    const first = await read(file.project.id, type);
    expect(first.headers['content-type']).toBe(`${type}; charset=utf-8`);
    const again = await applyText(first.text, type);
    expect(again.json, again.text).toMatchObject({ changed: false });
    expect((await read(file.project.id, type)).text).toBe(first.text);

    const json = (await read(file.project.id)).json;
    const byId = new Map(json.experiences.map((e: { id: string }) => [e.id, e]));
    for (const written of file.experiences) {
      const { voice, avatar } = written.runtime.characters[0];
      expect(byId.get(written.id)).toMatchObject({
        title: written.title,
        runtime: {
          transport: written.runtime.transport,
          characters: [
            { ...(voice ? { voice } : {}), ...(avatar ? { avatar } : {}) },
            ...written.runtime.characters.slice(1),
          ],
        },
      });
    }
    expect(json.project).toMatchObject({
      name: file.project.name,
      allowedOrigins: ['https://xn--bcher-kva.example', 'https://*.example.com', 'http://localhost:5173'],
      limits: file.project.limits,
    });
    expect(json.experiences[0].runtime.languages).toEqual({
      dual: true,
      default: 'en-US',
      conversation: { fixed: 'he' },
      paired: { fixed: 'pt-PT' },
    });
  });

  test('can create the same project elsewhere', async () => {
    const world = await createWorld(service, {
      experiences: [experience(), experience({ status: 'draft' })],
    });
    const text = (await read(world.projectId, 'application/yaml')).text;
    const renamed = [world.projectId, ...world.file.experiences.map((e) => e.id as string)].reduce(
      (all, id) => all.replaceAll(id, `${id}x`),
      text,
    );
    const answer = await applyText(renamed);
    expect(answer.json, answer.text).toMatchObject({ changed: true });
    expect((await read(`${world.projectId}x`, 'application/yaml')).text).toBe(renamed);
  });

  test('lists experiences in catalog order', async () => {
    const world = await createWorld(service, {
      experiences: [
        experience({ sortOrder: 3 }),
        experience({ sortOrder: -1 }),
        experience({ sortOrder: 2 }),
      ],
    });
    const { json } = await read(world.projectId);
    expect(json.experiences.map((e: { sortOrder: number }) => e.sortOrder)).toEqual([-1, 2, 3]);
  });

  test('contains the free-form fields as a launch shows them', async () => {
    const voice = { '10': 1, '9': 2, odd: { 'a.b': null, '': [] }, z: 1, a: 2 };
    const world = await createWorld(service, {
      experience: { runtime: runtime({ characters: [{ characterId: 'a', name: 'A', voice }] }) },
    });
    const { key } = await createKey(service, world.projectId);
    const { json } = await mintFromServer(service, key, { experienceId: world.experienceId });
    expect(JSON.stringify(json.launch.characters[0].voice)).toBe(JSON.stringify(voice));
  });
});
