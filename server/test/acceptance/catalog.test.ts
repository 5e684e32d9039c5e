import { scopes } from '@session-launch/contract/operation';
import { deployedService } from '@session-launch/testing/deployment.ts';
import type { Answer } from '@session-launch/testing/http.ts';
import {
  apply,
  createKey,
  createWorld,
  expectError,
  experience,
  uniqueId,
  type World,
} from '@session-launch/testing/world.ts';
import { beforeAll, describe, expect, test } from 'vitest';

const service = deployedService();

const gallery = {
  avatarId: 'ada',
  thumbnailPath: '/avatars/ada/thumb.svg',
  galleryThumb: { avatarImage: '/avatars/ada/full.svg', backgroundImage: '/locations/lab/wide.svg' },
};

function list(
  world: Pick<World, 'projectId' | 'key'>,
  headers: Record<string, string | string[]> = {},
): Promise<Answer> {
  return service.call({
    path: `/v1/projects/${world.projectId}/experiences`,
    headers: { Authorization: `Bearer ${world.key}`, ...headers },
  });
}

function entry(world: Pick<World, 'projectId' | 'key'>, slug: string, headers = {}): Promise<Answer> {
  return service.call({
    path: `/v1/projects/${world.projectId}/experiences/${slug}`,
    headers: { Authorization: `Bearer ${world.key}`, ...headers },
  });
}

describe('what the catalog shows', () => {
  test('an entry has every field, and the list has the entries', async () => {
    const world = await createWorld(service, {
      experiences: [
        experience({ id: uniqueId('exp'), slug: 'whole', title: 'Whole ☕', sortOrder: 7, ...gallery }),
      ],
    });
    const answer = await entry(world, 'whole');
    expect(answer.status, answer.text).toBe(200);
    expect(answer.json).toEqual({
      experienceId: world.experienceId,
      slug: 'whole',
      title: 'Whole ☕',
      sortOrder: 7,
      updatedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      catalogReady: true,
      ...gallery,
      discoveryTags: [],
    });
    const all = await list(world);
    expect(all.status).toBe(200);
    expect(all.json).toEqual({ experiences: [answer.json] });
    for (const { headers } of [answer, all]) {
      expect(headers['content-type']).toBe('application/json; charset=utf-8');
      expect(headers['cache-control']).toBe('private, no-cache');
      expect(headers.vary).toBe('Authorization');
      expect(headers).not.toHaveProperty('access-control-allow-origin');
    }
  });

  test('missing gallery fields are null and make the entry not ready', async () => {
    const { avatarId, thumbnailPath, galleryThumb } = gallery;
    const parts = {
      none: {},
      id: { avatarId },
      thumb: { thumbnailPath },
      layers: { galleryThumb },
      most: { avatarId, thumbnailPath },
    };
    const world = await createWorld(service, {
      experiences: Object.entries(parts).map(([slug, some]) => experience({ slug, ...some })),
    });
    for (const [slug, some] of Object.entries(parts)) {
      expect((await entry(world, slug)).json).toMatchObject({
        catalogReady: false,
        avatarId: null,
        thumbnailPath: null,
        galleryThumb: null,
        ...some,
      });
    }
  });

  test('sorted by sortOrder, then by experienceId, bytewise', async () => {
    const suffix = uniqueId('').slice(1);
    const orders = { b: 2, a: 10, c: -1, B: 2, Z: 2, _: 2, a2: 2 };
    const world = await createWorld(service, {
      experiences: Object.entries(orders).map(([name, sortOrder], i) =>
        experience({ id: `exp_${name}_${suffix}`, slug: `nr-${i}`, sortOrder }),
      ),
    });
    const ids = (await list(world)).json.experiences.map((e: { experienceId: string }) => e.experienceId);
    expect(ids).toEqual(['c', 'B', 'Z', '_', 'a2', 'b', 'a'].map((name) => `exp_${name}_${suffix}`));
  });

  test('drafts and archived experiences are hidden, and follow a change of status at once', async () => {
    const [draft, published, archived] = ['draft', 'published', 'archived'].map((status) =>
      experience({ slug: `is-${status}`, status }),
    );
    const world = await createWorld(service, { experiences: [published!, draft!, archived!] });
    const slugs = async () => (await list(world)).json.experiences.map((e: { slug: string }) => e.slug);
    expect(await slugs()).toEqual(['is-published']);
    for (const slug of [
      'is-draft',
      'is-archived',
      'unknown',
      'IS-PUBLISHED',
      world.experienceId,
      '%00',
      'a%2Fb',
    ]) {
      expectError(await entry(world, slug), 404, 'EXPERIENCE_NOT_FOUND');
    }
    await apply(service, { project: world.file.project, experiences: [{ ...draft, status: 'published' }] });
    await apply(service, {
      project: world.file.project,
      experiences: [{ ...published, status: 'archived' }],
    });
    expect(await slugs()).toEqual(['is-draft']);
    expectError(await entry(world, 'is-published'), 404, 'EXPERIENCE_NOT_FOUND');
  });

  test('two projects can use the same slug independently', async () => {
    const one = await createWorld(service, { experience: { slug: 'shared', title: 'One' } });
    const two = await createWorld(service, { experience: { slug: 'shared', title: 'Two' } });
    expect((await entry(one, 'shared')).json).toMatchObject({ title: 'One', experienceId: one.experienceId });
    expect((await entry(two, 'shared')).json).toMatchObject({ title: 'Two', experienceId: two.experienceId });
    expect((await list(two)).json.experiences).toHaveLength(1);
  });

  test('a project without published experiences has an empty catalog', async () => {
    const world = await createWorld(service, { experience: { status: 'draft' } });
    expect((await list(world)).json).toEqual({ experiences: [] });
  });
});

describe('access', () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld(service, { experience: { slug: 'mine' } });
  });

  test.each(scopes)('is granted to a key with %s alone', async (scope) => {
    const { key } = await createKey(service, world.projectId, { scopes: [scope] });
    expect((await list({ ...world, key })).status).toBe(200);
    expect((await entry({ ...world, key }, 'mine')).status).toBe(200);
  });

  test('is granted to a live key', async () => {
    expect((await list({ ...world, key: world.liveKey })).status).toBe(200);
  });

  test('is refused without a key', async () => {
    const path = `/v1/projects/${world.projectId}/experiences`;
    for (const address of [path, `${path}/mine`]) {
      const answer = await service.call({ path: address });
      expectError(answer, 401, 'API_KEY_INVALID');
      expect(answer.headers['www-authenticate']).toBe('Bearer');
    }
  });

  test('is refused to a key of another project, whether or not the project exists', async () => {
    const other = await createWorld(service, { experience: { slug: 'theirs' } });
    const projects = [other.projectId, 'prj_nobody', 'nonsense', '%00', 'p'.repeat(4000)];
    const texts = new Set<string>();
    for (const projectId of projects) {
      for (const answer of [
        await list({ ...world, projectId }),
        await entry({ ...world, projectId }, 'theirs'),
      ]) {
        expectError(answer, 403, 'PROJECT_FORBIDDEN');
        texts.add(answer.text.replace(/req_\w+/, ''));
      }
    }
    expect(texts.size).toBe(1);
  });

  test('is limited to GET and HEAD', async () => {
    const path = `/v1/projects/${world.projectId}/experiences`;
    for (const address of [path, `${path}/mine`]) {
      const answer = await service.call({ method: 'POST', path: address, body: {} });
      expectError(answer, 405, 'METHOD_NOT_ALLOWED');
      expect(answer.headers.allow).toBe('GET, HEAD');
    }
  });
});

describe('conditional requests', () => {
  test('If-None-Match with the tag, weak, in a list or as *, gets 304 without a body', async () => {
    const world = await createWorld(service, { experience: { slug: 'tagged' } });
    for (const ask of [
      (headers = {}) => list(world, headers),
      (headers = {}) => entry(world, 'tagged', headers),
    ]) {
      const etag = (await ask()).headers.etag as string;
      expect(etag).toMatch(/^"[\w-]+"$/);
      for (const value of [etag, `W/${etag}`, `"other", ${etag}`, `W/"x" ,W/${etag},"y"`, '*', ' * ']) {
        const answer = await ask({ 'If-None-Match': value });
        expect(answer, value).toMatchObject({ status: 304, text: '' });
        expect(answer.headers.etag).toBe(etag);
        expect(answer.headers['cache-control']).toBe('private, no-cache');
      }
      for (const value of ['"other"', etag.replaceAll('"', ''), '""', 'W/""', '']) {
        expect((await ask({ 'If-None-Match': value })).status, value).toBe(200);
      }
    }
  });

  test('two If-None-Match lines are combined into one list', async () => {
    const world = await createWorld(service);
    const etag = (await list(world)).headers.etag as string;
    expect((await list(world, { 'If-None-Match': ['"other"', etag] })).status).toBe(304);
  });

  test('a 304 requires the same access as a 200', async () => {
    const world = await createWorld(service);
    const etag = (await list(world)).headers.etag as string;
    const other = await createWorld(service);
    expect(
      (await list({ projectId: world.projectId, key: other.key }, { 'If-None-Match': etag })).status,
    ).toBe(403);
    expect((await list({ ...world, key: 'sl_test_wrong' }, { 'If-None-Match': '*' })).status).toBe(401);
  });

  test('a changed file changes the tag at once; applying the same file does not', async () => {
    const world = await createWorld(service, { experience: { slug: 'first', title: 'Before' } });
    const tags = async () => [(await list(world)).headers.etag, (await entry(world, 'first')).headers.etag];
    const before = await tags();
    await apply(service, world.file);
    expect(await tags()).toEqual(before);

    world.file.experiences[0]!.title = 'After';
    await apply(service, world.file);
    const answer = await list(world, { 'If-None-Match': before[0] as string });
    expect(answer.status).toBe(200);
    expect(answer.json.experiences[0].title).toBe('After');
    expect((await entry(world, 'first', { 'If-None-Match': before[1] })).status).toBe(200);
  });

  test('HEAD has the tag and no body', async () => {
    const world = await createWorld(service);
    const path = `/v1/projects/${world.projectId}/experiences`;
    const headers = { Authorization: `Bearer ${world.key}` };
    const head = await service.call({ method: 'HEAD', path, headers });
    expect(head).toMatchObject({ status: 200, text: '' });
    expect(head.headers.etag).toBe((await list(world)).headers.etag);
  });
});
