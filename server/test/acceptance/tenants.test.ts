import { deployedService } from '@session-launch/testing/deployment.ts';
import type { Answer } from '@session-launch/testing/http.ts';
import {
  apply,
  createKey,
  expectError,
  experience,
  mintFromBrowser,
  mintFromServer,
  pageOrigin,
  type World,
} from '@session-launch/testing/world.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { endpoints, launch, openWorld } from './mint-endpoints.ts';

const service = deployedService();

/** Two projects that share only the slugs of their experiences. */
let mine: World;
let theirs: World;
/** Sessions of the other project, one from each mint endpoint. */
let theirSessions: string[];
beforeAll(async () => {
  [mine, theirs] = (await Promise.all([openTenant(), openTenant()])) as [World, World];
  theirSessions = [];
  for (const endpoint of endpoints)
    theirSessions.push((await launch(service, endpoint, theirs)).manifest.sessionId);
});

function openTenant(): Promise<World> {
  return openWorld(service, {
    experiences: [
      experience({ slug: 'open', public: true, allowedOrigins: [pageOrigin] }),
      experience({ slug: 'draft', status: 'draft' }),
      experience({ slug: 'gone', status: 'archived' }),
    ],
  });
}

const myKeys = () => [
  ['test', mine.key],
  ['live', mine.liveKey],
];
const bearer = (key: string) => ({ Authorization: `Bearer ${key}` });
const get = (key: string, path: string, headers: Record<string, string> = {}) =>
  service.call({ path, headers: { ...bearer(key), ...headers } });
const end = (key: string, id: string) =>
  service.call({ method: 'POST', path: `/v1/sessions/${id}/end`, headers: bearer(key) });

/** A response without the fields that differ per request, to check that two cases are indistinguishable. */
function shape({ status, text, headers }: Answer): object {
  const { 'x-request-id': id, date: _date, ...others } = headers;
  return { status, text: text.replaceAll(String(id), 'ID'), headers: others };
}

describe('with a key of another project', () => {
  test('reading or ending a session gets the same response as for an unknown one', async () => {
    for (const [mode, key] of myKeys()) {
      for (const act of [(id: string) => get(key!, `/v1/sessions/${id}`), (id: string) => end(key!, id)]) {
        const unknown = await act('ses_00000000000000000000000000');
        expectError(unknown, 404, 'SESSION_NOT_FOUND');
        for (const id of theirSessions) expect(shape(await act(id)), mode).toEqual(shape(unknown));
      }
    }
    for (const id of theirSessions) {
      const { json } = await get(theirs.key, `/v1/sessions/${id}`);
      expect(json).toMatchObject({ projectId: theirs.projectId, status: 'created' });
    }
  });

  test('no experience can be launched, and the error does not reveal its status', async () => {
    for (const [mode, key] of myKeys()) {
      const answers = [];
      for (const { id } of theirs.file.experiences) {
        const answer = await mintFromServer(service, key!, { experienceId: id });
        expectError(answer, 403, 'EXPERIENCE_FORBIDDEN');
        expect(answer.text, mode).not.toContain(theirs.projectId);
        answers.push(JSON.stringify(shape(answer)));
      }
      expect(new Set(answers).size).toBe(1);
    }
  });

  test('a catalog request gets the same response as for an unknown project', async () => {
    for (const [mode, key] of myKeys()) {
      const unknown = await get(key!, '/v1/projects/prj_nobody/experiences');
      expectError(unknown, 403, 'PROJECT_FORBIDDEN');
      const own = await get(theirs.key, `/v1/projects/${theirs.projectId}/experiences`);
      const tag = { 'If-None-Match': String(own.headers.etag) };
      for (const path of ['', '/open', '/draft', '/gone', '/nobody']) {
        const answer = await get(key!, `/v1/projects/${theirs.projectId}/experiences${path}`, tag);
        expect(shape(answer), mode).toEqual(shape(unknown));
      }
    }
  });

  test('the same slug returns the caller’s own experience', async () => {
    const entry = await get(mine.key, `/v1/projects/${mine.projectId}/experiences/open`);
    expect(entry.json.experienceId).toBe(mine.file.experiences[0]?.id);
    const list = await get(mine.key, `/v1/projects/${mine.projectId}/experiences`);
    expect(list.json.experiences.map(({ experienceId }: { experienceId: string }) => experienceId)).toEqual([
      mine.file.experiences[0]?.id,
    ]);
  });

  test('a project file cannot take over an experience', async () => {
    const [theirExperience] = theirs.file.experiences;
    const stolen = { ...mine.file, experiences: [{ ...theirExperience, title: 'Taken over' }] };
    expectError(await apply(service, stolen), 400, 'PROJECT_FILE_INVALID');
    const entry = await get(theirs.key, `/v1/projects/${theirs.projectId}/experiences/open`);
    expect(entry.json.title).toBe(theirExperience?.title);
  });
});

describe('an idempotency key', () => {
  const under = (key: string) => ({ 'Idempotency-Key': key });
  const id = ({ json }: Answer) => json.session.sessionId;

  test('is separate in each project, on both endpoints', async () => {
    const fromServer = (world: World) =>
      mintFromServer(service, world.key, { experienceId: world.experienceId }, under('a shared word'));
    const fromPage = (world: World) =>
      mintFromBrowser(service, { experienceId: world.experienceId }, under('a shared word'));
    for (const mint of [fromServer, fromPage]) {
      const answers = [await mint(theirs), await mint(mine), await mint(theirs), await mint(mine)];
      expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
      expect(answers.map(({ headers }) => headers['idempotent-replayed'])).toEqual([
        undefined,
        undefined,
        'true',
        'true',
      ]);
      expect(id(answers[2]!)).toBe(id(answers[0]!));
      expect(id(answers[3]!)).toBe(id(answers[1]!));
      expect(id(answers[0]!)).not.toBe(id(answers[1]!));
      expect(answers[1]!.json.session.projectId).toBe(mine.projectId);
    }
  });

  test('does not return another project’s launch, even with that project’s experience in the body', async () => {
    const launched = await mintFromServer(
      service,
      theirs.key,
      { experienceId: theirs.experienceId },
      under('theirs'),
    );
    expect(launched.status).toBe(201);
    for (const [, key] of myKeys()) {
      const answer = await mintFromServer(
        service,
        key!,
        { experienceId: theirs.experienceId },
        under('theirs'),
      );
      expectError(answer, 403, 'EXPERIENCE_FORBIDDEN');
      expect(answer.text).not.toContain(id(launched));
    }
  });

  test('is separate for test and live keys', async () => {
    const body = { experienceId: mine.experienceId };
    const tried = await mintFromServer(service, mine.key, body, under('both modes'));
    const live = await mintFromServer(service, mine.liveKey, body, under('both modes'));
    expect([tried.json.session.livemode, live.json.session.livemode]).toEqual([false, true]);
    expect(id(tried)).not.toBe(id(live));
    expect(live.headers['idempotent-replayed']).toBeUndefined();
  });

  test('is separate for the server and the browser endpoint', async () => {
    const body = { experienceId: mine.experienceId };
    const server = await mintFromServer(service, mine.liveKey, body, under('two endpoints'));
    const page = await mintFromBrowser(service, body, under('two endpoints'));
    expect([server.status, page.status]).toEqual([201, 201]);
    expect(id(server)).not.toBe(id(page));
  });
});

test('a live key launches no draft of its own project, and a test session is never live', async () => {
  const draft = mine.file.experiences[1]?.id;
  expectError(
    await mintFromServer(service, mine.liveKey, { experienceId: draft }),
    404,
    'EXPERIENCE_NOT_PUBLISHED',
  );
  const tried = await mintFromServer(service, mine.key, { experienceId: draft });
  expect(tried.json.session).toMatchObject({ livemode: false, projectId: mine.projectId });
  expect(tried.json.launch.livemode).toBe(false);
});

test('a revoked key of the same project is refused like an unknown key', async () => {
  const { key, keyId } = await createKey(service, mine.projectId);
  const own = await mintFromServer(service, key, { experienceId: mine.experienceId });
  await service.admin({ method: 'POST', path: `/admin/keys/${keyId}/revoke` });
  const sessionId = own.json.session.sessionId;
  for (const answer of [
    await get(key, `/v1/sessions/${sessionId}`),
    await end(key, sessionId),
    await mintFromServer(service, key, { experienceId: mine.experienceId }),
    await get(key, `/v1/projects/${mine.projectId}/experiences`),
  ]) {
    expectError(answer, 401, 'API_KEY_INVALID');
  }
});

test('an operator’s list contains no sessions of another project, with any cursor', async () => {
  for (const query of ['', `?cursor=${theirSessions[0]}`, `?experienceId=${theirs.experienceId}`]) {
    const { json } = await service.admin({ path: `/admin/projects/${mine.projectId}/sessions${query}` });
    for (const session of json.sessions) expect(session.projectId).toBe(mine.projectId);
  }
  const keys = await service.admin({ path: `/admin/projects/${mine.projectId}/keys` });
  for (const key of keys.json.keys) expect(key.projectId).toBe(mine.projectId);
});
