import { RateLimiterRes } from 'rate-limiter-flexible';
import { ApiError } from '../errors.ts';
import type { Limits } from '../projects/project-file.ts';
import type { Database } from '../store/database.ts';
import { type Budget, rateLimitHeaders } from './headers.ts';
import { MemoryWindows, SharedWindows, WindowRateLimiter } from './rate-windows.ts';

const windowSeconds = 60;
type Policy = 'client' | 'project';

export interface RateLimits {
  /** Spends one mint of the client's budget, then one of the project's. Refuses with 429. */
  spend(projectId: string, limits: Limits, client: string): Promise<Budget[]>;
  /** Housekeeping, now and then. */
  clean(): Promise<void>;
}

/** One-minute windows: in memory on the embedded engine, shared through PostgreSQL otherwise. */
export function openRateLimits(database: Database): RateLimits {
  const windows =
    database.engine === 'postgres'
      ? new SharedWindows(database, windowSeconds)
      : new MemoryWindows(windowSeconds);
  const limiters = new Map<string, WindowRateLimiter>();

  /**
   * One limiter for each policy and limit: projects with equal limits share it, under keys of their own, and a
   * changed limit finds nothing blocked but the same windows.
   */
  function limiter(policy: Policy, points: number): WindowRateLimiter {
    const id = `${policy} ${points}`;
    let found = limiters.get(id);
    if (found === undefined) {
      found = new WindowRateLimiter(windows, { keyPrefix: policy, points, duration: windowSeconds });
      limiters.set(id, found);
    }
    return found;
  }

  async function consume(
    policy: Policy,
    limit: number,
    key: string,
  ): Promise<{ budget: Budget; admitted: boolean }> {
    try {
      return { budget: budget(policy, limit, await limiter(policy, limit).consume(key)), admitted: true };
    } catch (refusal) {
      if (!(refusal instanceof RateLimiterRes)) throw refusal;
      return { budget: { ...budget(policy, limit, refusal), remaining: 0 }, admitted: false };
    }
  }

  return {
    async spend(projectId, limits, client) {
      const asked: [Policy, number | null, string][] = [
        ['client', limits.mintsPerMinutePerClient, `${projectId} ${client}`],
        ['project', limits.mintsPerMinute, projectId],
      ];
      const budgets: Budget[] = [];
      for (const [policy, limit, key] of asked) {
        if (limit === null) continue;
        const { budget, admitted } = await consume(policy, limit, key);
        budgets.push(budget);
        if (!admitted) throw rateLimited(budgets, budget);
      }
      return budgets;
    },
    clean: () => windows.clean(),
  };
}

function budget(policy: Policy, limit: number, state: RateLimiterRes): Budget {
  const resetSeconds = Math.max(Math.ceil(state.msBeforeNext / 1000), 1);
  return { policy, limit, windowSeconds, remaining: Math.max(limit - state.consumedPoints, 0), resetSeconds };
}

function rateLimited(budgets: Budget[], exhausted: Budget): ApiError {
  const whose = exhausted.policy === 'client' ? 'this client' : 'this project';
  return new ApiError('RATE_LIMITED', {
    message: `Too many sessions for ${whose}: at most ${exhausted.limit} a minute. Retry after ${exhausted.resetSeconds} s.`,
    details: { policy: exhausted.policy, limit: exhausted.limit, retryAfterSeconds: exhausted.resetSeconds },
    headers: { ...rateLimitHeaders(budgets), 'Retry-After': String(exhausted.resetSeconds) },
  });
}
