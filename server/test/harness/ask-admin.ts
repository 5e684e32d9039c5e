import type { AdminRoutes } from '@session-launch/contract/admin/api';
import { type AnswerOf, type ArgumentsOf, requestOf } from '@session-launch/contract/call';
import type { Target } from '@session-launch/testing/target.ts';
import { expect } from 'vitest';

/** Sends a valid request to the admin API and returns the JSON of the successful answer. For refused requests, use `service.admin`. */
export async function askAdmin<R extends keyof AdminRoutes>(
  service: Pick<Target, 'admin'>,
  route: R,
  ...[call]: ArgumentsOf<AdminRoutes[R], string | Buffer, unknown>
): Promise<AnswerOf<AdminRoutes[R]>> {
  const answer = await service.admin(requestOf(route, call));
  expect(Math.trunc(answer.status / 100), answer.text).toBe(2);
  return answer.text === '' ? (undefined as AnswerOf<AdminRoutes[R]>) : answer.json;
}
