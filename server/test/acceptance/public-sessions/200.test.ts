import { deployedService } from '@session-launch/testing/deployment.ts';
import { apply, pageOrigin } from '@session-launch/testing/world.ts';
import { describe, expect, test } from 'vitest';
import { fieldsOfServers, forExperience, oddButRight, rightCommonFields } from '../bodies.ts';
import {
  everyField,
  knockChunked,
  knockRaw,
  launch,
  openWorld,
  plainWorld,
  publicDoor,
  recordOf,
} from '../doors.ts';
import { underWildcard } from '../origins.ts';

const service = deployedService();

test('answers with the bare Session Manifest', async () => {
  const world = await openWorld(service);
  const { answer, manifest } = await launch(service, publicDoor, world);
  expect(manifest).toMatchObject({
    schemaVersion: 1,
    sessionId: expect.stringMatching(/^ses_/),
    sessionToken: expect.stringMatching(/^eyJ/),
    livemode: true,
    experience: { experienceId: world.experienceId },
  });
  expect(manifest).not.toHaveProperty('session');
  expect(manifest).not.toHaveProperty('launch');
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
  expect(answer.headers['cache-control']).toBe('no-store, private');
  expect(answer.headers['access-control-allow-origin']).toBe(pageOrigin);
  expect(answer.headers.vary).toBe('Origin');
});

test('persists a session that a server can read', async () => {
  const world = await openWorld(service);
  const launched = await launch(service, publicDoor, world, { mode: 'presenter' });
  expect(await recordOf(service, world, launched)).toEqual({
    sessionId: launched.manifest.sessionId,
    projectId: world.projectId,
    experienceId: world.experienceId,
    revision: 1,
    status: 'created',
    livemode: true,
    source: 'public',
    origin: pageOrigin,
    mode: 'presenter',
    speechInputMode: 'auto',
    speechOnly: false,
    locale: 'en',
    createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    usage: { seconds: 0 },
  });
});

describe('the common fields', () => {
  test.each(rightCommonFields)('takes %s', async (_name, fields, shown) => {
    const world = await plainWorld(service);
    const launched = await launch(service, publicDoor, world, fields);
    expect(launched.manifest).toMatchObject(shown);
    expect(await recordOf(service, world, launched)).toMatchObject(shown);
  });

  test('takes startButton', async () => {
    const world = await openWorld(service);
    const { manifest } = await launch(service, publicDoor, world, { startButton: { label: 'Talk' } });
    expect(manifest.player).toEqual({ startButton: { label: 'Talk' } });
  });
});

describe('fields that belong to servers', () => {
  test('are neither stored nor shown', async () => {
    const world = await openWorld(service);
    const launched = await launch(service, publicDoor, world, {
      userId: 'intruder',
      processorId: 'intruder',
      integration: { returnUrl: 'https://intruder.example' },
      closeButton: { label: 'intruder' },
      livemode: false,
    });
    expect(launched.answer.text).not.toContain('intruder');
    expect(launched.manifest).not.toHaveProperty('user');
    expect(launched.manifest.player).toEqual({});
    const record = await recordOf(service, world, launched);
    expect(record).toMatchObject({ livemode: true, source: 'public', origin: pageOrigin });
    expect(JSON.stringify(record)).not.toContain('intruder');
  });

  test.each(fieldsOfServers)('%s is ignored, even as %j', async (field, value) => {
    const world = await plainWorld(service);
    const { manifest } = await launch(service, publicDoor, world, { [field]: value });
    for (const { name, path } of everyField(manifest)) expect(name, path).not.toBe(field);
  });
});

describe('bodies', () => {
  test.each(oddButRight)('takes %s', async (_name, body) => {
    const world = await plainWorld(service);
    const answer = await knockRaw(service, publicDoor, world, forExperience(body, world.experienceId));
    expect(answer.status, answer.text).toBe(200);
    expect(answer.json).toMatchObject({
      experience: { experienceId: world.experienceId },
      speechOnly: false,
    });
  });

  test('takes a chunked body', async () => {
    const world = await openWorld(service);
    const body = JSON.stringify({ experienceId: world.experienceId, mode: 'presenter' });
    const answer = await knockChunked(service, publicDoor, world, body);
    expect(answer.json).toMatchObject({ mode: 'presenter' });
  });
});

describe('the Idempotency-Key header is ignored', () => {
  test.each([
    ['a right one', 'a-key'],
    ['one of 257 characters', 'k'.repeat(257)],
    ['an empty one', ''],
  ])('%s', async (_name, key) => {
    const world = await plainWorld(service);
    const headers = { 'Idempotency-Key': key };
    const one = await launch(service, publicDoor, world, {}, headers);
    const two = await launch(service, publicDoor, world, {}, headers);
    expect(two.manifest.sessionId).not.toBe(one.manifest.sessionId);
    expect(two.answer.headers).not.toHaveProperty('idempotent-replayed');
  });
});

describe('origins', () => {
  test('only the allowlist of the experience counts', async () => {
    const world = await openWorld(service, { project: { allowedOrigins: [] } });
    await launch(service, publicDoor, world);
  });

  test.each(underWildcard)('the entry https://*.example.com admits %s', async (origin) => {
    const world = await openWorld(service, { experience: { allowedOrigins: ['https://*.example.com'] } });
    const { answer } = await launch(service, publicDoor, world, {}, { Origin: origin });
    expect(answer.headers['access-control-allow-origin']).toBe(origin);
  });

  test('an origin works as soon as it is on the allowlist', async () => {
    const world = await openWorld(service, { experience: { allowedOrigins: [] } });
    world.file.experiences[0]!.allowedOrigins = ['https://new.example.com'];
    await apply(service, world.file);
    const headers = { Origin: 'https://new.example.com' };
    const { answer } = await launch(service, publicDoor, world, {}, headers);
    expect(answer.headers['access-control-allow-origin']).toBe('https://new.example.com');
  });
});
