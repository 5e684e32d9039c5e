import { deployedService } from '@session-launch/testing/deployment.ts';
import { apply, expectError, mintFromBrowser, pageOrigin } from '@session-launch/testing/world.ts';
import { describe, expect, test } from 'vitest';
import { knock, openWorld, plainWorld, serverDoor } from '../doors.ts';
import { nearMisses, notOrigins, notUnderWildcard, unlistedOrigins } from '../origins.ts';

const service = deployedService();

function mintWithout(experienceId: string, headers: Record<string, string>) {
  return service.call({ method: 'POST', path: '/v1/browser-sessions', headers, body: { experienceId } });
}

describe('ORIGIN_REQUIRED', () => {
  test.each([
    ['no Origin', {}],
    ['an empty Origin', { Origin: '' }],
  ])('%s', async (_name, headers) => {
    const world = await plainWorld(service);
    const answer = await mintWithout(world.experienceId, headers);
    expectError(answer, 403, 'ORIGIN_REQUIRED');
    expect(answer.headers['cache-control']).toBe('no-store, private');
    expect(answer.headers).not.toHaveProperty('access-control-allow-origin');
  });

  test('nothing else stands in for an Origin, Referer least of all', async () => {
    const world = await openWorld(service);
    expectError(await mintWithout(world.experienceId, notOrigins), 403, 'ORIGIN_REQUIRED');
  });

  test('an API key does not stand in for it either', async () => {
    const world = await openWorld(service);
    const answer = await mintWithout(world.experienceId, serverDoor.admission(world));
    expectError(answer, 403, 'ORIGIN_REQUIRED');
  });
});

describe('ORIGIN_NOT_ALLOWED', () => {
  test.each(unlistedOrigins)('%s', async (_name, origin) => {
    const world = await plainWorld(service);
    const answer = await mintFromBrowser(
      service,
      { experienceId: world.experienceId },
      { Origin: origin, Referer: `${pageOrigin}/page` },
    );
    expectError(answer, 403, 'ORIGIN_NOT_ALLOWED');
    expect(answer.headers['cache-control']).toBe('no-store, private');
  });

  test.each(notUnderWildcard)('%s, where only https://*.example.com is listed', async (origin) => {
    const world = await openWorld(service, { project: { allowedOrigins: ['https://*.example.com'] } });
    const answer = await mintFromBrowser(service, { experienceId: world.experienceId }, { Origin: origin });
    expectError(answer, 403, 'ORIGIN_NOT_ALLOWED');
  });

  test('an empty allowlist refuses everyone', async () => {
    const world = await openWorld(service, { project: { allowedOrigins: [] } });
    expectError(
      await mintFromBrowser(service, { experienceId: world.experienceId }),
      403,
      'ORIGIN_NOT_ALLOWED',
    );
  });

  test('the allowlist of the experience does not count', async () => {
    const world = await openWorld(service, {
      project: { allowedOrigins: [] },
      experience: { public: true, allowedOrigins: [pageOrigin] },
    });
    expectError(
      await mintFromBrowser(service, { experienceId: world.experienceId }),
      403,
      'ORIGIN_NOT_ALLOWED',
    );
  });

  test('nor does the allowlist of another project', async () => {
    const theirs = await openWorld(service, { project: { allowedOrigins: ['https://theirs.example.com'] } });
    const mine = await openWorld(service);
    const at = (experienceId: string) =>
      mintFromBrowser(service, { experienceId }, { Origin: 'https://theirs.example.com' });
    expect((await at(theirs.experienceId)).status).toBe(201);
    expectError(await at(mine.experienceId), 403, 'ORIGIN_NOT_ALLOWED');
  });

  test('an origin is refused as soon as it has left the allowlist', async () => {
    const world = await openWorld(service);
    expect((await mintFromBrowser(service, { experienceId: world.experienceId })).status).toBe(201);
    world.file.project.allowedOrigins = ['https://elsewhere.example.com'];
    await apply(service, world.file);
    expectError(
      await mintFromBrowser(service, { experienceId: world.experienceId }),
      403,
      'ORIGIN_NOT_ALLOWED',
    );
  });
});

describe('what a refusal says', () => {
  const listed = ['https://secret-customer.example.com', 'https://*.hidden.example.com'];

  test('it names the origin that was sent and lists no entry', async () => {
    const world = await openWorld(service, { project: { allowedOrigins: listed } });
    const answer = await mintFromBrowser(service, { experienceId: world.experienceId });
    expect(answer.json.error.details).toEqual({ origin: pageOrigin });
    expect(answer.text).not.toMatch(/secret-customer|hidden/);
  });

  test('it names null, too', async () => {
    const world = await openWorld(service);
    const answer = await mintFromBrowser(service, { experienceId: world.experienceId }, { Origin: 'null' });
    expect(answer.json.error.details).toEqual({ origin: 'null' });
  });

  test.each(nearMisses)('it hints at %s', async (_name, allowedOrigins, origin, hint) => {
    const world = await openWorld(service, {
      project: { allowedOrigins: [...allowedOrigins, 'https://secret-customer.example.com'] },
    });
    const answer = await mintFromBrowser(service, { experienceId: world.experienceId }, { Origin: origin });
    expectError(answer, 403, 'ORIGIN_NOT_ALLOWED');
    expect(answer.json.error.details.origin).toBe(origin);
    expect(answer.json.error.details.hint).toMatch(hint);
    expect(answer.text).not.toMatch(/secret-customer/);
  });
});

describe('BROWSER_EMBEDS_DISABLED', () => {
  test('embeds are off', async () => {
    const world = await openWorld(service, { project: { browserEmbeds: false } });
    const answer = await mintFromBrowser(service, { experienceId: world.experienceId });
    expectError(answer, 403, 'BROWSER_EMBEDS_DISABLED');
    expect(answer.headers['access-control-allow-origin']).toBe(pageOrigin);
    expect(answer.headers['cache-control']).toBe('no-store, private');
  });

  test('switching them off and on takes effect at once', async () => {
    const world = await openWorld(service);
    const mint = () => mintFromBrowser(service, { experienceId: world.experienceId });
    expect((await mint()).status).toBe(201);
    world.file.project.browserEmbeds = false;
    await apply(service, world.file);
    expectError(await mint(), 403, 'BROWSER_EMBEDS_DISABLED');
    world.file.project.browserEmbeds = true;
    await apply(service, world.file);
    expect((await mint()).status).toBe(201);
  });

  test('servers still mint', async () => {
    const world = await openWorld(service, { project: { browserEmbeds: false } });
    const answer = await knock(service, serverDoor, world, { experienceId: world.experienceId });
    expect(answer.status).toBe(201);
  });
});

test('a refused mint leaves no session behind', async () => {
  const world = await openWorld(service);
  await mintFromBrowser(
    service,
    { experienceId: world.experienceId },
    { Origin: 'https://evil.example.org' },
  );
  const listed = await service.admin({ path: `/admin/projects/${world.projectId}/sessions` });
  expect(listed.json.sessions).toEqual([]);
});
