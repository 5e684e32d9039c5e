import { deployedService } from '@session-launch/testing/deployment.ts';
import { apply, expectError, mintFromServer, uniqueId } from '@session-launch/testing/world.ts';
import { expect, test } from 'vitest';
import { openWorld, plainWorld } from '../doors.ts';

const service = deployedService();

test.each([
  ['an id that nobody has', uniqueId('exp')],
  ['a prefix alone', 'exp_'],
  ['an id with letters that no id has', 'exp_café'],
  ['an id with a quote', "exp_' OR '1'='1"],
  ['an id with a path in it', 'exp_../../secret'],
  ['a very long id', `exp_${'a'.repeat(5_000)}`],
])('EXPERIENCE_NOT_FOUND for %s', async (_name, experienceId) => {
  const world = await plainWorld(service);
  const answer = await mintFromServer(service, world.key, { experienceId });
  expectError(answer, 404, 'EXPERIENCE_NOT_FOUND');
  expect(answer.headers['cache-control']).toBe('no-store, private');
});

test.each(['test', 'live'])('EXPERIENCE_NOT_FOUND for an archived experience and a %s key', async (mode) => {
  const world = await openWorld(service, { experience: { status: 'archived' } });
  const key = mode === 'test' ? world.key : world.liveKey;
  const answer = await mintFromServer(service, key, { experienceId: world.experienceId });
  expectError(answer, 404, 'EXPERIENCE_NOT_FOUND');
});

test('an archived experience answers exactly as one that never was', async () => {
  const world = await openWorld(service, { experience: { status: 'archived' } });
  const archived = await mintFromServer(service, world.key, { experienceId: world.experienceId });
  const unknown = await mintFromServer(service, world.key, { experienceId: uniqueId('exp') });
  const { requestId: _one, ...mine } = archived.json.error;
  const { requestId: _two, ...none } = unknown.json.error;
  expect(mine).toEqual(none);
});

test('EXPERIENCE_NOT_PUBLISHED for a draft and a live key', async () => {
  const world = await openWorld(service, { experience: { status: 'draft' } });
  const answer = await mintFromServer(service, world.liveKey, { experienceId: world.experienceId });
  expectError(answer, 404, 'EXPERIENCE_NOT_PUBLISHED');
  expect(answer.headers['cache-control']).toBe('no-store, private');
});

test('EXPERIENCE_NOT_PUBLISHED for a live key as soon as the experience goes back to draft', async () => {
  const world = await openWorld(service);
  const mint = () => mintFromServer(service, world.liveKey, { experienceId: world.experienceId });
  expect((await mint()).status).toBe(201);
  world.file.experiences[0]!.status = 'draft';
  await apply(service, world.file);
  expectError(await mint(), 404, 'EXPERIENCE_NOT_PUBLISHED');
});

test('an experience is launchable as soon as it exists', async () => {
  const world = await openWorld(service);
  const experienceId = uniqueId('exp');
  const mint = () => mintFromServer(service, world.key, { experienceId });
  expectError(await mint(), 404, 'EXPERIENCE_NOT_FOUND');
  const [first] = world.file.experiences;
  await apply(service, {
    project: world.file.project,
    experiences: [{ ...first, id: experienceId, slug: experienceId.replace('_', '-') }],
  });
  expect((await mint()).status).toBe(201);
});
