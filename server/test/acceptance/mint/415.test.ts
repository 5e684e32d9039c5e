import { deployedService } from '@session-launch/testing/deployment.ts';
import { expectError } from '@session-launch/testing/world.ts';
import { describe, expect, test } from 'vitest';
import { jsonMediaTypes, otherMediaTypes } from '../bodies.ts';
import { doors, knock, sharedWorld } from '../doors.ts';

const service = deployedService();

describe.each(doors)('$path', (door) => {
  test.each(jsonMediaTypes)('accepts %j', async (type) => {
    const world = await sharedWorld(service);
    const body = JSON.stringify({ experienceId: world.experienceId });
    const answer = await knock(service, door, world, body, { 'Content-Type': type });
    expect(answer.status, answer.text).toBe(door.launches);
  });

  test.each(otherMediaTypes)('refuses %j', async (type) => {
    const world = await sharedWorld(service);
    const body = JSON.stringify({ experienceId: world.experienceId });
    const answer = await knock(service, door, world, body, { 'Content-Type': type });
    expectError(answer, 415, 'UNSUPPORTED_MEDIA_TYPE');
    expect(answer.headers['cache-control']).toBe('no-store, private');
  });

  test('refuses a body without a media type', async () => {
    const world = await sharedWorld(service);
    const answer = await knock(service, door, world, JSON.stringify({ experienceId: world.experienceId }));
    expectError(answer, 415, 'UNSUPPORTED_MEDIA_TYPE');
  });

  test('checks the caller before the media type', async () => {
    for (const type of otherMediaTypes) {
      const answer = await service.call({
        method: 'POST',
        path: door.path,
        headers: { 'Content-Type': type },
        body: '{}',
      });
      expect([401, 403], `${type}: ${answer.text}`).toContain(answer.status);
      expect(answer.json.error.code).toMatch(/^(API_KEY_INVALID|ORIGIN_REQUIRED)$/);
    }
  });
});
