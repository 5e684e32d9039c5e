import { deployedService } from '@session-launch/testing/deployment.ts';
import { editorOf } from '@session-launch/testing/editing.ts';
import {
  apply,
  createWorld,
  expectError,
  experience,
  mintFromServer,
  runtime,
  uniqueId,
} from '@session-launch/testing/world.ts';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { askAdmin } from '../harness/ask-admin.ts';

const service = deployedService();
const editor = editorOf(service);
const thumbs = {
  avatarId: 'ada',
  thumbnailPath: '/avatars/ada/thumb.svg',
  galleryThumb: { avatarImage: '/avatars/ada/full.svg', backgroundImage: '/locations/lab/wide.svg' },
};

describe('reading', () => {
  test('returns the document, the published one and the version', async () => {
    const world = await createWorld(service);
    const answer = await editor.send('GET', `experiences/${world.experienceId}`);
    expect(answer.headers.etag).toBe('"1"');
    const { experience: document, live, updatedAt, ...rest } = answer.json;
    expect(rest).toEqual({
      version: 1,
      latestRevision: 1,
      publishedRevision: 1,
      managedBy: 'file',
      updatedBy: expect.any(String),
      ...(rest.source === undefined ? {} : { source: rest.source }),
    });
    expect(document).toMatchObject(world.file.experiences[0]!);
    expect(live).toEqual(document);
    expect(Date.parse(updatedAt)).toBeGreaterThan(0);
  });

  test('returns the same document as YAML', async () => {
    const world = await createWorld(service);
    const answer = await editor.send('GET', `experiences/${world.experienceId}?format=yaml`);
    expect(answer.headers['content-type']).toBe('application/yaml; charset=utf-8');
    expect(answer.headers.etag).toBe('"1"');
    expect(parse(answer.text)).toEqual((await editor.read(world.experienceId)).experience);
  });

  test('an id that PostgreSQL cannot store is unknown to every route', async () => {
    const id = 'exp_%00';
    for (const answer of [
      await editor.send('GET', `experiences/${id}`),
      await editor.send('DELETE', `experiences/${id}`),
      await editor.publish(id, 1),
      await editor.unpublish(id, 1),
      await editor.archive(id, 1),
    ])
      expectError(answer, 404, 'EXPERIENCE_NOT_FOUND');
  });

  test('returns 404 for unknown experiences and revisions', async () => {
    const world = await createWorld(service);
    const own = `experiences/${world.experienceId}`;
    for (const path of [
      'experiences/exp_unknown',
      'experiences/exp_%20',
      'experiences/exp_unknown/revisions',
    ])
      expectError(await editor.send('GET', path), 404, 'EXPERIENCE_NOT_FOUND');
    expectError(await editor.send('GET', `${own}/revisions/2`), 404, 'REVISION_NOT_FOUND');
    expectError(await editor.send('GET', `${own}/revisions/1/changes?from=7`), 404, 'REVISION_NOT_FOUND');
    expectError(await editor.send('GET', `${own}/revisions/x`), 400, 'INVALID_REQUEST');
    expectError(await editor.send('GET', 'projects/prj_unknown/experiences'), 404, 'PROJECT_NOT_FOUND');
  });
});

describe('listing', () => {
  test('returns the experiences in catalog order, with their state', async () => {
    const first = experience({ sortOrder: 1, ...thumbs });
    const second = experience({ sortOrder: 2, status: 'draft', avatarId: 'ada', public: true });
    const world = await createWorld(service, { experiences: [second, first] });
    for (let i = 0; i < 2; i++)
      expect((await mintFromServer(service, world.key, { experienceId: first.id })).status).toBe(201);
    const answer = await editor.send('GET', `projects/${world.projectId}/experiences`);
    expect(answer.headers.etag).toBe(`"${answer.json.version}"`);
    expect(answer.json.experiences).toMatchObject([
      {
        experienceId: first.id,
        slug: first.slug,
        title: first.title,
        sortOrder: 1,
        status: 'published',
        public: false,
        version: 1,
        latestRevision: 1,
        publishedRevision: 1,
        hasDraft: false,
        catalogReady: true,
        catalogMissing: [],
        sessionsToday: 2,
        managedBy: 'file',
      },
      {
        experienceId: second.id,
        status: 'draft',
        public: true,
        hasDraft: true,
        catalogReady: false,
        catalogMissing: ['thumbnailPath', 'galleryThumb'],
        sessionsToday: 0,
      },
    ]);
    expect(answer.json.experiences[1]).not.toHaveProperty('publishedRevision');
  });
});

describe('creating', () => {
  test('makes a draft with the first revision, at the end of the list', async () => {
    const world = await createWorld(service, { experience: { sortOrder: 30 } });
    const before = await editor.list(world.projectId);
    const written = { slug: 'fresh', title: 'Fresh', runtime: runtime() };
    const created = await editor.create(world.projectId, written);
    expect(created.status, created.text).toBe(201);
    expect(created.headers.etag).toBe('"1"');
    const { id } = created.json.experience;
    expect(id).toMatch(/^exp_[a-z0-9]{26}$/);
    expect(created.json).toMatchObject({
      experience: { ...written, sortOrder: 40, status: 'draft', public: false },
      version: 1,
      latestRevision: 1,
      managedBy: 'console',
      updatedBy: 'bootstrap',
    });
    expect(created.json).not.toHaveProperty('live');
    expect(await editor.read(id)).toEqual(created.json);
    const after = await editor.list(world.projectId);
    expect(after.version).toBe(before.version + 1);
    expect(after.experiences.map((one: { experienceId: string }) => one.experienceId)).toEqual([
      world.experienceId,
      id,
    ]);
    expect((await mintFromServer(service, world.key, { experienceId: id })).status).toBe(201);
  });

  test('accepts id, position and status', async () => {
    const world = await createWorld(service);
    const written = experience({ sortOrder: -5 });
    const created = await editor.ok(editor.create(world.projectId, written), 201);
    expect(created).toMatchObject({ experience: written, publishedRevision: 1 });
    expect(created.live).toEqual(created.experience);
  });

  test('refuses a document with the problems of a project file, at the paths of the request', async () => {
    const world = await createWorld(service);
    const bad = await editor.create(world.projectId, {
      slug: 'Café',
      title: 'x',
      colour: 'red',
      allowedOrigins: ['http://shop.example'],
      runtime: {
        ...runtime(),
        characters: [
          { characterId: 'a', name: 'A' },
          { characterId: 'a', name: 'B' },
        ],
      },
    });
    expectError(bad, 400, 'PROJECT_FILE_INVALID');
    const { details, message } = bad.json.error;
    expect(details.map(({ path }: { path: string }) => path).sort()).toEqual([
      'experience',
      'experience.allowedOrigins[0]',
      'experience.runtime.characters[1].characterId',
      'experience.slug',
    ]);
    expect(JSON.stringify([details, message])).not.toMatch(/experiences\[0\]|line/);
    expectError(await editor.create(world.projectId, 5 as never), 400, 'INVALID_REQUEST');
    expectError(await editor.create('prj_unknown', experience()), 404, 'PROJECT_NOT_FOUND');
  });

  test('refuses a slug and an id that are in use', async () => {
    const [world, other] = [await createWorld(service), await createWorld(service)];
    const { slug } = world.file.experiences[0]!;
    const taken = await editor.create(world.projectId, experience({ slug }));
    expectError(taken, 409, 'SLUG_TAKEN');
    expect(taken.json.error.details).toEqual({ slug, experienceId: world.experienceId });
    for (const id of [world.experienceId, other.experienceId]) {
      const answer = await editor.create(world.projectId, experience({ id, slug: uniqueId('x').slice(2) }));
      expectError(answer, 400, 'PROJECT_FILE_INVALID');
      expect(answer.json.error.details).toEqual([{ path: 'experience.id', message: expect.any(String) }]);
    }
  });
});

describe('saving', () => {
  test('makes a changed slug, title or runtime a revision that is not live, and changes settings at once', async () => {
    const world = await createWorld(service);
    const id = world.experienceId;
    const { experience: document } = await editor.read(id);
    const changed = { ...document, title: 'New title', avatarId: 'ada', public: true };
    const saved = await editor.save(changed, 1, 'A note');
    expect(saved.status, saved.text).toBe(200);
    expect(saved.headers.etag).toBe('"2"');
    expect(saved.json).toEqual({
      experience: changed,
      version: 2,
      latestRevision: 2,
      publishedRevision: 1,
      newRevision: true,
      changes: expect.arrayContaining([
        { path: 'title', before: document.title, after: 'New title' },
        { path: 'avatarId', after: 'ada' },
        { path: 'public', before: false, after: true },
      ]),
    });
    const state = await editor.read(id);
    expect(state).toMatchObject({ version: 2, managedBy: 'console', updatedBy: 'bootstrap' });
    expect(state.experience).toEqual(changed);
    expect(state.live).toEqual({ ...changed, title: document.title });
    expect(await editor.revisions(id)).toMatchObject([
      { revision: 2, createdBy: 'bootstrap', note: 'A note', published: false, sessions: 0 },
      { revision: 1, published: true },
    ]);
    const settings = await editor.ok(editor.save({ ...changed, sortOrder: 7 }, 2));
    expect(settings).toMatchObject({ version: 3, latestRevision: 2, newRevision: false });
  });

  test('changes nothing with the stored document, in whatever form', async () => {
    const world = await createWorld(service);
    const { experience: document } = await editor.read(world.experienceId);
    const { id, runtime, ...rest } = document;
    for (const same of [document, { runtime, ...rest, id }, world.file.experiences[0]!]) {
      const saved = await editor.ok(editor.save(same, 1));
      expect(saved).toMatchObject({ version: 1, latestRevision: 1, newRevision: false, changes: [] });
    }
    expect(await editor.read(id)).toMatchObject({ version: 1, managedBy: 'file' });
  });

  test('only says what would change when it is a plan', async () => {
    const world = await createWorld(service);
    const before = await editor.read(world.experienceId);
    const planned = await editor.ok(editor.plan({ ...before.experience, title: 'Planned' }, 1));
    expect(planned).toMatchObject({ newRevision: true, latestRevision: 2, version: 1 });
    expect(planned.changes).toHaveLength(1);
    expect(await editor.read(world.experienceId)).toEqual(before);
    expectError(await editor.plan({ ...before.experience, title: 'Planned' }, 7), 412, 'VERSION_CONFLICT');
  });

  test('refuses another status and another id, at their paths', async () => {
    const world = await createWorld(service);
    const { experience: document } = await editor.read(world.experienceId);
    const status = await editor.save({ ...document, status: 'draft' }, 1);
    expectError(status, 400, 'PROJECT_FILE_INVALID');
    expect(status.json.error.details).toMatchObject([{ path: 'experience.status' }]);
    const other = await editor.send(
      'PUT',
      `experiences/${world.experienceId}`,
      { experience: { ...document, id: 'exp_other' } },
      1,
    );
    expectError(other, 400, 'PROJECT_FILE_INVALID');
    expect(other.json.error.details).toMatchObject([{ path: 'experience.id' }]);
  });

  test('needs the version, and says who changed what since another one', async () => {
    const world = await createWorld(service);
    const { experience: document } = await editor.read(world.experienceId);
    expectError(await editor.save(document), 428, 'VERSION_REQUIRED');
    await editor.ok(editor.save({ ...document, title: 'First' }, 1));
    await editor.ok(editor.save({ ...document, title: 'Second' }, 2));
    const late = await editor.save({ ...document, title: 'Late' }, 1);
    expectError(late, 412, 'VERSION_CONFLICT');
    expect(late.json.error.details).toEqual({
      version: 3,
      by: 'bootstrap',
      at: expect.stringMatching(/Z$/),
      changes: [{ path: 'title', before: document.title, after: 'Second' }],
    });
  });

  test('refuses the slug of another experience', async () => {
    const [a, b] = [experience(), experience()];
    await createWorld(service, { experiences: [a, b] });
    const { experience: document } = await editor.read(a.id);
    expectError(await editor.save({ ...document, slug: b.slug }, 1), 409, 'SLUG_TAKEN');
    expectError(await editor.plan({ ...document, slug: b.slug }, 1), 409, 'SLUG_TAKEN');
  });
});

describe('publishing', () => {
  test('moves to the newest revision, to an older one, and back', async () => {
    const world = await createWorld(service);
    const id = world.experienceId;
    const { experience: document } = await editor.read(id);
    await editor.ok(editor.save({ ...document, title: 'Newer' }, 1));
    const newest = await editor.ok(editor.publish(id, 2));
    expect(newest).toMatchObject({ version: 3, publishedRevision: 2, live: { title: 'Newer' } });
    const older = await editor.ok(editor.publish(id, 3, { revision: 1, note: 'Back' }));
    expect(older).toMatchObject({ version: 4, publishedRevision: 1, latestRevision: 2 });
    expect(older.live.title).toBe(document.title);
    expect(older.experience.title).toBe('Newer');
    const notes = async () => {
      const json = await askAdmin(service, 'GET /admin/experiences/{experienceId}/revisions', {
        params: { experienceId: id },
      });
      return json.revisions.map(({ note }: { note?: string }) => note);
    };
    expect(await notes()).toEqual([undefined, 'Back']);
    const again = await editor.ok(editor.publish(id, 4, { revision: 1, note: 'Still back' }));
    expect(again.version).toBe(4);
    expect(await notes()).toEqual([undefined, 'Back']);
    expectError(await editor.publish(id, 4, { revision: 9 }), 404, 'REVISION_NOT_FOUND');
    expectError(await editor.publish(id, 3), 412, 'VERSION_CONFLICT');
    expectError(await editor.publish(id), 428, 'VERSION_REQUIRED');
    expectError(await editor.publish(id, 4, { revision: '1' }), 400, 'INVALID_REQUEST');
  });

  test('of the published revision changes nothing, not even its note', async () => {
    const { experienceId: id } = await createWorld(service);
    const same = await editor.ok(editor.publish(id, 1, { revision: 1, note: 'Nothing new' }));
    expect(same).toMatchObject({ version: 1, publishedRevision: 1 });
    const json = await askAdmin(service, 'GET /admin/experiences/{experienceId}/revisions', {
      params: { experienceId: id },
    });
    expect(json.revisions[0]).not.toHaveProperty('note');
  });

  test('unpublish makes a draft, archive hides it, and publish brings it back', async () => {
    const world = await createWorld(service);
    const id = world.experienceId;
    const mint = (key: string) => mintFromServer(service, key, { experienceId: id });
    const draft = await editor.ok(editor.unpublish(id, 1));
    expect(draft).toMatchObject({ version: 2, experience: { status: 'draft' } });
    expect(draft).not.toHaveProperty('publishedRevision');
    expectError(await mint(world.liveKey), 404, 'EXPERIENCE_NOT_PUBLISHED');
    expect((await mint(world.key)).status).toBe(201);
    expect((await editor.ok(editor.unpublish(id, 2))).version).toBe(2);
    const archived = await editor.ok(editor.archive(id, 2));
    expect(archived).toMatchObject({ version: 3, experience: { status: 'archived' } });
    expectError(await mint(world.key), 404, 'EXPERIENCE_NOT_FOUND');
    const back = await editor.ok(editor.publish(id, 3));
    expect(back).toMatchObject({ version: 4, publishedRevision: 1, experience: { status: 'published' } });
    expect((await mint(world.liveKey)).status).toBe(201);
  });

  test('refuses a slug that is live elsewhere', async () => {
    const [a, b] = [experience({ slug: 'first' }), experience({ slug: 'second', status: 'draft' })];
    await createWorld(service, { experiences: [a, b] });
    const [first, second] = [await editor.read(a.id), await editor.read(b.id)];
    await editor.ok(editor.save({ ...first.experience, slug: 'renamed' }, 1));
    await editor.ok(editor.save({ ...second.experience, slug: 'first' }, 1));
    expectError(await editor.publish(b.id, 2), 409, 'SLUG_TAKEN');
    await editor.ok(editor.publish(a.id, 2));
    await editor.ok(editor.publish(b.id, 2));
  });

  test('the differences of any two revisions can be read', async () => {
    const world = await createWorld(service);
    const id = world.experienceId;
    const { experience: document } = await editor.read(id);
    await editor.ok(editor.save({ ...document, title: 'Two' }, 1));
    await editor.ok(editor.save({ ...document, title: 'Three', slug: `${document.slug}-3` }, 2));
    const changes = async (path: string) =>
      (await editor.ok(editor.send('GET', `experiences/${id}/revisions/${path}`))).changes;
    expect(await changes('3/changes')).toEqual([
      { path: 'slug', before: document.slug, after: `${document.slug}-3` },
      { path: 'title', before: 'Two', after: 'Three' },
    ]);
    expect(await changes('1/changes?from=2')).toEqual([
      { path: 'title', before: 'Two', after: document.title },
    ]);
    expect((await changes('1/changes')).map(({ path }: { path: string }) => path)).toEqual([
      'slug',
      'title',
      'runtime',
    ]);
    const second = await editor.ok(editor.send('GET', `experiences/${id}/revisions/2`));
    expect(second).toEqual({ ...document, title: 'Two' });
  });
});

describe('ordering', () => {
  test('writes as few positions as possible', async () => {
    const ids = ['a', 'b', 'c', 'd'].map((name) => `${uniqueId('exp')}_${name}`);
    const world = await createWorld(service, {
      experiences: ids.map((id, i) => experience({ id, sortOrder: (i + 1) * 10 })),
    });
    const [a, b, c, d] = ids;
    const { version } = await editor.list(world.projectId);
    const wanted = [d, a, b, c];
    const answer = await editor.order(world.projectId, wanted, version);
    expect(answer.status, answer.text).toBe(200);
    expect(answer.headers.etag).toBe(`"${version + 1}"`);
    expect(answer.json).toEqual({ version: version + 1, moved: [{ experienceId: d, sortOrder: 0 }] });
    const listed = await editor.list(world.projectId);
    expect(listed.experiences.map((one: { experienceId: string }) => one.experienceId)).toEqual(wanted);
    expect(listed.version).toBe(version + 1);
    const same = await editor.ok(editor.order(world.projectId, wanted, version + 1));
    expect(same).toEqual({ version: version + 1, moved: [] });
    const late = await editor.order(world.projectId, [a, b, c, d], version);
    expectError(late, 412, 'VERSION_CONFLICT');
    expect(late.json.error.details.changes).toEqual([
      { path: `experiences[${d}].sortOrder`, before: 40, after: 0 },
    ]);
    expectError(await editor.save((await editor.read(d!)).experience, 1), 412, 'VERSION_CONFLICT');
  });

  test('needs every experience of the project once', async () => {
    const [a, b] = [experience(), experience()];
    const world = await createWorld(service, { experiences: [a, b] });
    const other = await createWorld(service);
    const { version } = await editor.list(world.projectId);
    const paths = async (ids: unknown) => {
      const answer = await editor.order(world.projectId, ids, version);
      expectError(answer, 400, 'INVALID_REQUEST');
      return answer.json.error.details.map(({ path }: { path: string }) => path);
    };
    expect(await paths([a.id])).toEqual(['experienceIds']);
    expect(await paths([a.id, b.id, a.id])).toEqual(['experienceIds[2]']);
    expect(await paths([a.id, other.experienceId, b.id])).toEqual(['experienceIds[1]']);
    expect(await paths([a.id, 5, b.id])).toEqual(['experienceIds[1]']);
    expectError(await editor.order(world.projectId, [a.id, b.id]), 428, 'VERSION_REQUIRED');
  });
});

describe('deleting', () => {
  test('removes an experience that was never launched, and frees its id and slug', async () => {
    const [a, b] = [experience(), experience()];
    const world = await createWorld(service, { experiences: [a, b] });
    const { version } = await editor.list(world.projectId);
    const gone = await editor.remove(b.id);
    expect([gone.status, gone.text]).toEqual([204, '']);
    expectError(await editor.remove(b.id), 404, 'EXPERIENCE_NOT_FOUND');
    expectError(await editor.send('GET', `experiences/${b.id}`), 404, 'EXPERIENCE_NOT_FOUND');
    const mint = await mintFromServer(service, world.key, { experienceId: b.id });
    expectError(mint, 404, 'EXPERIENCE_NOT_FOUND');
    expect(await editor.list(world.projectId)).toMatchObject({
      version: version + 1,
      experiences: [{ experienceId: a.id }],
    });
    await editor.ok(editor.create(world.projectId, { ...b, title: 'Reborn' }), 201);
    const launched = await mintFromServer(service, world.key, { experienceId: b.id });
    expect(launched.json.launch.experience).toMatchObject({ title: 'Reborn', revision: 1 });
  });

  test('with a version deletes only that one, and otherwise lists the changes since then with their author', async () => {
    const one = experience({ status: 'draft' });
    await createWorld(service, { experiences: [one, experience()] });
    const { experience: document } = await editor.read(one.id);
    await editor.ok(editor.save({ ...document, title: 'Changed' }, 1));
    const remove = (headers: Record<string, string>) =>
      service.admin({ method: 'DELETE', path: `/admin/experiences/${one.id}`, headers });
    const refused = await remove({ 'If-Match': '"1"' });
    expectError(refused, 412, 'VERSION_CONFLICT');
    expect(refused.json.error.details).toMatchObject({
      version: 2,
      by: 'bootstrap',
      changes: [{ path: 'title', after: 'Changed' }],
    });
    for (const wrong of ['2', '*', '"two"'])
      expectError(await remove({ 'If-Match': wrong }), 428, 'VERSION_REQUIRED');
    expect((await remove({ 'If-Match': '"2"' })).status).toBe(204);
  });

  test('refuses an experience of which a session was launched', async () => {
    const world = await createWorld(service);
    expect((await mintFromServer(service, world.key, { experienceId: world.experienceId })).status).toBe(201);
    expectError(await editor.remove(world.experienceId), 409, 'EXPERIENCE_IN_USE');
    expect((await apply(service, world.file)).json.changed).toBe(false);
  });
});

describe('settings of a project', () => {
  test('change what the body names, checked and normalised as in a file', async () => {
    const world = await createWorld(service);
    const { version } = await editor.list(world.projectId);
    const patched = await editor.patch(
      world.projectId,
      { name: 'Renamed', allowedOrigins: ['HTTPS://Shop.Example:443/'], limits: { mintsPerMinute: 5 } },
      version,
    );
    expect(patched.status, patched.text).toBe(200);
    expect(patched.headers.etag).toBe(`"${version + 1}"`);
    expect(patched.json).toEqual({
      project: {
        id: world.projectId,
        name: 'Renamed',
        browserEmbeds: true,
        allowedOrigins: ['https://shop.example'],
        limits: {
          mintsPerMinutePerClient: null,
          mintsPerMinute: 5,
          sessionsPerDay: null,
          concurrentSessions: null,
          concurrentSessionsPerClient: null,
        },
      },
      version: version + 1,
    });
    const same = await editor.ok(editor.patch(world.projectId, { name: 'Renamed' }, version + 1));
    expect(same.version).toBe(version + 1);
    const late = await editor.patch(world.projectId, { name: 'Late' }, version);
    expectError(late, 412, 'VERSION_CONFLICT');
    expect(late.json.error.details.changes).toContainEqual({
      path: 'name',
      before: 'Test project',
      after: 'Renamed',
    });
  });

  test('are refused with their paths', async () => {
    const world = await createWorld(service);
    const { version } = await editor.list(world.projectId);
    const path = async (settings: object) => {
      const answer = await editor.patch(world.projectId, settings, version);
      expectError(answer, 400, 'INVALID_REQUEST');
      return answer.json.error.details[0].path;
    };
    expect(await path({ allowedOrigins: ['https://a.example', 'http://b.example'] })).toBe(
      'allowedOrigins[1]',
    );
    expect(await path({ limits: { mintsPerMinute: -1 } })).toBe('limits.mintsPerMinute');
    expect(await path({ limits: { speed: 1 } })).toMatch(/^limits/);
    expect(await path({ name: ' ' })).toBe('name');
    expect(await path({ colour: 'red' })).toMatch(/colour|^$/);
    expectError(await editor.patch(world.projectId, { name: 'x' }), 428, 'VERSION_REQUIRED');
    expectError(await editor.patch('prj_unknown', { name: 'x' }, 1), 404, 'PROJECT_NOT_FOUND');
  });

  test('a project is deleted only if its id is confirmed', async () => {
    const world = await createWorld(service);
    for (const query of ['', '?confirm=prj_other']) {
      const answer = await editor.send('DELETE', `projects/${world.projectId}${query}`);
      expectError(answer, 400, 'INVALID_REQUEST');
      expect(answer.json.error.details).toMatchObject([{ path: 'confirm' }]);
    }
    expect((await mintFromServer(service, world.key, { experienceId: world.experienceId })).status).toBe(201);
  });
});
