import type { Scope } from '@session-launch/contract/operation';
import { deployedService } from '@session-launch/testing/deployment.ts';
import {
  apply,
  createKey,
  expectError,
  experience,
  mintFromServer,
  pageOrigin,
  sessionsOf,
} from '@session-launch/testing/world.ts';
import { describe, expect, test } from 'vitest';
import {
  browserEndpoint,
  launch,
  mintAt,
  openWorld,
  pageEndpoints,
  publicEndpoint,
  serverEndpoint,
  sharedWorld,
} from '../mint-endpoints.ts';
import { nearMisses, notOrigins, notUnderWildcard, unlistedOrigins } from '../origins.ts';

const service = deployedService();

describe('/v1/sessions', () => {
  test.each<[Scope[]]>([[['sessions:read']], [['catalog:read']], [['sessions:read', 'catalog:read']]])(
    'a key with the scopes %j cannot mint',
    async (scopes) => {
      const world = await sharedWorld(service);
      const { key } = await createKey(service, world.projectId, { scopes });
      const answer = await mintFromServer(service, key, { experienceId: world.experienceId });
      expectError(answer, 403, 'INSUFFICIENT_SCOPE');
      expect(answer.json.error.details).toMatchObject({ required: 'sessions:create' });
      expect(answer.headers['cache-control']).toBe('no-store, private');
    },
  );

  test('a key cannot access an experience of another project', async () => {
    const [mine, theirs] = [await openWorld(service), await openWorld(service)];
    const answer = await mintFromServer(service, mine.key, { experienceId: theirs.experienceId });
    expectError(answer, 403, 'EXPERIENCE_FORBIDDEN');
    expect(answer.text).not.toContain(theirs.projectId);
    expect(answer.headers['cache-control']).toBe('no-store, private');
    for (const { projectId } of [mine, theirs]) expect(await sessionsOf(service, projectId)).toEqual([]);
  });

  test.each(['test', 'live'])('a %s key cannot access one that is not published there', async (mode) => {
    const mine = await sharedWorld(service);
    const theirs = await sharedWorld(service, { experience: { status: 'draft' } });
    const key = mode === 'test' ? mine.key : mine.liveKey;
    const answer = await mintFromServer(service, key, { experienceId: theirs.experienceId });
    expectError(answer, 403, 'EXPERIENCE_FORBIDDEN');
  });
});

describe.each(pageEndpoints)('$path', (endpoint) => {
  const mintWithout = (experienceId: string, headers: Record<string, string>) =>
    service.call({ method: 'POST', path: endpoint.path, headers, body: { experienceId } });
  const mintFrom = (world: { experienceId: string }, origin: string | string[], headers = {}) =>
    service.call({
      method: 'POST',
      path: endpoint.path,
      headers: { Origin: origin, ...headers },
      body: { experienceId: world.experienceId },
    });

  describe('ORIGIN_REQUIRED', () => {
    test.each([
      ['no Origin', {}],
      ['an empty Origin', { Origin: '' }],
    ])('%s', async (_name, headers) => {
      const world = await sharedWorld(service);
      const answer = await mintWithout(world.experienceId, headers);
      expectError(answer, 403, 'ORIGIN_REQUIRED');
      expect(answer.headers['cache-control']).toBe('no-store, private');
      expect(answer.headers).not.toHaveProperty('access-control-allow-origin');
    });

    test('neither Referer nor another header replaces Origin', async () => {
      const world = await sharedWorld(service);
      expectError(await mintWithout(world.experienceId, notOrigins), 403, 'ORIGIN_REQUIRED');
    });

    test('an API key does not replace it either', async () => {
      const world = await sharedWorld(service);
      const answer = await mintWithout(world.experienceId, serverEndpoint.admission(world));
      expectError(answer, 403, 'ORIGIN_REQUIRED');
    });
  });

  describe('ORIGIN_NOT_ALLOWED', () => {
    test.each(unlistedOrigins)('%s', async (_name, origin) => {
      const world = await sharedWorld(service);
      const answer = await mintFrom(world, origin, { Referer: `${pageOrigin}/page` });
      expectError(answer, 403, 'ORIGIN_NOT_ALLOWED');
      expect(answer.headers['cache-control']).toBe('no-store, private');
    });

    test('a refused mint creates no session', async () => {
      const world = await openWorld(service);
      expectError(await mintFrom(world, 'https://evil.example.org'), 403, 'ORIGIN_NOT_ALLOWED');
      expect(await sessionsOf(service, world.projectId)).toEqual([]);
    });

    test('origins that a wildcard entry does not cover', async () => {
      const world = await sharedWorld(service, endpoint.listing(['https://*.example.com']));
      for (const origin of notUnderWildcard) {
        expectError(await mintFrom(world, origin), 403, 'ORIGIN_NOT_ALLOWED');
      }
    });

    test('an empty allowlist refuses all origins, including those listed for the other endpoint', async () => {
      const world = await sharedWorld(service, endpoint.listing([]));
      expectError(await mintFrom(world, pageOrigin), 403, 'ORIGIN_NOT_ALLOWED');
    });

    test('an origin is refused as soon as it is removed from the allowlist', async () => {
      const world = await openWorld(service);
      await launch(service, endpoint, world);
      endpoint.relist(world.file, ['https://elsewhere.example.com']);
      await apply(service, world.file);
      expectError(await mintFrom(world, pageOrigin), 403, 'ORIGIN_NOT_ALLOWED');
    });
  });

  describe('the error message', () => {
    test('names the origin that was sent and no entry', async () => {
      const listed = ['https://secret-customer.example.com', 'https://*.hidden.example.com'];
      const world = await sharedWorld(service, endpoint.listing(listed));
      for (const origin of [pageOrigin, 'null']) {
        const answer = await mintFrom(world, origin);
        expect(answer.json.error.details).toEqual({ origin });
        expect(answer.text).not.toMatch(/secret-customer|hidden/);
      }
    });

    test.each(nearMisses)('hints at %s', async (_name, allowedOrigins, origin, hint) => {
      const listed = [...allowedOrigins, 'https://secret-customer.example.com'];
      const answer = await mintFrom(await sharedWorld(service, endpoint.listing(listed)), origin);
      expectError(answer, 403, 'ORIGIN_NOT_ALLOWED');
      expect(answer.json.error.details.origin).toBe(origin);
      expect(answer.json.error.details.hint).toMatch(hint);
      expect(answer.text).not.toMatch(/secret-customer/);
    });
  });

  describe('BROWSER_EMBEDS_DISABLED', () => {
    test('embeds are off, which does not affect servers', async () => {
      const world = await sharedWorld(service, { project: { browserEmbeds: false } });
      const answer = await mintFrom(world, pageOrigin);
      expectError(answer, 403, 'BROWSER_EMBEDS_DISABLED');
      expect(answer.json.error.message).toContain('Set browserEmbeds to true');
      expect(answer.json.error.details).toEqual({ origin: pageOrigin });
      expect(answer.headers['access-control-allow-origin']).toBe(pageOrigin);
      expect(answer.headers['cache-control']).toBe('no-store, private');
      await launch(service, serverEndpoint, world);
    });

    test('switching them off and on takes effect at once', async () => {
      const world = await openWorld(service);
      await launch(service, endpoint, world);
      world.file.project.browserEmbeds = false;
      await apply(service, world.file);
      expectError(await mintFrom(world, pageOrigin), 403, 'BROWSER_EMBEDS_DISABLED');
      world.file.project.browserEmbeds = true;
      await apply(service, world.file);
      await launch(service, endpoint, world);
    });
  });
});

describe('the allowlist', () => {
  const theirs = 'https://theirs.example.com';

  test('of another project is not used at /v1/browser-sessions', async () => {
    const [listing, other] = [
      await openWorld(service, { project: { allowedOrigins: [theirs] } }),
      await openWorld(service),
    ];
    const from = (experienceId: string) =>
      mintAt(service, browserEndpoint, listing, { experienceId }, { Origin: theirs });
    expect((await from(listing.experienceId)).status).toBe(201);
    expectError(await from(other.experienceId), 403, 'ORIGIN_NOT_ALLOWED');
  });

  test('of another experience of the project is not used at /v1/public-sessions', async () => {
    const listing = experience({ public: true, allowedOrigins: [theirs] });
    const other = experience({ public: true, allowedOrigins: ['https://mine.example.com'] });
    const world = await openWorld(service, { experiences: [listing, other] });
    const from = (experienceId: string) =>
      mintAt(service, publicEndpoint, world, { experienceId }, { Origin: theirs });
    expect((await from(listing.id)).status).toBe(200);
    expectError(await from(other.id), 403, 'ORIGIN_NOT_ALLOWED');
  });
});
