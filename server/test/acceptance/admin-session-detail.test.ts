import { setTimeout as sleep } from 'node:timers/promises';
import { deployedService } from '@session-launch/testing/deployment.ts';
import { connect, launched, report } from '@session-launch/testing/lifecycle.ts';
import {
  createKey,
  createWorld,
  expectError,
  experience,
  mintFromBrowser,
  mintFromServer,
  runtime,
  type World,
} from '@session-launch/testing/world.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { askAdmin } from '../harness/ask-admin.ts';

const service = deployedService();
type Query = Record<string, string>;

interface Session {
  sessionId: string;
  experienceId: string;
  source: string;
  locale: string;
  livemode: boolean;
  origin?: string;
  createdAt: string;
}

const ask = (projectId: string, query: Query) =>
  service.admin({ path: `/admin/projects/${projectId}/sessions?${new URLSearchParams(query)}` });

async function every(projectId: string, query: Query): Promise<Session[]> {
  const sessions: Session[] = [];
  let cursor: string | undefined;
  do {
    const answer = await ask(projectId, { ...query, ...(cursor === undefined ? {} : { cursor }) });
    expect(answer.status, answer.text).toBe(200);
    sessions.push(...answer.json.sessions);
    cursor = answer.json.nextCursor;
  } while (cursor !== undefined);
  return sessions;
}

describe('filters', () => {
  let world: World;
  let all: Session[];
  let middle: string;

  beforeAll(async () => {
    const languages = { dual: false, default: 'en', conversation: 'match', paired: 'match' };
    world = await createWorld(service, {
      project: { allowedOrigins: ['https://a.example', 'https://b.example'] },
      experiences: [experience(), experience()].map((one) => ({ ...one, runtime: runtime({ languages }) })),
    });
    const mintAll = async () => {
      for (const { id: experienceId } of world.file.experiences) {
        for (const locale of ['en-US', 'de-DE']) {
          for (const key of [world.key, world.liveKey])
            await mintFromServer(service, key, { experienceId, locale, userId: 'ada' });
          for (const Origin of ['https://a.example', 'https://b.example'])
            await mintFromBrowser(service, { experienceId, locale }, { Origin });
        }
      }
    };
    await mintAll();
    // Ids have milliseconds.
    await sleep(2);
    middle = new Date().toISOString();
    await mintAll();
    all = await every(world.projectId, { limit: '500' });
    expect(all).toHaveLength(32);
  });

  const queries: Query[] = [
    { origin: 'https://a.example' },
    { locale: 'de-DE' },
    { locale: 'DE-de' },
    { livemode: 'true' },
    { livemode: 'false' },
    { livemode: 'true', origin: 'https://b.example', locale: 'en-US' },
    { livemode: 'true', source: 'server', userId: 'ada' },
    { source: 'browser', status: 'created' },
    { origin: 'https://nowhere.example' },
    { locale: 'fr' },
  ];

  test.each(queries)('%j selects the sessions that match', async (query) => {
    const matches = (session: Session) =>
      (query.origin === undefined || session.origin === query.origin) &&
      (query.locale === undefined || session.locale.toLowerCase() === query.locale.toLowerCase()) &&
      (query.livemode === undefined || String(session.livemode) === query.livemode) &&
      (query.source === undefined || session.source === query.source);
    const expected = all.filter(matches);
    for (const experienceId of [undefined, world.experienceId]) {
      const wanted = expected.filter(
        (one) => experienceId === undefined || one.experienceId === experienceId,
      );
      for (const limit of ['1', '3', '500']) {
        const filter = { ...query, limit, ...(experienceId === undefined ? {} : { experienceId }) };
        expect(await every(world.projectId, filter)).toEqual(wanted);
      }
    }
  });

  test('from and to divide the sessions by the time of the mint', async () => {
    const late = await every(world.projectId, { from: middle });
    const early = await every(world.projectId, { to: middle });
    expect([...late, ...early]).toEqual(all);
    expect(late).toHaveLength(16);
    const both = await every(world.projectId, { from: middle, to: all[0]!.createdAt, locale: 'de-DE' });
    expect(both.length).toBeGreaterThan(0);
    expect(both.length).toBeLessThan(8);
    expect(await every(world.projectId, { from: '2999-01-01T00:00:00Z' })).toEqual([]);
    expect(await every(world.projectId, { from: '0001-01-01T00:00:00+01:00' })).toEqual(all);
    expect(await every(world.projectId, { to: '0001-01-01T00:00:00Z' })).toEqual([]);
  });

  test.each<Query>([
    { from: 'yesterday' },
    { to: '2026-02-30T00:00:00Z' },
    { livemode: 'yes' },
    { locale: 'not a locale' },
    { origin: '' },
    { origin: 'a\0b' },
  ])('%j is refused', async (query) => {
    expectError(await ask(world.projectId, query), 400, 'INVALID_REQUEST');
  });
});

describe('one session', () => {
  const detail = (sessionId: string) => service.admin({ path: `/admin/sessions/${sessionId}` });
  const end = (sessionId: string) =>
    service.admin({ method: 'POST', path: `/admin/sessions/${sessionId}/end` });

  test('shows its record and its timeline, without a token', async () => {
    const world = await createWorld(service);
    const launch = await launched(service, world);
    const before = await detail(launch.sessionId);
    expect(before.status, before.text).toBe(200);
    expect(before.json.timeline).toEqual([{ at: before.json.session.createdAt, what: 'created' }]);

    await connect(service, launch);
    await report(service, [{ sessionId: launch.sessionId, seconds: 0, ended: 'max_duration' }]);
    const after = await detail(launch.sessionId);
    const { session, timeline } = after.json;
    expect(session).toMatchObject({ status: 'ended', endReason: 'max_duration' });
    expect(timeline).toEqual([
      { at: session.createdAt, what: 'created' },
      { at: session.startedAt, what: 'connected' },
      { at: session.endedAt, what: 'ended', reason: 'max_duration' },
    ]);
    expect(after.text).not.toContain(launch.sessionToken);
  });

  test('is ended once by an operator, whose runtime is told', async () => {
    const world = await createWorld(service);
    const launch = await launched(service, world);
    await connect(service, launch);
    const answers = await Promise.all(Array.from({ length: 5 }, () => end(launch.sessionId)));
    for (const answer of answers) expect(answer.status, answer.text).toBe(200);
    expect(new Set(answers.map(({ json }) => json.session.endedAt)).size).toBe(1);
    expect(answers[0]!.json.session).toMatchObject({ status: 'ended', endReason: 'api_request' });
    const { json } = await report(service, [{ sessionId: launch.sessionId, seconds: 1 }]);
    expect(json.end).toEqual([{ sessionId: launch.sessionId, reason: 'api_request' }]);
    expect((await detail(launch.sessionId)).json.timeline.at(-1)).toMatchObject({
      what: 'ended',
      by: 'bootstrap',
    });
    const { entries } = await askAdmin(service, 'GET /admin/audit', {
      query: { projectId: world.projectId },
    });
    const ends = entries.filter(({ action }: { action: string }) => action === 'session.end');
    expect(ends).toMatchObject([{ target: launch.sessionId, actor: { operatorId: 'bootstrap' } }]);
  });

  test('a session that does not exist is 404', async () => {
    for (const ask of [detail, end]) {
      expectError(await ask('ses_nobody'), 404, 'SESSION_NOT_FOUND');
      expectError(await ask(`ses_${'x'.repeat(65)}`), 404, 'SESSION_NOT_FOUND');
      expectError(await ask('nobody'), 400, 'INVALID_REQUEST');
    }
  });
});

describe('replacing a key', () => {
  const replace = (keyId: string, body: object) =>
    service.admin({ method: 'POST', path: `/admin/keys/${keyId}/replace`, body });
  const mints = async (world: World, key: string) =>
    (await mintFromServer(service, key, { experienceId: world.experienceId })).status;

  test('both keys work during the grace period', async () => {
    const world = await createWorld(service);
    expect(await mints(world, world.key)).toBe(201);
    const before = Date.now();
    const answer = await replace(world.keyId, {});
    expect(answer.status, answer.text).toBe(201);
    const { key, keyId, oldExpiresAt } = answer.json;
    expect(answer.json).toMatchObject({ replaces: world.keyId, mode: 'test', projectId: world.projectId });
    expect(Date.parse(oldExpiresAt)).toBeGreaterThanOrEqual(before + 3_600_000);
    expect([await mints(world, world.key), await mints(world, key)]).toEqual([201, 201]);
    const { keys } = await askAdmin(service, 'GET /admin/projects/{projectId}/keys', {
      params: { projectId: world.projectId },
    });
    const find = (id: string) => keys.find((one) => one.keyId === id);
    expect(find(world.keyId)?.expiresAt).toBe(oldExpiresAt);
    expect(find(keyId)?.scopes).toEqual(find(world.keyId)?.scopes);
    expect(find(keyId)).toBeDefined();
    expect(find(keyId)).not.toHaveProperty('expiresAt');
  });

  test('again, after a lost response, makes another key without an expiry', async () => {
    const world = await createWorld(service);
    const first = (await replace(world.keyId, {})).json;
    const second = (await replace(world.keyId, { graceSeconds: 604_800 })).json;
    expect(second).toMatchObject({ replaces: world.keyId, oldExpiresAt: first.oldExpiresAt });
    for (const { key, expiresAt } of [first, second])
      expect([await mints(world, key), expiresAt]).toEqual([201, undefined]);
  });

  test('without a grace period the old key is refused at once', async () => {
    const world = await createWorld(service);
    expect(await mints(world, world.key)).toBe(201);
    const { key } = (await replace(world.keyId, { graceSeconds: 0 })).json;
    expect([await mints(world, world.key), await mints(world, key)]).toEqual([401, 201]);
    expectError(await replace(world.keyId, {}), 400, 'INVALID_REQUEST');
  });

  test('a key that expires earlier keeps its expiry, and a revoked one cannot be replaced', async () => {
    const world = await createWorld(service);
    const expiresAt = new Date(Date.now() + 60_000).toISOString();
    const { keyId } = await createKey(service, world.projectId, { expiresAt, name: 'backend' });
    const { json } = await replace(keyId, { graceSeconds: 604_800 });
    expect(json).toMatchObject({ oldExpiresAt: expiresAt, name: 'backend' });
    expect(json).not.toHaveProperty('expiresAt');
    await service.admin({ method: 'POST', path: `/admin/keys/${json.keyId}/revoke` });
    expectError(await replace(json.keyId, {}), 400, 'INVALID_REQUEST');
    expectError(await replace('key_nobody', {}), 404, 'KEY_NOT_FOUND');
    for (const graceSeconds of [-1, 604_801, 1.5, '60'])
      expectError(await replace(world.keyId, { graceSeconds }), 400, 'INVALID_REQUEST');
  });

  test('a key is renamed, and the same name changes nothing', async () => {
    const world = await createWorld(service);
    const rename = (keyId: string, body: object) =>
      service.admin({ method: 'PATCH', path: `/admin/keys/${keyId}`, body });
    for (let n = 0; n < 2; n++) {
      const answer = await rename(world.keyId, { name: 'shop' });
      expect(answer.status, answer.text).toBe(200);
      expect(answer.json).toMatchObject({ keyId: world.keyId, name: 'shop' });
      expect(answer.json).not.toHaveProperty('key');
    }
    const query = `projectId=${world.projectId}&action=key.update`;
    const { entries } = (await service.admin({ path: `/admin/audit?${query}` })).json;
    expect(entries).toMatchObject([{ target: world.keyId, changes: [{ path: 'name', after: 'shop' }] }]);
    expectError(await rename('key_nobody', { name: 'shop' }), 404, 'KEY_NOT_FOUND');
    expectError(await rename(world.keyId, { name: '' }), 400, 'INVALID_REQUEST');
  });
});

describe('the system', () => {
  test('the doctor reports the checks of the command line', async () => {
    const { status, json, text } = await service.admin({ path: '/admin/doctor' });
    expect(status, text).toBe(200);
    const checks = json.findings.map(({ check }: { check: string }) => check);
    expect(checks).toEqual(
      expect.arrayContaining(['configuration', 'data folder', 'database', 'signing keys', 'clock']),
    );
    expect(json.ok).toBe(json.findings.every((one: { status: string }) => one.status !== 'fail'));
  });

  test('lists the signing keys of the key set, without their private part', async () => {
    const { json, text } = await service.admin({ path: '/admin/signing-keys' });
    const published = (await service.call({ path: '/.well-known/jwks.json' })).json.keys;
    expect(json.keys.map(({ kid }: { kid: string }) => kid)).toEqual(
      published.map(({ kid }: { kid: string }) => kid),
    );
    expect(json.keys[0].signs).toBe(true);
    expect(Date.parse(json.keys[0].since)).toBeLessThanOrEqual(Date.now());
    expect(text).not.toContain('"d"');
  });
});
