import { deployedService } from '@session-launch/testing/deployment.ts';
import { expectError, pageOrigin, type World } from '@session-launch/testing/world.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  forExperience,
  notJson,
  notObjects,
  unfitJson,
  wrongCommonFields,
  wrongServerFields,
} from '../bodies.ts';
import { endpoints, type Loose, mintAt, mintRawAt, openWorld, serverEndpoint } from '../mint-endpoints.ts';

const service = deployedService();
let world: World;
beforeAll(async () => {
  world = await openWorld(service);
});

const paths = (details: Loose[]) => details.map((violation) => violation.path);

describe.each(endpoints)('$path', (endpoint) => {
  const mint = (body: unknown) => mintAt(service, endpoint, world, body);
  const mintRaw = (body: string | Buffer) => mintRawAt(service, endpoint, world, body);
  const wrongFields =
    endpoint === serverEndpoint ? [...wrongCommonFields, ...wrongServerFields] : wrongCommonFields;

  test.each(wrongFields)('refuses %s', async (_name, fields, path) => {
    const answer = await mint({ experienceId: world.experienceId, ...fields });
    expectError(answer, 400, 'INVALID_REQUEST');
    expect(paths(answer.json.error.details)).toEqual([path]);
    expect(answer.json.error.details[0].message).toMatch(/\S/);
    expect(answer.headers['cache-control']).toBe('no-store, private');
    expect(answer.headers['access-control-allow-origin']).toBe(
      endpoint === serverEndpoint ? undefined : pageOrigin,
    );
  });

  test('refuses a body without experienceId', async () => {
    for (const body of [{}, { locale: 'en' }]) {
      const answer = await mint(body);
      expectError(answer, 400, 'INVALID_REQUEST');
      expect(paths(answer.json.error.details)).toEqual(['experienceId']);
    }
  });

  test('does not accept a slug as experienceId', async () => {
    const { slug } = world.file.experiences[0]!;
    expectError(await mint({ slug }), 400, 'INVALID_REQUEST');
    expectError(await mint({ experienceId: slug }), 400, 'INVALID_REQUEST');
  });

  test('lists every violation of its fields, and none of fields it ignores', async () => {
    const answer = await mint({
      experienceId: 5,
      locale: 'en_US',
      language: 'fr',
      mode: 'shouting',
      speechOnly: 'true',
      startButton: [],
      closeButton: 5,
      userId: '',
      integration: { returnUrl: 'javascript:alert(1)' },
    });
    expectError(answer, 400, 'INVALID_REQUEST');
    const ofServers = ['closeButton', 'integration.returnUrl', 'userId'];
    const common = ['experienceId', 'language', 'locale', 'mode', 'speechOnly', 'startButton'];
    expect(paths(answer.json.error.details).sort()).toEqual(
      endpoint === serverEndpoint ? [...common, ...ofServers].sort() : common,
    );
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

  test('refuses a NUL character in any field, including ignored ones', async () => {
    const body = `{"experienceId":"${world.experienceId}","userId":"\\u0000"}`;
    expectError(await mintRaw(body), 400, 'INVALID_REQUEST');
  });

  test('treats a missing body as an empty one', async () => {
    expectError(await mint(undefined), 400, 'INVALID_JSON');
  });

  test.each([
    ['es', 'fr'],
    ['es', 'es-MX'],
    ['es-MX', 'es'],
  ])(
    'answers LOCALE_CONFLICT to secondaryLocale %s and learningLocale %s',
    async (secondaryLocale, learningLocale) => {
      const answer = await mint({ experienceId: world.experienceId, secondaryLocale, learningLocale });
      expectError(answer, 400, 'LOCALE_CONFLICT');
    },
  );
});

test('an error quotes neither the user nor the return address', async () => {
  const answer = await mintAt(service, serverEndpoint, world, {
    experienceId: world.experienceId,
    mode: 'shouting',
    userId: 'alice@example.com',
    integration: { returnUrl: 'javascript:stealCookies()' },
  });
  expectError(answer, 400, 'INVALID_REQUEST');
  expect(answer.text).not.toContain('alice');
  expect(answer.text).not.toContain('stealCookies');
});
