import { deployedService } from '@session-launch/testing/deployment.ts';
import { apply, pageOrigin } from '@session-launch/testing/world.ts';
import { describe, expect, test } from 'vitest';
import { fieldsOfServers, forExperience, oddButRight, rightCommonFields } from '../bodies.ts';
import {
  browserDoor,
  everyField,
  knockChunked,
  knockRaw,
  launch,
  openWorld,
  plainWorld,
  recordOf,
} from '../doors.ts';
import { underWildcard } from '../origins.ts';

const service = deployedService();

test('answers like the server door: a session, a launch and nothing else', async () => {
  const world = await openWorld(service);
  const { answer, manifest, session } = await launch(service, browserDoor, world);
  expect(Object.keys(answer.json)).toEqual(['session', 'launch']);
  expect(session!.sessionId).toBe(manifest.sessionId);
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
  expect(answer.headers['cache-control']).toBe('no-store, private');
  expect(answer.headers['access-control-allow-origin']).toBe(pageOrigin);
  expect(answer.headers.vary).toBe('Origin');
});

test('a session record has these fields and no more', async () => {
  const world = await openWorld(service);
  const launched = await launch(service, browserDoor, world);
  expect(launched.session).toEqual({
    sessionId: expect.stringMatching(/^ses_[a-z0-9]{26}$/),
    projectId: world.projectId,
    experienceId: world.experienceId,
    revision: 1,
    status: 'created',
    livemode: true,
    source: 'browser',
    origin: pageOrigin,
    mode: 'conversation',
    speechInputMode: 'auto',
    speechOnly: false,
    locale: 'en',
    createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    usage: { seconds: 0 },
  });
  expect(await recordOf(service, world, launched)).toEqual(launched.session);
});

describe('the common fields', () => {
  test.each(rightCommonFields)('takes %s', async (_name, fields, shown) => {
    const world = await plainWorld(service);
    const { session, manifest } = await launch(service, browserDoor, world, fields);
    expect(session).toMatchObject(shown);
    expect(manifest).toMatchObject(shown);
  });

  test('takes startButton', async () => {
    const world = await openWorld(service);
    const { manifest } = await launch(service, browserDoor, world, { startButton: { label: 'Talk' } });
    expect(manifest.player).toEqual({ startButton: { label: 'Talk' } });
  });
});

describe('fields that belong to servers', () => {
  test('are neither stored nor shown', async () => {
    const world = await openWorld(service);
    const launched = await launch(service, browserDoor, world, {
      userId: 'intruder',
      processorId: 'intruder',
      integration: { returnUrl: 'https://intruder.example' },
      closeButton: { label: 'intruder' },
      livemode: false,
      source: 'server',
      origin: 'https://intruder.example',
    });
    expect(launched.answer.text).not.toContain('intruder');
    expect(launched.manifest).not.toHaveProperty('user');
    expect(launched.manifest.player).toEqual({});
    const record = await recordOf(service, world, launched);
    expect(record).toMatchObject({ livemode: true, source: 'browser', origin: pageOrigin });
    expect(JSON.stringify(record)).not.toContain('intruder');
  });

  test.each(fieldsOfServers)('%s is ignored, even as %j', async (field, value) => {
    const world = await plainWorld(service);
    const { session, manifest } = await launch(service, browserDoor, world, { [field]: value });
    expect(session).not.toHaveProperty(field);
    for (const { name, path } of everyField(manifest)) expect(name, path).not.toBe(field);
  });

  test('a return address that servers may not send is not looked at', async () => {
    const world = await openWorld(service);
    await launch(service, browserDoor, world, { integration: { returnUrl: 'javascript:alert(1)' } });
  });
});

describe('bodies', () => {
  test.each(oddButRight)('takes %s', async (_name, body) => {
    const world = await plainWorld(service);
    const answer = await knockRaw(service, browserDoor, world, forExperience(body, world.experienceId));
    expect(answer.status, answer.text).toBe(201);
    expect(answer.json.session).toMatchObject({ experienceId: world.experienceId, speechOnly: false });
  });

  test('takes a chunked body', async () => {
    const world = await openWorld(service);
    const body = JSON.stringify({ experienceId: world.experienceId, mode: 'presenter' });
    const answer = await knockChunked(service, browserDoor, world, body);
    expect(answer.json.session).toMatchObject({ mode: 'presenter' });
  });
});

describe('origins', () => {
  test.each([
    ['https://app.example.com', 'https://app.example.com'],
    ['HTTPS://App.Example.com:443/', 'https://app.example.com'],
    ['https://app.example.com:8443', 'https://app.example.com:8443'],
    ['http://localhost:5173', 'http://localhost:5173'],
    ['http://127.0.0.1:3000', 'http://127.0.0.1:3000'],
    ['http://[::1]:3000', 'http://[::1]:3000'],
    ['https://münchen.example', 'https://xn--mnchen-3ya.example'],
  ])('the entry %s admits the origin %s', async (entry, origin) => {
    const world = await openWorld(service, { project: { allowedOrigins: [entry] } });
    const { session } = await launch(service, browserDoor, world, {}, { Origin: origin });
    expect(session!.origin).toBe(origin);
  });

  test.each(underWildcard)('the entry https://*.example.com admits %s', async (origin) => {
    const world = await openWorld(service, { project: { allowedOrigins: ['https://*.example.com'] } });
    const { session, answer } = await launch(service, browserDoor, world, {}, { Origin: origin });
    expect(session!.origin).toBe(origin);
    expect(answer.headers['access-control-allow-origin']).toBe(origin);
  });

  test('an origin works as soon as it is on the allowlist', async () => {
    const world = await openWorld(service, { project: { allowedOrigins: [] } });
    world.file.project.allowedOrigins = [pageOrigin];
    await apply(service, world.file);
    await launch(service, browserDoor, world);
  });
});

test('the experience need not be public, nor have an allowlist of its own', async () => {
  const world = await openWorld(service, { experience: { public: false, allowedOrigins: [] } });
  await launch(service, browserDoor, world);
});

test('a key that comes along is not looked at', async () => {
  const world = await openWorld(service);
  const { session } = await launch(
    service,
    browserDoor,
    world,
    {},
    { Authorization: 'Bearer sl_test_wrong' },
  );
  expect(session!.source).toBe('browser');
});
