import { deployedService } from '@session-launch/testing/deployment.ts';
import { expectError, pageOrigin, type World } from '@session-launch/testing/world.ts';
import { beforeAll, expect, test } from 'vitest';
import { forExperience, notJson, notObjects, unfitJson, wrongCommonFields } from '../bodies.ts';
import { knock, knockRaw, type Loose, openWorld, publicDoor } from '../doors.ts';

const service = deployedService();
let world: World;
beforeAll(async () => {
  world = await openWorld(service);
});

const mint = (body: unknown) => knock(service, publicDoor, world, body);
const mintRaw = (body: string | Buffer) => knockRaw(service, publicDoor, world, body);
const paths = (details: Loose[]) => details.map((violation) => violation.path);

test.each(wrongCommonFields)('refuses %s', async (_name, fields, path) => {
  const answer = await mint({ experienceId: world.experienceId, ...fields });
  expectError(answer, 400, 'INVALID_REQUEST');
  expect(paths(answer.json.error.details)).toEqual([path]);
  expect(answer.headers['access-control-allow-origin']).toBe(pageOrigin);
  expect(answer.headers['cache-control']).toBe('no-store, private');
});

test('refuses a body without experienceId', async () => {
  expect(paths((await mint({ locale: 'en' })).json.error.details)).toEqual(['experienceId']);
});

test('lists every violation of its own fields, and none of fields it does not take', async () => {
  const answer = await mint({
    experienceId: 'cafe',
    language: 'fr',
    speechOnly: 1,
    userId: 5,
    closeButton: 5,
  });
  expectError(answer, 400, 'INVALID_REQUEST');
  expect(paths(answer.json.error.details).sort()).toEqual(['experienceId', 'language', 'speechOnly']);
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

test('secondaryLocale and learningLocale that disagree are LOCALE_CONFLICT', async () => {
  const { experienceId } = world;
  const answer = await mint({ experienceId, secondaryLocale: 'es', learningLocale: 'es-MX' });
  expectError(answer, 400, 'LOCALE_CONFLICT');
});
