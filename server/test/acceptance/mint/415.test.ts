import { deployedService } from '@session-launch/testing/deployment.ts';
import { expectError } from '@session-launch/testing/world.ts';
import { describe, expect, test } from 'vitest';
import { jsonMediaTypes, otherMediaTypes } from '../bodies.ts';
import { endpoints, mintAt, sharedWorld } from '../mint-endpoints.ts';

const service = deployedService();

describe.each(endpoints)('$path', (endpoint) => {
  test.each(jsonMediaTypes)('accepts %j', async (type) => {
    const world = await sharedWorld(service);
    const body = JSON.stringify({ experienceId: world.experienceId });
    const answer = await mintAt(service, endpoint, world, body, { 'Content-Type': type });
    expect(answer.status, answer.text).toBe(endpoint.launches);
  });

  test.each(otherMediaTypes)('refuses %j', async (type) => {
    const world = await sharedWorld(service);
    const body = JSON.stringify({ experienceId: world.experienceId });
    const answer = await mintAt(service, endpoint, world, body, { 'Content-Type': type });
    expectError(answer, 415, 'UNSUPPORTED_MEDIA_TYPE');
    expect(answer.headers['cache-control']).toBe('no-store, private');
  });

  test('refuses a body without a media type', async () => {
    const world = await sharedWorld(service);
    const answer = await mintAt(
      service,
      endpoint,
      world,
      JSON.stringify({ experienceId: world.experienceId }),
    );
    expectError(answer, 415, 'UNSUPPORTED_MEDIA_TYPE');
  });

  test('checks the caller before the media type', async () => {
    for (const type of otherMediaTypes) {
      const answer = await service.call({
        method: 'POST',
        path: endpoint.path,
        headers: { 'Content-Type': type },
        body: '{}',
      });
      expect([401, 403], `${type}: ${answer.text}`).toContain(answer.status);
      expect(answer.json.error.code).toMatch(/^(API_KEY_INVALID|ORIGIN_REQUIRED)$/);
    }
  });
});
