import { deployedService } from '@session-launch/testing/deployment.ts';
import { expectError, type World } from '@session-launch/testing/world.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  forExperience,
  notJson,
  notObjects,
  unfitJson,
  wrongCommonFields,
  wrongServerFields,
} from '../bodies.ts';
import { knock, knockRaw, type Loose, openWorld, serverDoor } from '../doors.ts';

const service = deployedService();
let world: World;
beforeAll(async () => {
  world = await openWorld(service);
});

const mint = (body: unknown) => knock(service, serverDoor, world, body);
const mintRaw = (body: string | Buffer) => knockRaw(service, serverDoor, world, body);
const paths = (details: Loose[]) => details.map((violation) => violation.path);

test.each([...wrongCommonFields, ...wrongServerFields])('refuses %s', async (_name, fields, path) => {
  const answer = await mint({ experienceId: world.experienceId, ...fields });
  expectError(answer, 400, 'INVALID_REQUEST');
  expect(paths(answer.json.error.details)).toEqual([path]);
  expect(answer.json.error.details[0].message).toMatch(/\S/);
});

test('refuses a body without experienceId', async () => {
  const answer = await mint({});
  expectError(answer, 400, 'INVALID_REQUEST');
  expect(paths(answer.json.error.details)).toEqual(['experienceId']);
});

test('a slug does not stand in for experienceId', async () => {
  const { slug } = world.file.experiences[0]!;
  expectError(await mint({ slug }), 400, 'INVALID_REQUEST');
  expectError(await mint({ experienceId: slug }), 400, 'INVALID_REQUEST');
});

test('lists every violation with its path', async () => {
  const answer = await mint({
    experienceId: 5,
    locale: 'en_US',
    mode: 'shouting',
    speechOnly: 'true',
    startButton: [],
    userId: '',
    integration: { returnUrl: 'javascript:alert(1)' },
  });
  expectError(answer, 400, 'INVALID_REQUEST');
  expect(paths(answer.json.error.details).sort()).toEqual([
    'experienceId',
    'integration.returnUrl',
    'locale',
    'mode',
    'speechOnly',
    'startButton',
    'userId',
  ]);
});

test.each(notJson)('answers INVALID_JSON to %s', async (_name, body) => {
  expectError(await mintRaw(body), 400, 'INVALID_JSON');
});

test.each(notObjects)('answers INVALID_REQUEST to %s', async (_name, body) => {
  expectError(await mintRaw(body), 400, 'INVALID_REQUEST');
});

test.each(unfitJson)('refuses %s', async (_name, body) => {
  expectError(await mintRaw(forExperience(body, world.experienceId)), 400, 'INVALID_REQUEST');
});

test('a request without any body is an empty body', async () => {
  expectError(await mint(undefined), 400, 'INVALID_JSON');
});

describe('LOCALE_CONFLICT', () => {
  test.each([
    ['es', 'fr'],
    ['es', 'es-MX'],
    ['es-MX', 'es'],
  ])('secondaryLocale %s and learningLocale %s disagree', async (secondaryLocale, learningLocale) => {
    const answer = await mint({ experienceId: world.experienceId, secondaryLocale, learningLocale });
    expectError(answer, 400, 'LOCALE_CONFLICT');
  });
});

describe('IDEMPOTENCY_KEY_INVALID', () => {
  test.each([
    ['257 characters', 'k'.repeat(257)],
    ['an empty key', ''],
    ['two keys', ['a', 'b']],
  ])('refuses %s', async (_name, key) => {
    const answer = await knock(
      service,
      serverDoor,
      world,
      { experienceId: world.experienceId },
      { 'Idempotency-Key': key },
    );
    expectError(answer, 400, 'IDEMPOTENCY_KEY_INVALID');
  });
});

test('a refusal repeats neither the user nor the return address', async () => {
  const answer = await mint({
    experienceId: world.experienceId,
    mode: 'shouting',
    userId: 'alice@example.com',
    integration: { returnUrl: 'javascript:stealCookies()' },
  });
  expectError(answer, 400, 'INVALID_REQUEST');
  expect(answer.text).not.toContain('alice');
  expect(answer.text).not.toContain('stealCookies');
});
