import { deployedService } from '@session-launch/testing/deployment.ts';
import {
  apply,
  createKey,
  createWorld,
  expectError,
  experience,
  type World,
} from '@session-launch/testing/world.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { askAdmin } from '../harness/ask-admin.ts';

const service = deployedService();

const ready = {
  avatarId: 'ada',
  thumbnailPath: '/avatars/ada/thumb.svg',
  galleryThumb: { avatarImage: '/avatars/ada/full.svg', backgroundImage: '/locations/lab/wide.svg' },
};
const cafe = {
  useCases: ['language-learning', 'role-play'],
  purpose: 'practice',
  interactionMode: 'conversation',
  domain: 'travel',
  universe: 'lisbon',
  era: 'present',
};
const museum = { useCases: ['role-play'], purpose: 'explore', era: 'past' };

let world: World;
beforeAll(async () => {
  world = await createWorld(service, {
    experiences: [
      experience({ slug: 'plain', sortOrder: 4, ...ready }),
      experience({ slug: 'museum', sortOrder: 3, ...ready, taxonomy: museum }),
      experience({ slug: 'cafe', sortOrder: 2, ...ready, taxonomy: cafe, description: 'Order a coffee.' }),
      experience({ slug: 'unready', sortOrder: 1, taxonomy: cafe, description: 'Without pictures.' }),
      experience({ slug: 'draft', status: 'draft', ...ready, taxonomy: cafe }),
    ],
  });
});

const bearer = (key: string) => ({ Authorization: `Bearer ${key}` });
const read = (query = '', headers: Record<string, string> = {}, projectId = world.projectId) =>
  service.call({
    path: `/v1/projects/${projectId}/gallery${query}`,
    headers: { ...bearer(world.key), ...headers },
  });
const slugs = async (query: string) => {
  const answer = await read(query);
  expect(answer.status, answer.text).toBe(200);
  return answer.json.experiences.map(({ slug }: { slug: string }) => slug);
};

describe('the gallery', () => {
  test('has the catalog entries that are ready, in order, with description and taxonomy where they are set', async () => {
    const catalog = await service.call({
      path: `/v1/projects/${world.projectId}/experiences`,
      headers: bearer(world.key),
    });
    const entries = catalog.json.experiences.filter(({ catalogReady }: typeof catalog.json) => catalogReady);
    const [first, second, third] = entries;
    expect(entries).toHaveLength(3);
    expect((await read()).json).toEqual({
      experiences: [
        { ...first, description: 'Order a coffee.', taxonomy: cafe },
        { ...second, taxonomy: museum },
        third,
      ],
    });
    expect(catalog.text).not.toMatch(/taxonomy|description|lisbon/);
    for (const { discoveryTags } of catalog.json.experiences) expect(discoveryTags).toEqual([]);
  });

  test.each([
    ['?useCase=role-play', ['cafe', 'museum']],
    ['?useCase=language-learning', ['cafe']],
    ['?purpose=explore', ['museum']],
    ['?interactionMode=conversation', ['cafe']],
    ['?domain=travel', ['cafe']],
    ['?universe=lisbon', ['cafe']],
    ['?era=past', ['museum']],
    ['?useCase=role-play&era=present', ['cafe']],
    ['?purpose=explore&era=present', []],
    ['?purpose=Explore', []],
    ['?purpose=expl', []],
    ['?domain=toString', []],
  ])('filters by equality: %s', async (query, expected) => {
    expect(await slugs(query)).toEqual(expected);
  });

  test.each(['?colour=red', '?purpose=', '?era=past&era=present', `?domain=${'x'.repeat(65)}`])(
    'refuses %s',
    async (query) => {
      expectError(await read(query), 400, 'INVALID_REQUEST');
    },
  );

  test('is not sent again while the ETag is current, and each filter has its own', async () => {
    const all = await read();
    expect(all.headers).toMatchObject({ 'cache-control': 'private, no-cache', vary: 'Authorization' });
    const { etag } = all.headers as { etag: string };
    expect((await read('', { 'If-None-Match': etag })).status).toBe(304);
    expect((await read('?era=past', { 'If-None-Match': etag })).status).toBe(200);
  });

  test('changes when a description is applied', async () => {
    const own = await createWorld(service, { experience: { ...ready, description: 'Before.' } });
    const shown = async () => (await read('', bearer(own.key), own.projectId)).json.experiences[0];
    const before = await shown();
    expect(before.description).toBe('Before.');
    const [only] = own.file.experiences;
    const answer = await apply(service, { ...own.file, experiences: [{ ...only, description: 'After.' }] });
    expect(answer.json.changes[1]).toMatchObject({ change: 'updated', revision: 1 });
    const after = await shown();
    expect(after.description).toBe('After.');
    expect(after.updatedAt > before.updatedAt).toBe(true);
  });

  test('is read with any key of the project, and with no other', async () => {
    const { key } = await createKey(service, world.projectId, { scopes: ['sessions:create'] });
    expect((await read('', bearer(key))).status).toBe(200);
    const other = await createWorld(service);
    expectError(await read('', bearer(other.key)), 403, 'PROJECT_FORBIDDEN');
    expectError(await read('', { Authorization: 'Bearer nothing' }), 401, 'API_KEY_INVALID');
    expectError(await read('', {}, 'prj_nothing'), 403, 'PROJECT_FORBIDDEN');
  });
});

describe('description and taxonomy in a project file', () => {
  const applied = (fields: object) =>
    apply(service, {
      project: { ...world.file.project, id: 'prj_taxonomy' },
      experiences: [experience({ id: 'exp_taxonomy', ...fields })],
    });

  test.each([
    ['description', { description: 'x'.repeat(501) }],
    ['description', { description: '' }],
    ['taxonomy.purpose', { taxonomy: { purpose: 'x'.repeat(65) } }],
    ['taxonomy.purpose', { taxonomy: { purpose: ' ' } }],
    ['taxonomy.useCases', { taxonomy: { useCases: Array.from({ length: 11 }, (_, i) => `u${i}`) } }],
    ['taxonomy.useCases[0]', { taxonomy: { useCases: [''] } }],
    ['taxonomy', { taxonomy: { mood: 'calm' } }],
  ])('is refused: %s', async (path, fields) => {
    const answer = await applied(fields);
    expectError(answer, 400, 'PROJECT_FILE_INVALID');
    expect(answer.json.error.details).toMatchObject([{ path: `experiences[0].${path}` }]);
  });

  test('are exported as they were applied, without what is empty or repeated', async () => {
    const fields = { description: 'x'.repeat(500), taxonomy: { era: 'past', useCases: ['a', 'b', 'a'] } };
    expect((await applied(fields)).status).toBe(200);
    const exported = async () =>
      (await askAdmin(service, 'GET /admin/projects/{projectId}', { params: { projectId: 'prj_taxonomy' } }))
        .experiences?.[0];
    expect(await exported()).toMatchObject({ ...fields, taxonomy: { useCases: ['a', 'b'], era: 'past' } });
    const again = await apply(
      service,
      await askAdmin(service, 'GET /admin/projects/{projectId}', { params: { projectId: 'prj_taxonomy' } }),
    );
    expect(again.json.changed).toBe(false);
    await applied({ taxonomy: { useCases: [] } });
    expect(await exported()).not.toHaveProperty('taxonomy');
    expect(await exported()).not.toHaveProperty('description');
  });
});
