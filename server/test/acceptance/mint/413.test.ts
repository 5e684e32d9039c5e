import { deployedService } from '@session-launch/testing/deployment.ts';
import { expectError } from '@session-launch/testing/world.ts';
import { describe, expect, test } from 'vitest';
import { bodyOf } from '../bodies.ts';
import { endpoints, mintChunkedAt, mintRawAt, sharedWorld } from '../mint-endpoints.ts';

const service = deployedService();
const limit = 64 * 1024;

describe.each(endpoints)('$path', (endpoint) => {
  test('accepts a body of exactly 64 KiB', async () => {
    const world = await sharedWorld(service);
    const answer = await mintRawAt(service, endpoint, world, bodyOf(limit, world.experienceId));
    expect(answer.status, answer.text).toBe(endpoint.launches);
  });

  test('refuses one byte more', async () => {
    const world = await sharedWorld(service);
    const answer = await mintRawAt(service, endpoint, world, bodyOf(limit + 1, world.experienceId));
    expectError(answer, 413, 'PAYLOAD_TOO_LARGE');
    expect(answer.headers['cache-control']).toBe('no-store, private');
  });

  test('counts bytes, not characters', async () => {
    const world = await sharedWorld(service);
    const text = JSON.stringify({ experienceId: world.experienceId, theme: 'é'.repeat(limit / 2) });
    expect(text.length).toBeLessThan(limit);
    expectError(await mintRawAt(service, endpoint, world, text), 413, 'PAYLOAD_TOO_LARGE');
  });

  test('accepts a chunked body of exactly 64 KiB and refuses one byte more', async () => {
    const world = await sharedWorld(service);
    const whole = await mintChunkedAt(service, endpoint, world, bodyOf(limit, world.experienceId));
    expect(whole.status, whole.text).toBe(endpoint.launches);
    const more = await mintChunkedAt(service, endpoint, world, bodyOf(limit + 1, world.experienceId));
    expectError(more, 413, 'PAYLOAD_TOO_LARGE');
  });

  test('a body of several megabytes gets a response, not a reset connection', async () => {
    const world = await sharedWorld(service);
    const body = bodyOf(4 * 1024 * 1024, world.experienceId);
    expectError(await mintRawAt(service, endpoint, world, body), 413, 'PAYLOAD_TOO_LARGE');
    expectError(await mintChunkedAt(service, endpoint, world, body), 413, 'PAYLOAD_TOO_LARGE');
  });
});
