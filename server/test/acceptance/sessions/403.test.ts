import { deployedService } from '@session-launch/testing/deployment.ts';
import { createKey, expectError, mintFromServer } from '@session-launch/testing/world.ts';
import { expect, test } from 'vitest';
import { openWorld } from '../doors.ts';

const service = deployedService();

test.each([[['sessions:read']], [['catalog:read']], [['sessions:read', 'catalog:read']]])(
  'a key with the scopes %j cannot mint',
  async (scopes) => {
    const world = await openWorld(service);
    const { key } = await createKey(service, world.projectId, { scopes });
    const answer = await mintFromServer(service, key, { experienceId: world.experienceId });
    expectError(answer, 403, 'INSUFFICIENT_SCOPE');
    expect(answer.json.error.details).toMatchObject({ required: 'sessions:create' });
    expect(answer.headers['cache-control']).toBe('no-store, private');
  },
);

test('a key cannot access an experience of another project', async () => {
  const [mine, theirs] = [await openWorld(service), await openWorld(service)];
  const answer = await mintFromServer(service, mine.key, { experienceId: theirs.experienceId });
  expectError(answer, 403, 'EXPERIENCE_FORBIDDEN');
  expect(answer.text).not.toContain(theirs.projectId);
  expect(answer.headers['cache-control']).toBe('no-store, private');
});

test.each(['test', 'live'])('nor can a %s key access one that is not published there', async (mode) => {
  const [mine, theirs] = [
    await openWorld(service),
    await openWorld(service, { experience: { status: 'draft' } }),
  ];
  const key = mode === 'test' ? mine.key : mine.liveKey;
  const answer = await mintFromServer(service, key, { experienceId: theirs.experienceId });
  expectError(answer, 403, 'EXPERIENCE_FORBIDDEN');
});

test('a refused mint leaves no session behind', async () => {
  const [mine, theirs] = [await openWorld(service), await openWorld(service)];
  await mintFromServer(service, mine.key, { experienceId: theirs.experienceId });
  for (const { projectId } of [mine, theirs]) {
    const listed = await service.admin({ path: `/admin/projects/${projectId}/sessions` });
    expect(listed.json.sessions).toEqual([]);
  }
});
