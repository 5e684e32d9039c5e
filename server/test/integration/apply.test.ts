import { applyOperation } from '@session-launch/contract/admin/apply';
import type { Answer } from '@session-launch/testing/http.ts';
import {
  apply,
  createWorld,
  expectError,
  experience,
  project,
  runtime,
  uniqueId,
  type World,
} from '@session-launch/testing/world.ts';
import { describe, expect, test } from 'vitest';
import { publish, recordEdit, saveDraft } from '../harness/drafts.ts';
import { useService } from '../harness/service.ts';

const service = useService();

type File = World['file'];

const send = (query: string, file: File): Promise<Answer> =>
  service.admin({ method: 'POST', path: `/admin/projects?${query}`, body: file });

async function planned(file: File) {
  const answer = await send('plan=true', file);
  expect(answer.status, answer.text).toBe(200);
  return answer.json;
}

const rows = <Row>(text: string, values: unknown[]) => service.database.query<Row>('admin', { text }, values);
const auditOf = (projectId: string) =>
  rows<{
    id: string;
    action: string;
    via: string;
    target: string;
    version: number;
    changes: { path: string }[];
  }>(
    'SELECT id, action, via, name, target, version, changes FROM audit WHERE project_id = $1 AND via = $2 ORDER BY id',
    [projectId, 'file'],
  );
const stored = async (experienceId: string) =>
  (
    await rows<Record<string, unknown>>(
      `SELECT e.version, e.latest_revision AS latest, e.published_revision AS published, e.status, e.slug, e.title, e.managed_by,
              e.source, e.updated_by FROM experiences e WHERE id = $1`,
      [experienceId],
    )
  )[0];
const revisionsOf = async (experienceId: string) =>
  (
    await rows<{ title: string }>('SELECT title FROM revisions WHERE experience_id = $1 ORDER BY number', [
      experienceId,
    ])
  ).map(({ title }) => title);
const edited = (file: File, fields: object, ofTheProject: object = {}): File => ({
  project: { ...file.project, ...ofTheProject },
  experiences: file.experiences.map((one, i) => (i === 0 ? { ...one, ...fields } : one)),
});

/** Ada changes the title in the console and publishes it. */
async function editTitle({ experienceId, file }: World, title: string): Promise<number> {
  const number = await saveDraft(service.database, experienceId, { title });
  const before = file.experiences[0]?.title;
  await recordEdit(service.database, experienceId, [{ path: 'title', before, after: title }]);
  return number;
}

describe('a file with a published experience', () => {
  test('changes nothing the second time, and records nothing', async () => {
    const world = await createWorld(service);
    const file = edited(world.file, { title: 'Second', sortOrder: 5 }, { name: 'Renamed' });
    const first = await send('source=shop.yaml', file);
    expect(first.json).toMatchObject({ changed: true, version: 2 });
    const before = [await stored(world.experienceId), await auditOf(world.projectId)];
    const second = await send('source=other.yaml', file);
    expect(second.json).toMatchObject({ changed: false, version: 2, pendingDrafts: [], overwrote: [] });
    expect([await stored(world.experienceId), await auditOf(world.projectId)]).toEqual(before);
    expect(before[0]).toMatchObject({ managed_by: 'file', source: 'shop.yaml', updated_by: 'bootstrap' });
  });

  test('leaves a pending draft in place, and names it', async () => {
    const world = await createWorld(service);
    const { experienceId, file } = world;
    await saveDraft(service.database, experienceId, {
      title: 'Draft',
      slug: `${file.experiences[0]?.slug}-draft`,
    });
    const pendingDrafts = [{ experienceId, revision: 2 }];
    expect((await apply(service, file)).json).toMatchObject({ changed: false, pendingDrafts });

    const moved = await apply(service, edited(file, { sortOrder: 9 }));
    expect(moved.json).toMatchObject({ changed: true, pendingDrafts });
    expect(await stored(experienceId)).toMatchObject({ latest: 2, published: 1, title: 'Draft' });

    const replaced = await apply(service, edited(file, { title: 'From the file' }));
    expect(replaced.json).toMatchObject({ pendingDrafts });
    expect(await stored(experienceId)).toMatchObject({ latest: 3, published: 3, title: 'From the file' });
    expect(await revisionsOf(experienceId)).toEqual([file.experiences[0]?.title, 'Draft', 'From the file']);
    expect((await apply(service, edited(file, { title: 'From the file' }))).json).toMatchObject({
      changed: false,
      pendingDrafts: [],
    });
  });

  test('publishes a draft that it contains, without another revision', async () => {
    const { experienceId, file } = await createWorld(service);
    await saveDraft(service.database, experienceId, { title: 'Draft' });
    const answer = await apply(service, edited(file, { title: 'Draft' }));
    expect(answer.json).toMatchObject({ changed: true, pendingDrafts: [] });
    expect(await stored(experienceId)).toMatchObject({ latest: 2, published: 2 });
  });

  test('cannot take the slug of a draft that it leaves in place', async () => {
    const world = await createWorld(service);
    await saveDraft(service.database, world.experienceId, { slug: 'wanted' });
    const file = { ...world.file, experiences: [...world.file.experiences, experience({ slug: 'wanted' })] };
    for (const query of ['', 'plan=true']) {
      const answer = await send(query, file);
      expectError(answer, 400, 'PROJECT_FILE_INVALID');
      expect(answer.json.error.details).toMatchObject([{ path: 'experiences[1].slug' }]);
    }
  });

  test('cannot take the published slug of an experience outside the file', async () => {
    const world = await createWorld(service, { experience: { slug: 'live' } });
    await saveDraft(service.database, world.experienceId, { slug: 'renamed' });
    const answer = await apply(service, { ...world.file, experiences: [experience({ slug: 'live' })] });
    expectError(answer, 400, 'PROJECT_FILE_INVALID');
    expect(answer.json.error.details[0].message).toContain(world.experienceId);
  });

  test('that becomes a draft is compared with the newest revision', async () => {
    const { experienceId, file } = await createWorld(service);
    await saveDraft(service.database, experienceId, { title: 'Draft' });
    await apply(service, edited(file, { title: 'Draft', status: 'draft' }));
    expect(await stored(experienceId)).toMatchObject({ latest: 2, published: null, status: 'draft' });
    await apply(service, edited(file, { title: 'Draft', status: 'published' }));
    expect(await stored(experienceId)).toMatchObject({ latest: 2, published: 2, status: 'published' });
  });
});

describe('the version of a project', () => {
  test('counts settings, order and new experiences once for each file, and not the content of experiences', async () => {
    const { file } = await createWorld(service, { experiences: [experience(), experience()] });
    const more = { ...file, experiences: [...file.experiences, experience()] };
    const versions: number[] = [];
    for (const next of [
      edited(file, { title: 'Other' }),
      edited(file, { title: 'Other', sortOrder: 3 }, { name: 'Renamed' }),
      edited(more, { title: 'Other', sortOrder: 3 }, { name: 'Renamed' }),
      edited(more, { title: 'Other', sortOrder: 3 }),
    ])
      versions.push((await apply(service, next)).json.version);
    expect(versions).toEqual([1, 2, 3, 4]);
  });

  test('is the ETag of the export, whose format the parameter decides', async () => {
    const { projectId, file } = await createWorld(service);
    await apply(service, edited(file, {}, { name: 'Renamed' }));
    const read = (query: string, Accept = 'application/yaml') =>
      service.admin({ path: `/admin/projects/${projectId}${query}`, headers: { Accept } });
    const json = await read('?format=json');
    expect(json.headers).toMatchObject({ etag: '"2"', 'content-type': 'application/json; charset=utf-8' });
    const yaml = await read('?format=yaml', 'application/json');
    expect(yaml.headers['content-type']).toBe('application/yaml; charset=utf-8');
    expectError(await read('?format=xml'), 400, 'INVALID_REQUEST');
  });

  test('that differs from the expected one refuses the file', async () => {
    const { projectId, file } = await createWorld(service);
    const renamed = edited(file, {}, { name: 'Renamed' });
    expect((await send('expect=1', renamed)).json).toMatchObject({ changed: true, version: 2 });
    const late = await send('expect=1', edited(file, {}, { name: 'Late' }));
    expectError(late, 412, 'VERSION_CONFLICT');
    expect(late.json.error.details).toMatchObject({
      version: 2,
      by: 'bootstrap',
      changes: [{ path: 'name', before: 'Test project', after: 'Renamed' }],
    });
    const exported = await service.admin({ path: `/admin/projects/${projectId}` });
    expect(exported.json.project.name).toBe('Renamed');
    expectError(await send('expect=0', file), 412, 'VERSION_CONFLICT');
  });

  test('is 0 for a project that does not exist', async () => {
    const file = { project: project(), experiences: [] };
    expectError(await send('expect=1', file), 404, 'PROJECT_NOT_FOUND');
    expect(await planned(file)).toMatchObject({ version: 0 });
    expect((await send('expect=0', file)).json).toMatchObject({ changed: true, version: 1 });
  });
});

describe('values that an operator has changed', () => {
  test('are listed when a file changes them again, and stay in the history', async () => {
    const world = await createWorld(service);
    const { experienceId, file } = world;
    await publish(service.database, experienceId, await editTitle(world, 'By Ada'));
    const overwrote = [{ experienceId, path: 'title', by: 'Ada', at: expect.any(String) }];
    expect(await planned(file)).toMatchObject({ overwrote });

    const refused = await send('expect=1', file);
    expectError(refused, 412, 'VERSION_CONFLICT');
    expect(refused.json.error.details).toMatchObject({
      by: 'Ada',
      changes: [{ path: `experiences[${experienceId}].title`, before: 'By Ada' }],
    });

    expect((await apply(service, file)).json).toMatchObject({ changed: true, overwrote });
    const title = file.experiences[0]?.title;
    expect(await revisionsOf(experienceId)).toEqual([title, 'By Ada', title]);
    expect((await apply(service, edited(file, { title: 'Next' }))).json).toMatchObject({ overwrote: [] });
  });

  test('are not listed when the file leaves them as they are', async () => {
    const world = await createWorld(service);
    await publish(service.database, world.experienceId, await editTitle(world, 'By Ada'));
    const answer = await send('expect=1', edited(world.file, { title: 'By Ada', sortOrder: 3 }));
    expect(answer.json).toMatchObject({ changed: true, overwrote: [] });
  });

  test('are listed for the part, when the file changes a part of them', async () => {
    const { experienceId, projectId, file } = await createWorld(service);
    await recordEdit(service.database, experienceId, [{ path: 'runtime.characters' }]);
    await recordEdit(service.database, projectId, [{ path: 'name' }, { path: 'limits.mintsPerMinute' }]);
    const [ada] = runtime().characters;
    const next = edited(
      file,
      { runtime: runtime({ characters: [{ ...ada, name: 'Bo' }] }) },
      { name: 'Other' },
    );
    const { overwrote } = (await apply(service, next)).json;
    expect(overwrote).toMatchObject([
      { path: 'name', by: 'Ada' },
      { experienceId, path: 'runtime.characters[0].name', by: 'Ada' },
    ]);
  });

  test('count when the operator published an earlier revision', async () => {
    const world = await createWorld(service);
    const { experienceId, file } = world;
    await apply(service, edited(file, { title: 'Second' }));
    await publish(service.database, experienceId, 1);
    await recordEdit(service.database, experienceId, [{ path: 'publishedRevision', before: 2, after: 1 }]);
    const answer = await apply(service, edited(file, { title: 'Second' }));
    expect(answer.json.overwrote).toMatchObject([{ experienceId, path: 'title', by: 'Ada' }]);
    expect(await stored(experienceId)).toMatchObject({ latest: 2, published: 2 });
  });
});

describe('a plan', () => {
  const edits: [string, (file: File) => File][] = [
    ['nothing', (file) => file],
    ['a title', (file) => edited(file, { title: 'New' })],
    ['an order', (file) => edited(file, { sortOrder: 7 })],
    ['a status', (file) => edited(file, { status: 'archived' })],
    [
      'gallery fields',
      (file) => edited(file, { avatarId: 'ada', description: 'New.', taxonomy: { era: 'past' } }),
    ],
    ['origins', (file) => edited(file, { public: true, allowedOrigins: ['https://a.example'] })],
    ['a runtime', (file) => edited(file, { runtime: runtime({ mode: 'presenter', location: undefined }) })],
    [
      'a project',
      (file) => edited(file, {}, { name: 'New', allowedOrigins: [], limits: { sessionsPerDay: 5 } }),
    ],
    [
      'a new experience',
      (file) => ({ ...file, experiences: [experience({ id: uniqueId('exp') }), ...file.experiences] }),
    ],
    [
      'much at once',
      (file) => ({
        project: { ...file.project, name: 'New' },
        experiences: [
          { ...file.experiences[0], slug: file.experiences[1]?.slug, sortOrder: 4 },
          { ...file.experiences[1], slug: file.experiences[0]?.slug, status: 'draft' },
          experience({ id: uniqueId('exp'), status: 'draft' }),
        ],
      }),
    ],
  ];

  test.each(edits)('of %s is what applying then does, also above a draft', async (_, edit) => {
    for (const withDraft of [false, true]) {
      const world = await createWorld(service, { experiences: [experience(), experience()] });
      const { projectId, experienceId } = world;
      if (withDraft) await editTitle(world, 'By Ada');
      const file = edit(world.file);
      const before = [await stored(experienceId), (await auditOf(projectId)).length];
      const plan = await planned(file);
      expect([await stored(experienceId), (await auditOf(projectId)).length]).toEqual(before);
      const recorded = before[1] as number;

      const { json } = await apply(service, file);
      expect(plan.version).toBe(1);
      expect(plan.overwrote).toEqual(json.overwrote);
      const created = json.changes.filter((change: { newRevision?: true }) => change.newRevision);
      expect(plan.newRevisions).toEqual(
        created.map(({ id, revision }: { id: string; revision: number }) => ({
          experienceId: id,
          revision,
          publishes: file.experiences.find((one) => one.id === id)?.status === 'published',
        })),
      );
      const under = (target: string) => (target === projectId ? 'project' : `experiences[${target}]`);
      const audited = (await auditOf(projectId)).slice(recorded).flatMap(({ target, changes }) =>
        changes
          .filter(({ path }) => target !== projectId || !path.startsWith('experiences['))
          .map((change) => ({
            ...change,
            path: change.path === '' ? under(target) : `${under(target)}.${change.path}`,
          })),
      );
      expect(plan.changes).toEqual(audited);
      expect(json.changed).toBe(plan.changes.length > 0);
      expect((await planned(file)).changes).toEqual([]);
    }
  });

  test('of a new project writes nothing', async () => {
    const file = { project: project(), experiences: [experience()] };
    const { changes } = await planned(file);
    expect(changes).toMatchObject([
      { path: 'project', after: { name: 'Test project' } },
      { path: `experiences[${file.experiences[0]?.id}]`, after: { status: 'published' } },
    ]);
    expectError(
      await service.admin({ path: `/admin/projects/${file.project.id}` }),
      404,
      'PROJECT_NOT_FOUND',
    );
    expect(await auditOf(file.project.id)).toEqual([]);
  });

  test('needs the permission to read; applying needs more', () => {
    const further = applyOperation.furtherPermissions[0]!;
    expect(applyOperation.permission).toBe('read');
    expect(further.permission).toBe('manage-projects');
    for (const plan of [undefined, 'false', 'true'])
      expect(further.appliesTo(undefined, { plan })).toBe(plan !== 'true');
  });

  test.each(['plan=yes', 'expect=x', 'expect=-1', 'source=', `source=${'x'.repeat(201)}`, 'other=1'])(
    'refuses %s',
    async (query) => {
      const { file } = await createWorld(service);
      expectError(await send(query, file), 400, 'INVALID_REQUEST');
    },
  );
});

test('the audit has one entry for the project and one for each changed experience', async () => {
  const world = await createWorld(service, { experiences: [experience(), experience()] });
  const { projectId, experienceId, file } = world;
  const first = await auditOf(projectId);
  expect(first.map(({ action, target, version }) => ({ action, target, version }))).toEqual([
    { action: 'project.apply', target: projectId, version: 1 },
    ...file.experiences.map(({ id }) => ({ action: 'experience.apply', target: id, version: 1 })),
  ]);
  await apply(service, edited(file, { title: 'Other' }));
  expect((await auditOf(projectId)).slice(3)).toMatchObject([
    {
      action: 'experience.apply',
      via: 'file',
      name: 'bootstrap',
      target: experienceId,
      version: 2,
      changes: [{ path: 'title', before: file.experiences[0]?.title, after: 'Other' }],
    },
  ]);
});
