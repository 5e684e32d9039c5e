import { deployedService } from '@session-launch/testing/deployment.ts';
import { apply, expectError, mintFromPublic, uniqueId } from '@session-launch/testing/world.ts';
import { expect, test } from 'vitest';
import { openWorld } from '../doors.ts';

const service = deployedService();

test.each([
  ['an id that nobody has', uniqueId('exp')],
  ['a prefix alone', 'exp_'],
  ['a very long id', `exp_${'a'.repeat(5_000)}`],
])('EXPERIENCE_NOT_FOUND for %s', async (_name, experienceId) => {
  const answer = await mintFromPublic(service, { experienceId });
  expectError(answer, 404, 'EXPERIENCE_NOT_FOUND');
  expect(answer.headers['cache-control']).toBe('no-store, private');
});

test.each([
  ['an archived experience', { status: 'archived' }],
  ['an experience that is not public', { public: false }],
  ['a draft that is not public', { public: false, status: 'draft' }],
])('EXPERIENCE_NOT_FOUND for %s', async (_name, overrides) => {
  const world = await openWorld(service, { experience: overrides });
  const answer = await mintFromPublic(service, { experienceId: world.experienceId });
  expectError(answer, 404, 'EXPERIENCE_NOT_FOUND');
});

test('an experience that is not public answers exactly as one that never was', async () => {
  const world = await openWorld(service, { experience: { public: false } });
  const hidden = await mintFromPublic(service, { experienceId: world.experienceId });
  const unknown = await mintFromPublic(service, { experienceId: uniqueId('exp') });
  const { requestId: _one, ...mine } = hidden.json.error;
  const { requestId: _two, ...none } = unknown.json.error;
  expect(mine).toEqual(none);
  const names = (headers: object) => Object.keys(headers).sort();
  expect(names(hidden.headers)).toEqual(names(unknown.headers));
});

test('EXPERIENCE_NOT_PUBLISHED for a public draft', async () => {
  const world = await openWorld(service, { experience: { status: 'draft' } });
  const answer = await mintFromPublic(service, { experienceId: world.experienceId });
  expectError(answer, 404, 'EXPERIENCE_NOT_PUBLISHED');
  expect(answer.headers['cache-control']).toBe('no-store, private');
});

test('becoming public and ceasing to be takes effect at once', async () => {
  const world = await openWorld(service, { experience: { public: false } });
  const become = async (isPublic: boolean) => {
    world.file.experiences[0]!.public = isPublic;
    await apply(service, world.file);
    return mintFromPublic(service, { experienceId: world.experienceId });
  };
  expect((await become(true)).status).toBe(200);
  expectError(await become(false), 404, 'EXPERIENCE_NOT_FOUND');
});
