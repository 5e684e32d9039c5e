import { deployedService } from '@session-launch/testing/deployment.ts';
import { apply, createKey, mintFromServer, pageOrigin, type World } from '@session-launch/testing/world.ts';
import { describe, expect, test } from 'vitest';
import {
  acceptedReturnUrls,
  fieldsOfServers,
  forExperience,
  largestButtons,
  oddButRight,
  rightCommonFields,
} from '../bodies.ts';
import {
  browserEndpoint,
  type Endpoint,
  endpoints,
  everyField,
  type Loose,
  launch,
  mintChunkedAt,
  mintRawAt,
  openWorld,
  pageEndpoints,
  publicEndpoint,
  recordOf,
  serverEndpoint,
  sharedWorld,
} from '../mint-endpoints.ts';
import { underWildcard } from '../origins.ts';

const service = deployedService();

/** Fields that the session of a mint endpoint has in addition to the requested ones. */
function ownFields(endpoint: Endpoint): Loose {
  if (endpoint === serverEndpoint) return { livemode: false, source: 'server' };
  return { livemode: true, source: endpoint === browserEndpoint ? 'browser' : 'public', origin: pageOrigin };
}

const recordFields = (world: World, endpoint: Endpoint) => ({
  sessionId: expect.stringMatching(/^ses_[a-z0-9]{26}$/),
  projectId: world.projectId,
  experienceId: world.experienceId,
  revision: 1,
  status: 'created',
  ...ownFields(endpoint),
  mode: 'conversation',
  speechInputMode: 'auto',
  speechOnly: false,
  locale: 'en',
  createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
  expiresAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
  usage: { seconds: 0 },
});

describe.each([serverEndpoint, browserEndpoint])('$path', (endpoint) => {
  test('returns only a session and a launch', async () => {
    const world = await sharedWorld(service);
    const { answer, manifest, session } = await launch(service, endpoint, world);
    expect(Object.keys(answer.json)).toEqual(['session', 'launch']);
    expect(session!.sessionId).toBe(manifest.sessionId);
  });

  test('returns the same session as reading it', async () => {
    const world = await sharedWorld(service);
    const launched = await launch(service, endpoint, world, {
      userId: 'user-7',
      processorId: 'processor-3',
      mode: 'presenter',
      speechInputMode: 'manual',
      speechOnly: true,
      locale: 'fr-CA',
    });
    expect(await recordOf(service, world, launched)).toEqual(launched.session);
  });

  test('returns the token only in the launch', async () => {
    const world = await sharedWorld(service);
    const { session, manifest } = await launch(service, endpoint, world, { userId: 'user-7' });
    expect(manifest.sessionToken).toMatch(/^eyJ/);
    expect(JSON.stringify(session)).not.toContain(manifest.sessionToken);
    expect(JSON.stringify(session)).not.toMatch(/token|eyJ/i);
    expect(JSON.stringify({ session, manifest })).not.toContain(world.key);
  });
});

test('/v1/public-sessions returns the bare Session Manifest', async () => {
  const world = await sharedWorld(service);
  const { manifest } = await launch(service, publicEndpoint, world);
  expect(manifest).toMatchObject({
    schemaVersion: 1,
    sessionId: expect.stringMatching(/^ses_/),
    sessionToken: expect.stringMatching(/^eyJ/),
    livemode: true,
    experience: { experienceId: world.experienceId },
  });
  expect(manifest).not.toHaveProperty('session');
  expect(manifest).not.toHaveProperty('launch');
});

describe.each(endpoints)('$path', (endpoint) => {
  test('forbids caching, and only a page that may mint can read the response', async () => {
    const { answer } = await launch(service, endpoint, await sharedWorld(service));
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(answer.headers['cache-control']).toBe('no-store, private');
    const forPages = endpoint === serverEndpoint ? undefined : pageOrigin;
    expect(answer.headers['access-control-allow-origin']).toBe(forPages);
    if (endpoint !== serverEndpoint) expect(answer.headers.vary).toBe('Origin');
  });

  test('a session record has exactly these fields', async () => {
    const world = await sharedWorld(service);
    const before = Date.now();
    const launched = await launch(service, endpoint, world);
    const record = await recordOf(service, world, launched);
    expect(record).toEqual(recordFields(world, endpoint));
    expect(record.sessionId).toBe(launched.manifest.sessionId);
    // The clock of a remote service may differ.
    expect(Math.abs(Date.parse(record.createdAt) - before)).toBeLessThan(60_000);
  });

  test('every mint creates a new session', async () => {
    const world = await sharedWorld(service);
    const [one, two] = [await launch(service, endpoint, world), await launch(service, endpoint, world)];
    expect(one.manifest.sessionId).not.toBe(two.manifest.sessionId);
    expect(one.manifest.sessionToken).not.toBe(two.manifest.sessionToken);
  });

  test.each(rightCommonFields)('accepts %s', async (_name, fields, shown) => {
    const world = await sharedWorld(service);
    const launched = await launch(service, endpoint, world, fields);
    expect(launched.manifest).toMatchObject(shown);
    const record = launched.session ?? (await recordOf(service, world, launched));
    expect(record).toMatchObject(shown);
  });

  test('accepts startButton', async () => {
    const world = await sharedWorld(service);
    const { manifest } = await launch(service, endpoint, world, { startButton: { label: 'Talk' } });
    expect(manifest.player).toEqual({ startButton: { label: 'Talk' } });
  });

  test.each(largestButtons)('accepts a startButton of at most 2 KiB and 4 levels', async (startButton) => {
    const world = await sharedWorld(service);
    const { manifest } = await launch(service, endpoint, world, { startButton });
    expect(manifest.player).toEqual({ startButton });
  });

  test.each(oddButRight)('accepts %s', async (_name, body) => {
    const world = await sharedWorld(service);
    const answer = await mintRawAt(service, endpoint, world, forExperience(body, world.experienceId));
    expect(answer.status, answer.text).toBe(endpoint.launches);
    const { json } = answer;
    const { experienceId } = endpoint === publicEndpoint ? json.experience : json.session;
    expect(experienceId).toBe(world.experienceId);
    const launched = endpoint === publicEndpoint ? json : json.session;
    expect(launched.speechOnly).toBe(false);
    expect(launched).not.toHaveProperty('userId');
  });

  test('accepts a chunked body', async () => {
    const world = await sharedWorld(service);
    const body = JSON.stringify({ experienceId: world.experienceId, mode: 'presenter' });
    const { json } = await mintChunkedAt(service, endpoint, world, body);
    expect(endpoint === publicEndpoint ? json : json.session).toMatchObject({ mode: 'presenter' });
  });

  test('reads own properties only, not those of a prototype', async () => {
    const world = await sharedWorld(service);
    const body = `{"__proto__":{"experienceId":"${world.experienceId}"}}`;
    expect((await mintRawAt(service, endpoint, world, body)).status).toBe(400);
  });

  test('ignores fields that the route does not define, and does not return them', async () => {
    const world = await sharedWorld(service);
    const ofServers = {
      userId: 'intruder',
      processorId: 'intruder',
      integration: { returnUrl: 'https://intruder.example' },
      closeButton: { label: 'intruder' },
    };
    const launched = await launch(service, endpoint, world, {
      projectId: 'prj_intruder',
      livemode: endpoint === serverEndpoint,
      source: endpoint === serverEndpoint ? 'browser' : 'server',
      origin: 'https://intruder.example',
      revision: 99,
      status: 'ended',
      sessionId: 'ses_intruder',
      returnUrl: 'https://intruder.example',
      fit: { cover: 'intruder' },
      speechonly: true,
      ...(endpoint === serverEndpoint ? {} : ofServers),
    });
    expect(launched.answer.text).not.toContain('intruder');
    expect(launched.manifest).not.toHaveProperty('user');
    expect(launched.manifest.player).toEqual({});
    const record = await recordOf(service, world, launched);
    expect(record).toEqual(recordFields(world, endpoint));
    expect(JSON.stringify(record)).not.toContain('intruder');
  });
});

describe('the record of a session', () => {
  test('contains the fields that apply and omits the others', async () => {
    const world = await sharedWorld(service, {
      experience: {
        runtime: {
          languages: { dual: true, default: 'en', conversation: 'match', paired: 'match' },
          characters: [{ characterId: 'ada', name: 'Ada' }],
          transport: { type: 'websocket', url: 'wss://runtime.example.com/session' },
        },
      },
    });
    const { session } = await launch(service, serverEndpoint, world, {
      secondaryLocale: 'PT-pt',
      userId: 'user-7',
      processorId: 'processor-3',
    });
    expect(session).toMatchObject({ userId: 'user-7', processorId: 'processor-3', secondaryLocale: 'pt-PT' });
    expect(session).not.toHaveProperty('origin');
    expect(session).not.toHaveProperty('endedAt');
    for (const { path, value } of everyField(session)) expect(value, path).not.toBeNull();
  });
});

describe('fields for servers only', () => {
  test.each([
    ['one character', 'u'],
    ['256 characters', 'u'.repeat(256)],
    ['any script', 'Jürgen 😀 例え'],
    ['a number as text', '007'],
  ])('accepts a userId and a processorId of %s', async (_name, text) => {
    const world = await sharedWorld(service);
    const launched = await launch(service, serverEndpoint, world, { userId: text, processorId: text });
    expect(launched.session).toMatchObject({ userId: text, processorId: text });
    expect(launched.manifest).toMatchObject({ user: { userId: text }, processorId: text });
    expect(await recordOf(service, world, launched)).toMatchObject({ userId: text, processorId: text });
  });

  test.each(acceptedReturnUrls)('accepts the return address %s', async (returnUrl) => {
    const world = await sharedWorld(service);
    const { manifest } = await launch(service, serverEndpoint, world, {
      integration: { returnUrl, other: 1 },
    });
    expect(manifest.player).toEqual({ returnUrl });
  });

  test('accepts an integration without a return address', async () => {
    const world = await sharedWorld(service);
    const { manifest } = await launch(service, serverEndpoint, world, { integration: {} });
    expect(manifest.player).toEqual({});
  });
});

describe('API keys', () => {
  test.each(['Bearer', 'bearer', 'BEARER', 'bEaReR'])('accepts the scheme %s', async (scheme) => {
    const world = await sharedWorld(service);
    const { session } = await launch(
      service,
      serverEndpoint,
      world,
      {},
      { Authorization: `${scheme} ${world.key}` },
    );
    expect(session!.projectId).toBe(world.projectId);
  });

  test('a test key mints in test mode, a live key in live mode', async () => {
    const world = await sharedWorld(service);
    const test = await mintFromServer(service, world.key, { experienceId: world.experienceId });
    const live = await mintFromServer(service, world.liveKey, { experienceId: world.experienceId });
    expect([test.json.session.livemode, test.json.launch.livemode]).toEqual([false, false]);
    expect([live.json.session.livemode, live.json.launch.livemode]).toEqual([true, true]);
  });

  test('sessions:create is enough', async () => {
    const world = await sharedWorld(service);
    const { key } = await createKey(service, world.projectId, { scopes: ['sessions:create'] });
    expect((await mintFromServer(service, key, { experienceId: world.experienceId })).status).toBe(201);
  });

  test('a key that expires later works until then', async () => {
    const world = await sharedWorld(service);
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
    await launch(service, serverEndpoint, world);
    const lastUsedAt = Date.parse((await listed()).lastUsedAt);
    expect(lastUsedAt).toBeGreaterThanOrEqual(before);
    expect(lastUsedAt).toBeLessThanOrEqual(Date.now());
  });
});

describe('browser rules do not apply here', () => {
  test('an Origin is neither required nor stored', async () => {
    const world = await openWorld(service, { project: { browserEmbeds: false, allowedOrigins: [] } });
    const { session, manifest } = await launch(service, serverEndpoint, world, {}, { Origin: pageOrigin });
    expect(session).not.toHaveProperty('origin');
    expect(JSON.stringify(manifest)).not.toContain(pageOrigin);
  });

  test('browser limits are not charged', async () => {
    const world = await openWorld(service, {
      project: { limits: { mintsPerMinutePerClient: 0, mintsPerMinute: 0, sessionsPerDay: 0 } },
    });
    const { answer } = await launch(service, serverEndpoint, world);
    expect(answer.headers).not.toHaveProperty('ratelimit');
    expect(answer.headers).not.toHaveProperty('ratelimit-policy');
  });

  test('the experience may be private', async () => {
    const world = await sharedWorld(service, { experience: { public: false, allowedOrigins: [] } });
    await launch(service, serverEndpoint, world);
  });
});

describe('drafts', () => {
  test('a test key launches the latest draft of an experience that was never published', async () => {
    const world = await openWorld(service, { experience: { status: 'draft', title: 'First draft' } });
    const first = await launch(service, serverEndpoint, world);
    expect(first.manifest.experience).toMatchObject({ title: 'First draft', revision: 1 });
    world.file.experiences[0]!.title = 'Second draft';
    await apply(service, world.file);
    const second = await launch(service, serverEndpoint, world);
    expect(second.manifest.experience).toMatchObject({ title: 'Second draft', revision: 2 });
  });

  test('a test key launches an experience that was unpublished to draft', async () => {
    const world = await openWorld(service);
    world.file.experiences[0]!.status = 'draft';
    await apply(service, world.file);
    await launch(service, serverEndpoint, world);
  });

  test('both kinds of key launch the published revision', async () => {
    const world = await openWorld(service, { experience: { status: 'draft' } });
    world.file.experiences[0]!.status = 'published';
    await apply(service, world.file);
    await launch(service, serverEndpoint, world);
    await launch(service, serverEndpoint, world, {}, { Authorization: `Bearer ${world.liveKey}` });
  });
});

describe.each(pageEndpoints)('$path', (endpoint) => {
  test.each(fieldsOfServers)('ignores %s, which is for servers, even as %j', async (field, value) => {
    const world = await sharedWorld(service);
    const { session, manifest } = await launch(service, endpoint, world, { [field]: value });
    if (session !== undefined) expect(session).not.toHaveProperty(field);
    for (const { name, path } of everyField(manifest)) expect(name, path).not.toBe(field);
  });

  test('ignores a return address that would be invalid for servers', async () => {
    const world = await sharedWorld(service);
    await launch(service, endpoint, world, { integration: { returnUrl: 'javascript:alert(1)' } });
  });

  test.each([
    ['https://app.example.com', 'https://app.example.com'],
    ['HTTPS://App.Example.com:443/', 'https://app.example.com'],
    ['https://app.example.com:8443', 'https://app.example.com:8443'],
    ['http://localhost:5173', 'http://localhost:5173'],
    ['http://127.0.0.1:3000', 'http://127.0.0.1:3000'],
    ['http://[::1]:3000', 'http://[::1]:3000'],
    ['https://münchen.example', 'https://xn--mnchen-3ya.example'],
    ...underWildcard.map((origin): [string, string] => ['https://*.example.com', origin]),
  ])('the entry %s admits the origin %s', async (entry, origin) => {
    const world = await sharedWorld(service, endpoint.listing([entry]));
    const launched = await launch(service, endpoint, world, {}, { Origin: origin });
    expect((await recordOf(service, world, launched)).origin).toBe(origin);
    expect(launched.answer.headers['access-control-allow-origin']).toBe(origin);
  });

  test('an origin works as soon as it is on the allowlist', async () => {
    const world = await openWorld(service, endpoint.listing([]));
    endpoint.relist(world.file, ['https://new.example.com']);
    await apply(service, world.file);
    const { answer } = await launch(service, endpoint, world, {}, { Origin: 'https://new.example.com' });
    expect(answer.headers['access-control-allow-origin']).toBe('https://new.example.com');
  });

  test('ignores an API key in the request', async () => {
    const world = await sharedWorld(service);
    const launched = await launch(service, endpoint, world, {}, { Authorization: 'Bearer sl_test_wrong' });
    expect(await recordOf(service, world, launched)).toMatchObject(ownFields(endpoint));
  });
});

test('/v1/browser-sessions: the experience needs neither to be public nor to have an allowlist', async () => {
  const world = await sharedWorld(service, { experience: { public: false, allowedOrigins: [] } });
  await launch(service, browserEndpoint, world);
});

test('/v1/public-sessions: only the allowlist of the experience is used', async () => {
  const world = await openWorld(service, { project: { allowedOrigins: [] } });
  await launch(service, publicEndpoint, world);
});
