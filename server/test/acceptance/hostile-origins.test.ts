import { deployedService } from '@session-launch/testing/deployment.ts';
import { expectError, type World } from '@session-launch/testing/world.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { exactEntries, hostileOrigins, originsOfPages, wildcardEntries } from '../harness/hostile-origins.ts';
import { browserEndpoint, mintAt, openWorld, publicEndpoint } from './mint-endpoints.ts';

const service = deployedService();

const worlds: Record<string, World> = {};
beforeAll(async () => {
  for (const [name, allowedOrigins] of Object.entries({ exact: exactEntries, wildcard: wildcardEntries })) {
    worlds[name] = await openWorld(service, { project: { allowedOrigins }, experience: { allowedOrigins } });
  }
});

/** As header bytes. Excludes values that HTTP cannot carry or trims at the ends. */
const sendable = hostileOrigins
  .map((value) => Buffer.from(value).toString('latin1'))
  .filter((value) => value.length < 8_000 && !/[\0\r\n]/.test(value) && value === value.trim());

test('the list has more than a hundred hostile origins', () => {
  expect(new Set(sendable).size).toBeGreaterThan(100);
});

const mintFromOrigin = (endpoint: typeof browserEndpoint, world: World, origin: string) =>
  mintAt(service, endpoint, world, { experienceId: world.experienceId }, { Origin: origin });

describe.each([browserEndpoint, publicEndpoint])('$path', (endpoint) => {
  test.each(['exact', 'wildcard'])('refuses every hostile origin with %s entries', async (name) => {
    const world = worlds[name]!;
    for (const origin of sendable) {
      const answer = await mintFromOrigin(endpoint, world, origin);
      expectError(answer, 403, origin === '' ? 'ORIGIN_REQUIRED' : 'ORIGIN_NOT_ALLOWED');
      // Only a serialised origin may read the response, and only at the browser endpoint.
      const readable = endpoint === browserEndpoint && originsOfPages.has(origin);
      expect(answer.headers['access-control-allow-origin'], origin).toBe(readable ? origin : undefined);
    }
  });

  test('admits the listed origins', async () => {
    for (const [name, origins] of [
      ['exact', exactEntries],
      ['wildcard', ['https://www.example.com', 'https://a-b.example.com']],
    ] as const) {
      for (const origin of origins) {
        const world = worlds[name]!;
        const answer = await mintFromOrigin(endpoint, world, origin);
        expect(answer.status, answer.text).toBe(endpoint.launches);
        expect(answer.headers['access-control-allow-origin']).toBe(origin);
      }
    }
  });
});

test('no hostile origin has created a session', async () => {
  for (const [name, launches] of [
    ['exact', 2 * exactEntries.length],
    ['wildcard', 4],
  ] as const) {
    const listed = await service.admin({ path: `/admin/projects/${worlds[name]!.projectId}/sessions` });
    expect(listed.json.sessions).toHaveLength(launches);
  }
});
