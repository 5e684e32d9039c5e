import type { Answer } from '@session-launch/testing/http.ts';
import type { Target } from '@session-launch/testing/target.ts';
import { createWorld, pageOrigin, type World } from '@session-launch/testing/world.ts';
import { expect } from 'vitest';

export interface Limits {
  mintsPerMinutePerClient: number | null;
  mintsPerMinute: number | null;
  sessionsPerDay: number | null;
  concurrentSessions: number | null;
  concurrentSessionsPerClient: number | null;
}
export const unlimited: Limits = {
  mintsPerMinutePerClient: null,
  mintsPerMinute: null,
  sessionsPerDay: null,
  concurrentSessions: null,
  concurrentSessionsPerClient: null,
};

/** Creates a project whose experience can be launched at both browser endpoints. */
export function limitedWorld(service: Target, limits: Partial<Limits>): Promise<World> {
  return createWorld(service, {
    project: { limits: { ...unlimited, ...limits } },
    experience: { public: true, allowedOrigins: [pageOrigin] },
  });
}

/** Number of responses by status. */
export function statuses(answers: Answer[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

/** Parses RateLimit or RateLimit-Policy into the parameters of each policy. */
export function limitFields(header: string | string[] | undefined): Record<string, Record<string, number>> {
  const found: Record<string, Record<string, number>> = {};
  for (const item of String(header).split(', ')) {
    const [, policy, parameters] = /^"([a-z]+)"((?:;[a-z]=\d+)+)$/.exec(item) ?? [];
    expect(policy, `${header}`).toBeDefined();
    const pairs = parameters!
      .slice(1)
      .split(';')
      .map((parameter) => parameter.split('='));
    found[policy!] = Object.fromEntries(pairs.map(([name, value]) => [name, Number(value)]));
  }
  return found;
}
