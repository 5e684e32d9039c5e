import { deployedService } from '@session-launch/testing/deployment.ts';
import { apply, expectError, mintFromBrowser, pageOrigin, uniqueId } from '@session-launch/testing/world.ts';
import { expect, test } from 'vitest';
import { openWorld } from '../doors.ts';

const service = deployedService();

test.each([
  ['an id that nobody has', uniqueId('exp')],
  ['a prefix alone', 'exp_'],
  ['a very long id', `exp_${'a'.repeat(5_000)}`],
])('EXPERIENCE_NOT_FOUND for %s', async (_name, experienceId) => {
  const answer = await mintFromBrowser(service, { experienceId });
  expectError(answer, 404, 'EXPERIENCE_NOT_FOUND');
  expect(answer.headers['cache-control']).toBe('no-store, private');
  expect(answer.headers['access-control-allow-origin']).toBe(pageOrigin);
});

test('EXPERIENCE_NOT_FOUND for an archived experience', async () => {
  const world = await openWorld(service, { experience: { status: 'archived' } });
  const answer = await mintFromBrowser(service, { experienceId: world.experienceId });
  expectError(answer, 404, 'EXPERIENCE_NOT_FOUND');
});

test('EXPERIENCE_NOT_PUBLISHED for a draft', async () => {
  const world = await openWorld(service, { experience: { status: 'draft' } });
  const answer = await mintFromBrowser(service, { experienceId: world.experienceId });
  expectError(answer, 404, 'EXPERIENCE_NOT_PUBLISHED');
  expect(answer.headers['access-control-allow-origin']).toBe(pageOrigin);
  expect(answer.headers['cache-control']).toBe('no-store, private');
});

test('publishing, taking back and archiving take effect at once', async () => {
  const world = await openWorld(service, { experience: { status: 'draft' } });
  const become = async (status: string) => {
    world.file.experiences[0]!.status = status;
    await apply(service, world.file);
    return mintFromBrowser(service, { experienceId: world.experienceId });
  };
  expect((await become('published')).status).toBe(201);
  expectError(await become('draft'), 404, 'EXPERIENCE_NOT_PUBLISHED');
  expect((await become('published')).status).toBe(201);
  expectError(await become('archived'), 404, 'EXPERIENCE_NOT_FOUND');
});
