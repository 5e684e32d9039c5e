import {
  apply,
  createWorld,
  expectError,
  experience,
  mintFromBrowser,
  mintFromPublic,
  mintFromServer,
  pageOrigin,
  runtime,
  type World,
} from '@session-launch/testing/world.ts';
import { describe, expect, onTestFinished, test } from 'vitest';
import { askAdmin } from '../harness/ask-admin.ts';
import { publish, saveDraft } from '../harness/drafts.ts';
import { type Service, startService, useService } from '../harness/service.ts';

const service = useService();

const gallery = {
  avatarId: 'ada',
  thumbnailPath: '/avatars/ada/thumb.svg',
  galleryThumb: { avatarImage: '/avatars/ada/full.svg', backgroundImage: '/locations/lab/wide.svg' },
};
const changed = { title: 'Not live', slug: 'not-live', runtime: runtime({ mode: 'presenter' }) };

/** Another process on the same database, which has cached nothing. */
async function freshProcess(): Promise<Service> {
  const fresh = await startService({}, service);
  onTestFinished(() => fresh.close());
  return fresh;
}

const bearer = (key: string) => ({ Authorization: `Bearer ${key}` });

/** Every public answer about the experience, as text. */
async function publicAnswers(from: Service, { projectId, experienceId, key, liveKey, file }: World) {
  const read = async (path: string) => {
    const { status, text, headers } = await from.call({
      path: `/v1/projects/${projectId}/${path}`,
      headers: bearer(key),
    });
    return { path, status, text: status === 200 ? text : '', etag: headers.etag };
  };
  const body = { experienceId };
  const launches = [
    await mintFromServer(from, key, body),
    await mintFromServer(from, liveKey, body),
    await mintFromBrowser(from, body),
    await mintFromPublic(from, body),
  ].map(({ status, text }) => ({ status, text: withoutIds(text) }));
  const paths = [
    'experiences',
    `experiences/${file.experiences[0]?.slug}`,
    'experiences/not-live',
    'gallery',
  ];
  return { launches, reads: await Promise.all(paths.map(read)) };
}

/** Replaces what differs between two launches of the same revision: ids, tokens, times and the port of the process. */
function withoutIds(text: string): string {
  return text
    .replace(/ses_\w+/g, 'ses')
    .replace(/127\.0\.0\.1:\d+/g, 'host')
    .replace(/[\w-]+\.[\w-]+\.[\w-]{40,}/g, 'token')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'time');
}

describe('a draft above the published revision', () => {
  test('leaves every public answer as it was, byte for byte', async () => {
    const world = await createWorld(service, {
      experience: { ...gallery, public: true, allowedOrigins: [pageOrigin], description: 'Live.' },
    });
    const before = await publicAnswers(service, world);
    expect(before.launches.map(({ status }) => status)).toEqual([201, 201, 201, 200]);
    expect(before.reads.map(({ status }) => status)).toEqual([200, 200, 404, 200]);
    const draft = await saveDraft(service.database, world.experienceId, changed);
    expect(await publicAnswers(await freshProcess(), world)).toEqual(before);

    await publish(service.database, world.experienceId, draft);
    const after = await publicAnswers(await freshProcess(), world);
    expect(after.reads.map(({ status }) => status)).toEqual([200, 404, 200, 200]);
    for (const { text } of after.launches) expect(text).toContain('"presenter"');
  });

  test('is not exported; without a published revision the newest one is', async () => {
    const world = await createWorld(service, {
      experiences: [experience(), experience({ status: 'draft' })],
    });
    const [first, second] = world.file.experiences;
    await saveDraft(service.database, first?.id, { title: 'Not live' });
    await saveDraft(service.database, second?.id, { title: 'Newest' });
    const exported = await service.admin({ path: `/admin/projects/${world.projectId}` });
    const titles = exported.json.experiences.map(({ title }: { title: string }) => title);
    expect(titles.toSorted()).toEqual([first?.title, 'Newest'].toSorted());
    expect((await apply(service, exported.json)).json).toMatchObject({
      changed: false,
      pendingDrafts: [{ experienceId: first?.id, revision: 2 }],
    });
  });
});

test('a test key launches the newest draft where nothing is published', async () => {
  const world = await createWorld(service, { experience: { status: 'draft' } });
  const number = await saveDraft(service.database, world.experienceId, { title: 'Newest' });
  const { json } = await mintFromServer(await freshProcess(), world.key, {
    experienceId: world.experienceId,
  });
  expect(json.session.revision).toBe(number);
});

test('a deleted project is hidden: its keys are refused, and its experiences do not exist', async () => {
  const world = await createWorld(service, {
    experience: { public: true, allowedOrigins: [pageOrigin] },
  });
  const text = 'UPDATE projects SET deleted_at = now() WHERE id = $1';
  await service.database.query('admin', { text }, [world.projectId]);
  const fresh = await freshProcess();
  const body = { experienceId: world.experienceId };
  expectError(await mintFromServer(fresh, world.key, body), 401, 'API_KEY_INVALID');
  expectError(await mintFromBrowser(fresh, body), 404, 'EXPERIENCE_NOT_FOUND');
  expectError(await mintFromPublic(fresh, body), 404, 'EXPERIENCE_NOT_FOUND');
  const path = `/v1/projects/${world.projectId}`;
  for (const list of ['experiences', 'gallery'])
    expectError(
      await fresh.call({ path: `${path}/${list}`, headers: bearer(world.key) }),
      401,
      'API_KEY_INVALID',
    );
  for (const what of ['', '/keys', '/sessions'])
    expectError(
      await fresh.admin({ path: `/admin/projects/${world.projectId}${what}` }),
      404,
      'PROJECT_NOT_FOUND',
    );
  const { projects } = await askAdmin(fresh, 'GET /admin/projects');
  expect(projects.map(({ projectId }) => projectId)).not.toContain(world.projectId);
  const applied = await apply(fresh, world.file);
  expectError(applied, 400, 'PROJECT_FILE_INVALID');
  expect(applied.json.error.details).toMatchObject([{ path: 'project.id' }]);
});
