import { deployedService } from '@session-launch/testing/deployment.ts';
import type { Answer } from '@session-launch/testing/http.ts';
import { apply, expectError, pageOrigin, uniqueId, type World } from '@session-launch/testing/world.ts';
import { describe, expect, test } from 'vitest';
import {
  browserEndpoint,
  endpoints,
  mintAt,
  openWorld,
  publicEndpoint,
  sharedWorld,
} from '../mint-endpoints.ts';

const service = deployedService();

/** A response without the fields that differ per request: it must be equal for all experiences that cannot be launched. */
function comparable({ status, headers, json }: Answer): unknown {
  const { requestId: _id, ...error } = json.error;
  return { status, headers: Object.keys(headers).sort(), error };
}

describe.each(endpoints)('$path', (endpoint) => {
  const live = (world: World, experienceId = world.experienceId) =>
    mintAt(service, endpoint, world, { experienceId }, endpoint.liveAdmission(world));
  const plain = (world: World, experienceId = world.experienceId) =>
    mintAt(service, endpoint, world, { experienceId });

  test.each([
    ['an unknown id', uniqueId('exp')],
    ['a prefix alone', 'exp_'],
    ['an id with invalid characters', 'exp_café'],
    ['an id with a quote', "exp_' OR '1'='1"],
    ['an id with a path', 'exp_../../secret'],
    ['a very long id', `exp_${'a'.repeat(5_000)}`],
  ])('EXPERIENCE_NOT_FOUND for %s', async (_name, experienceId) => {
    const answer = await plain(await sharedWorld(service), experienceId);
    expectError(answer, 404, 'EXPERIENCE_NOT_FOUND');
    expect(answer.headers['cache-control']).toBe('no-store, private');
    if (endpoint === browserEndpoint) expect(answer.headers['access-control-allow-origin']).toBe(pageOrigin);
  });

  const hidden: [string, object][] = [
    ['an archived experience', { status: 'archived' }],
    ...(endpoint === publicEndpoint
      ? ([
          ['an experience that is not public', { public: false }],
          ['a draft that is not public', { public: false, status: 'draft' }],
        ] as [string, object][])
      : []),
  ];
  test.each(hidden)('%s gets the same response as an unknown experience', async (_name, overrides) => {
    const world = await sharedWorld(service, { experience: overrides });
    for (const mint of [plain, live]) {
      const [found, unknown] = [await mint(world), await mint(world, uniqueId('exp'))];
      expectError(found, 404, 'EXPERIENCE_NOT_FOUND');
      expect(comparable(found)).toEqual(comparable(unknown));
    }
  });

  test('EXPERIENCE_NOT_PUBLISHED for a draft, in live mode', async () => {
    const answer = await live(await sharedWorld(service, { experience: { status: 'draft' } }));
    expectError(answer, 404, 'EXPERIENCE_NOT_PUBLISHED');
    expect(answer.headers['cache-control']).toBe('no-store, private');
    if (endpoint === browserEndpoint) expect(answer.headers['access-control-allow-origin']).toBe(pageOrigin);
  });

  test('publishing, unpublishing and archiving take effect at once', async () => {
    const world = await openWorld(service, { experience: { status: 'draft' } });
    const become = async (status: string) => {
      world.file.experiences[0]!.status = status;
      await apply(service, world.file);
      return live(world);
    };
    expect((await become('published')).status).toBe(endpoint.launches);
    expectError(await become('draft'), 404, 'EXPERIENCE_NOT_PUBLISHED');
    expect((await become('published')).status).toBe(endpoint.launches);
    expectError(await become('archived'), 404, 'EXPERIENCE_NOT_FOUND');
  });

  test('an experience can be launched as soon as it exists', async () => {
    const world = await openWorld(service);
    const experienceId = uniqueId('exp');
    expectError(await live(world, experienceId), 404, 'EXPERIENCE_NOT_FOUND');
    const [first] = world.file.experiences;
    await apply(service, {
      project: world.file.project,
      experiences: [{ ...first, id: experienceId, slug: experienceId.replace('_', '-') }],
    });
    expect((await live(world, experienceId)).status).toBe(endpoint.launches);
  });
});

test('changing an experience to public or back takes effect at once', async () => {
  const world = await openWorld(service, { experience: { public: false } });
  const become = async (isPublic: boolean) => {
    world.file.experiences[0]!.public = isPublic;
    await apply(service, world.file);
    return mintAt(service, publicEndpoint, world, { experienceId: world.experienceId });
  };
  expect((await become(true)).status).toBe(200);
  expectError(await become(false), 404, 'EXPERIENCE_NOT_FOUND');
});
