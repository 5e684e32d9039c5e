import { type Budget, rateLimitHeaders } from '../limits/headers.ts';
import { ApiError } from '../primitives/errors.ts';
import { type RowToRecord, recordIn } from '../recording/statement.ts';
import type { Database, Transaction } from '../store/database.ts';
import { countSession, lockPreview, type PreviewState } from './previews.ts';

/** Maximum sessions that a preview starts within one minute. The minute begins with its first session. */
const sessionsPerMinute = 20;

/** Counts a session of a preview and records it, in one transaction. Throws 404 or 429 if the preview starts no session now. */
export async function redeem(database: Database, previewId: string, session: RowToRecord): Promise<void> {
  await database.transaction(async (tx) => {
    const state = await lockUsable(tx, previewId);
    if (state.isSameMinute && state.minuteSessions >= sessionsPerMinute) throw rateLimited(state);
    await countSession(tx, previewId, state);
    await recordIn(tx, session);
  });
}

/** Throws 404 unless the preview can still start sessions. */
export async function requireUsable(database: Database, previewId: string): Promise<void> {
  await database.transaction((tx) => lockUsable(tx, previewId));
}

/** Deleted, expired and used-up previews get the same response as unknown ones. */
async function lockUsable(tx: Transaction, previewId: string): Promise<PreviewState> {
  const state = await lockPreview(tx, previewId);
  if (!state?.isUsable) throw new ApiError('PREVIEW_NOT_FOUND');
  return state;
}

function rateLimited({ resetSeconds }: PreviewState): ApiError {
  const budget: Budget = {
    policy: 'preview',
    limit: sessionsPerMinute,
    windowSeconds: 60,
    remaining: 0,
    resetSeconds: Math.min(Math.max(resetSeconds, 1), 60),
  };
  return new ApiError('RATE_LIMITED', {
    message: `Too many sessions for this preview: at most ${budget.limit} a minute. Retry after ${budget.resetSeconds} s.`,
    details: { policy: budget.policy, limit: budget.limit, retryAfterSeconds: budget.resetSeconds },
    headers: { ...rateLimitHeaders([budget]), 'Retry-After': String(budget.resetSeconds) },
  });
}
