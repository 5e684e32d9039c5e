import { deployedService } from '@session-launch/testing/deployment.ts';
import { apply, createKey, mintFromServer, pageOrigin } from '@session-launch/testing/world.ts';
import { describe, expect, test } from 'vitest';
import { acceptedReturnUrls, forExperience, oddButRight, rightCommonFields } from '../bodies.ts';
import { everyField, knockRaw, launch, openWorld, plainWorld, recordOf, serverDoor } from '../doors.ts';

const service = deployedService();

test('answers with a session and a launch, and with nothing else', async () => {
  const world = await openWorld(service);
  const { answer, manifest, session } = await launch(service, serverDoor, world);
  expect(Object.keys(answer.json)).toEqual(['session', 'launch']);
  expect(session!.sessionId).toBe(manifest.sessionId);
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
  expect(answer.headers['cache-control']).toBe('no-store, private');
});

test('a session record has these fields and no more', async () => {
  const world = await openWorld(service);
  const before = Date.now();
  const { session } = await launch(service, serverDoor, world);
  expect(session).toEqual({
    sessionId: expect.stringMatching(/^ses_[a-z0-9]{26}$/),
    projectId: world.projectId,
    experienceId: world.experienceId,
    revision: 1,
    status: 'created',
    livemode: false,
    source: 'server',
    mode: 'conversation',
    speechInputMode: 'auto',
    speechOnly: false,
    locale: 'en',
    createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    usage: { seconds: 0 },
  });
  const createdAt = Date.parse(session!.createdAt);
  expect(createdAt).toBeGreaterThanOrEqual(before);
  expect(createdAt).toBeLessThanOrEqual(Date.now());
});

test('what applies to a session is in its record, what does not is absent', async () => {
  const world = await openWorld(service, {
    experience: {
      runtime: {
        languages: { dual: true, default: 'en', conversation: 'match', paired: 'match' },
        characters: [{ characterId: 'ada', name: 'Ada' }],
        transport: { type: 'websocket', url: 'wss://runtime.example.com/session' },
      },
    },
  });
  const { session } = await launch(service, serverDoor, world, {
    secondaryLocale: 'PT-pt',
    userId: 'user-7',
    processorId: 'processor-3',
  });
  expect(session).toMatchObject({ userId: 'user-7', processorId: 'processor-3', secondaryLocale: 'pt-PT' });
  expect(session).not.toHaveProperty('origin');
  expect(session).not.toHaveProperty('endedAt');
  for (const { path, value } of everyField(session)) expect(value, path).not.toBeNull();
});

test('the session in a launch is what reading it returns', async () => {
  const world = await openWorld(service);
  const launched = await launch(service, serverDoor, world, {
    userId: 'user-7',
    processorId: 'processor-3',
    mode: 'presenter',
    speechInputMode: 'manual',
    speechOnly: true,
    locale: 'fr-CA',
  });
  expect(await recordOf(service, world, launched)).toEqual(launched.session);
});

test('every mint is a session of its own', async () => {
  const world = await openWorld(service);
  const [one, two] = [await launch(service, serverDoor, world), await launch(service, serverDoor, world)];
  expect(one.manifest.sessionId).not.toBe(two.manifest.sessionId);
  expect(one.manifest.sessionToken).not.toBe(two.manifest.sessionToken);
});

test('only the launch holds the credential', async () => {
  const world = await openWorld(service);
  const { session, manifest } = await launch(service, serverDoor, world, { userId: 'user-7' });
  expect(manifest.sessionToken).toMatch(/^eyJ/);
  expect(JSON.stringify(session)).not.toContain(manifest.sessionToken);
  expect(JSON.stringify(session)).not.toMatch(/token|eyJ/i);
  expect(JSON.stringify({ session, manifest })).not.toContain(world.key);
});

describe('the common fields', () => {
  test.each(rightCommonFields)('takes %s', async (_name, fields, shown) => {
    const world = await plainWorld(service);
    const { session, manifest } = await launch(service, serverDoor, world, fields);
    expect(session).toMatchObject(shown);
    expect(manifest).toMatchObject(shown);
  });
});

describe('the fields of servers', () => {
  test.each([
    ['one character', 'u'],
    ['256 characters', 'u'.repeat(256)],
    ['any script', 'Jürgen 😀 例え'],
    ['what looks like a number', '007'],
  ])('takes a userId and a processorId of %s', async (_name, text) => {
    const world = await plainWorld(service);
    const launched = await launch(service, serverDoor, world, { userId: text, processorId: text });
    expect(launched.session).toMatchObject({ userId: text, processorId: text });
    expect(launched.manifest).toMatchObject({ user: { userId: text }, processorId: text });
    expect(await recordOf(service, world, launched)).toMatchObject({ userId: text, processorId: text });
  });

  test.each(acceptedReturnUrls)('takes the return address %s', async (returnUrl) => {
    const world = await plainWorld(service);
    const { manifest } = await launch(service, serverDoor, world, { integration: { returnUrl, other: 1 } });
    expect(manifest.player).toEqual({ returnUrl });
  });

  test('takes an integration without a return address', async () => {
    const world = await openWorld(service);
    const { manifest } = await launch(service, serverDoor, world, { integration: {} });
    expect(manifest.player).toEqual({});
  });
});

test('fields that the route does not take are ignored and show nowhere', async () => {
  const world = await openWorld(service);
  const launched = await launch(service, serverDoor, world, {
    projectId: 'prj_intruder',
    livemode: true,
    source: 'browser',
    origin: 'https://intruder.example',
    revision: 99,
    status: 'ended',
    sessionId: 'ses_intruder',
    returnUrl: 'https://intruder.example',
    fit: { cover: 'intruder' },
    speechonly: true,
  });
  expect(launched.answer.text).not.toContain('intruder');
  expect(launched.session).toMatchObject({
    projectId: world.projectId,
    livemode: false,
    source: 'server',
    revision: 1,
    status: 'created',
    speechOnly: false,
  });
  expect(JSON.stringify(await recordOf(service, world, launched))).not.toContain('intruder');
});

describe('bodies', () => {
  test.each(oddButRight)('takes %s', async (_name, body) => {
    const world = await plainWorld(service);
    const answer = await knockRaw(service, serverDoor, world, forExperience(body, world.experienceId));
    expect(answer.status, answer.text).toBe(201);
    expect(answer.json.session).toMatchObject({ experienceId: world.experienceId, speechOnly: false });
    expect(answer.json.session).not.toHaveProperty('userId');
  });

  test('takes the fields as their names say, whatever a prototype holds', async () => {
    const world = await openWorld(service);
    const body = `{"__proto__":{"experienceId":"${world.experienceId}"}}`;
    expect((await knockRaw(service, serverDoor, world, body)).status).toBe(400);
  });
});

describe('API keys', () => {
  test.each(['Bearer', 'bearer', 'BEARER', 'bEaReR'])('takes the scheme %s', async (scheme) => {
    const world = await plainWorld(service);
    const { session } = await launch(
      service,
      serverDoor,
      world,
      {},
      { Authorization: `${scheme} ${world.key}` },
    );
    expect(session!.projectId).toBe(world.projectId);
  });

  test('a test key mints in test mode, a live key in live mode', async () => {
    const world = await openWorld(service);
    const test = await mintFromServer(service, world.key, { experienceId: world.experienceId });
    const live = await mintFromServer(service, world.liveKey, { experienceId: world.experienceId });
    expect([test.json.session.livemode, test.json.launch.livemode]).toEqual([false, false]);
    expect([live.json.session.livemode, live.json.launch.livemode]).toEqual([true, true]);
  });

  test('sessions:create is enough', async () => {
    const world = await openWorld(service);
    const { key } = await createKey(service, world.projectId, { scopes: ['sessions:create'] });
    expect((await mintFromServer(service, key, { experienceId: world.experienceId })).status).toBe(201);
  });

  test('a key that expires later works until then', async () => {
    const world = await openWorld(service);
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const { key } = await createKey(service, world.projectId, { expiresAt });
    expect((await mintFromServer(service, key, { experienceId: world.experienceId })).status).toBe(201);
  });

  test('the key list shows when a key was last used', async () => {
    const world = await openWorld(service);
    const path = `/admin/projects/${world.projectId}/keys`;
    const listed = async () =>
      (await service.admin({ path })).json.keys.find((key: { keyId: string }) => key.keyId === world.keyId);
    expect(await listed()).not.toHaveProperty('lastUsedAt');
    const before = Date.now();
    await launch(service, serverDoor, world);
    const lastUsedAt = Date.parse((await listed()).lastUsedAt);
    expect(lastUsedAt).toBeGreaterThanOrEqual(before);
    expect(lastUsedAt).toBeLessThanOrEqual(Date.now());
  });
});

describe('what browsers are asked for does not matter here', () => {
  test('an Origin is neither needed nor kept', async () => {
    const world = await openWorld(service, { project: { browserEmbeds: false, allowedOrigins: [] } });
    const { session, manifest } = await launch(service, serverDoor, world, {}, { Origin: pageOrigin });
    expect(session).not.toHaveProperty('origin');
    expect(JSON.stringify(manifest)).not.toContain(pageOrigin);
  });

  test('limits of browsers do not count', async () => {
    const world = await openWorld(service, {
      project: { limits: { mintsPerMinutePerClient: 0, mintsPerMinute: 0, sessionsPerDay: 0 } },
    });
    const { answer } = await launch(service, serverDoor, world);
    expect(answer.headers).not.toHaveProperty('ratelimit');
    expect(answer.headers).not.toHaveProperty('ratelimit-policy');
  });

  test('an experience need not be public', async () => {
    const world = await openWorld(service, { experience: { public: false, allowedOrigins: [] } });
    await launch(service, serverDoor, world);
  });
});

describe('drafts', () => {
  test('a test key launches the latest draft of an experience that was never published', async () => {
    const world = await openWorld(service, { experience: { status: 'draft', title: 'First draft' } });
    const first = await launch(service, serverDoor, world);
    expect(first.manifest.experience).toMatchObject({ title: 'First draft', revision: 1 });
    world.file.experiences[0]!.title = 'Second draft';
    await apply(service, world.file);
    const second = await launch(service, serverDoor, world);
    expect(second.manifest.experience).toMatchObject({ title: 'Second draft', revision: 2 });
  });

  test('a test key launches an experience that was taken back to draft', async () => {
    const world = await openWorld(service);
    world.file.experiences[0]!.status = 'draft';
    await apply(service, world.file);
    await launch(service, serverDoor, world);
  });

  test('both kinds of key launch the published revision', async () => {
    const world = await openWorld(service, { experience: { status: 'draft' } });
    world.file.experiences[0]!.status = 'published';
    await apply(service, world.file);
    await launch(service, serverDoor, world);
    await launch(service, serverDoor, world, {}, { Authorization: `Bearer ${world.liveKey}` });
  });
});
