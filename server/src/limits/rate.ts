import type { Limits } from '@session-launch/contract/project-file/fields';
import { ApiError } from '../primitives/errors.ts';
import type { Database } from '../store/database.ts';
import { type Budget, rateLimitHeaders } from './headers.ts';
import { type Gate, isAdmitted, MemoryWindows, type Position, SharedWindows } from './rate-windows.ts';

const windowSeconds = 60;
type Policy = 'client' | 'project';

/** The details of a `RATE_LIMITED` error. */
export interface RateLimitDetails {
  policy: Policy;
  limit: number;
  retryAfterSeconds: number;
}

export interface RateLimits {
  /** Charges the client's window, then the project's. Throws 429 `RATE_LIMITED` if either is exhausted. */
  spend(projectId: string, limits: Limits, client: string): Promise<Budget[]>;
  /** Throws the error that `spend` would throw now, without charging anything. */
  check(projectId: string, limits: Limits, client: string): Promise<void>;
  /** Deletes expired windows. Called periodically. */
  clean(): Promise<void>;
}

/** One-minute windows: in memory on the embedded engine, shared through PostgreSQL otherwise. */
export function openRateLimits(database: Database): RateLimits {
  const windows =
    database.engine === 'postgres'
      ? new SharedWindows(database, windowSeconds)
      : new MemoryWindows(windowSeconds);
  return {
    async spend(projectId, limits, client) {
      const gates = gatesOf(projectId, limits, client);
      const budgets: Budget[] = [];
      for (const [i, position] of (await windows.spend(gates)).entries()) {
        const gate = gates[i]!;
        const state = budget(gate, position);
        budgets.push(state);
        if (!isAdmitted(position, gate)) throw rateLimited(budgets, state);
      }
      return budgets;
    },
    async check(projectId, limits, client) {
      const gates = gatesOf(projectId, limits, client);
      const budgets = (await windows.look(gates)).map((position, i) => budget(gates[i]!, position));
      const exhausted = budgets.findIndex(({ remaining }) => remaining === 0);
      if (exhausted >= 0) throw rateLimited(budgets.slice(0, exhausted + 1), budgets[exhausted]!);
    },
    clean: () => windows.clean(),
  };
}

interface PolicyGate extends Gate {
  policy: Policy;
}

/** The windows that a mint must pass, in order. */
function gatesOf(projectId: string, limits: Limits, client: string): PolicyGate[] {
  const gates: PolicyGate[] = [];
  const { mintsPerMinutePerClient, mintsPerMinute } = limits;
  if (mintsPerMinutePerClient !== null) {
    gates.push({ policy: 'client', limit: mintsPerMinutePerClient, key: `client:${projectId} ${client}` });
  }
  if (mintsPerMinute !== null) {
    gates.push({ policy: 'project', limit: mintsPerMinute, key: `project:${projectId}` });
  }
  return gates;
}

function budget({ policy, limit }: PolicyGate, { points, leftMs }: Position): Budget {
  // Round to whole milliseconds first: floating-point error could otherwise add a second.
  const resetSeconds = Math.max(Math.ceil(Math.round(leftMs) / 1000), 1);
  return { policy, limit, windowSeconds, remaining: Math.max(limit - points, 0), resetSeconds };
}

function rateLimited(budgets: Budget[], exhausted: Budget): ApiError {
  const whose = exhausted.policy === 'client' ? 'this client' : 'this project';
  const details: RateLimitDetails = {
    policy: exhausted.policy as Policy,
    limit: exhausted.limit,
    retryAfterSeconds: exhausted.resetSeconds,
  };
  return new ApiError('RATE_LIMITED', {
    message: `Too many sessions for ${whose}: at most ${exhausted.limit} a minute. Retry after ${exhausted.resetSeconds} s.`,
    details,
    headers: { ...rateLimitHeaders(budgets), 'Retry-After': String(exhausted.resetSeconds) },
  });
}
