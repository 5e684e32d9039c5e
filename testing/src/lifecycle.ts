import { expect } from 'vitest';
import type { Answer } from './http.ts';
import type { Target } from './target.ts';
import { mintFromServer, type World } from './world.ts';

/** The id and token of a minted session, from the mint response. */
export interface Launch {
  sessionId: string;
  sessionToken: string;
}

export async function launched(
  service: Target,
  { key, experienceId }: Pick<World, 'key' | 'experienceId'>,
): Promise<Launch> {
  const answer = await mintFromServer(service, key, { experienceId });
  expect(answer.status, answer.text).toBe(201);
  return answer.json.launch;
}

/** Sends the request that a runtime sends when a client connects with a session token. */
export function connect(
  service: Pick<Target, 'runtime'>,
  { sessionId, sessionToken }: Launch,
  runtimeId = 'rt_test',
  client?: string,
): Promise<Answer> {
  const path = `/runtime/v1/sessions/${sessionId}/connect`;
  return service.runtime({ method: 'POST', path, body: { sessionToken, runtimeId, client } });
}

export interface Reported {
  sessionId: string;
  seconds: number;
  waiting?: boolean;
  ended?: string;
}

/** Sends the report that a runtime sends for its sessions every few seconds. */
export function report(
  service: Pick<Target, 'runtime'>,
  sessions: Reported[],
  runtimeId = 'rt_test',
): Promise<Answer> {
  return service.runtime({ method: 'POST', path: '/runtime/v1/reports', body: { runtimeId, sessions } });
}

/** Sends the beacon that a page sends when it is closed. */
export function leave(
  service: Pick<Target, 'call'>,
  sessionId: string,
  body: string,
  headers: Record<string, string> = {},
): Promise<Answer> {
  return service.call({
    method: 'POST',
    path: `/v1/sessions/${sessionId}/leave`,
    headers: { 'Content-Type': 'text/plain;charset=UTF-8', ...headers },
    body,
  });
}
