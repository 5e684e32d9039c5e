import type { Directory } from '../content/directory.ts';
import type { Revision } from '../documents/revision.ts';
import { type Budget, rateLimitHeaders } from '../limits/headers.ts';
import { dayBudget, quotaDay } from '../limits/quota.ts';
import { ApiError } from '../primitives/errors.ts';
import { endOfTick } from '../primitives/event-loop.ts';
import type { MintRecorder } from '../recording/mint-recorder.ts';
import type { Claim, QuotaState, Recorded } from '../recording/statement.ts';
import { isOfUser } from '../sessions/forget.ts';
import type { OnStatus } from '../sessions/lifecycle.ts';
import { claimsJson, type Session, sessionRecord } from '../sessions/session.ts';
import { asMinted, type SessionRow, toRow } from '../sessions/session-row.ts';
import type { Change } from '../store/changes.ts';
import { signSessionToken } from '../tokens/session-token.ts';
import type { TokenSigner } from '../tokens/signer.ts';
import type { TransportAccess } from '../transports/transport-access.ts';
import type { Draft } from './draft.ts';
import type { LaunchForm } from './endpoints.ts';
import { renderManifest } from './manifest.ts';
import { RecentLaunches } from './recent-launches.ts';

export interface LaunchDeps {
  recorder: Pick<MintRecorder, 'record'>;
  directory: Directory;
  signer: TokenSigner;
  transports: TransportAccess;
  /** Called for each new launch. */
  onStatus?: OnStatus;
}

/** A recorded launch and its response. */
export interface Launched {
  replayed: boolean;
  body: string;
  /** The remaining daily quota, if one applies. */
  day?: Budget | undefined;
}

/**
 * Records each launch exactly once. New launches and replays are rendered alike, from the session and its pinned revision alone.
 *
 * Two optimisations: a new launch is signed and rendered while the database writes it, so a mint takes as long as the slower of the two;
 * and a launch that was just replayed is replayed from memory, at half the cost of a query. Launches that were never replayed are not
 * cached, because most never are and caching each would cost more than it saves.
 */
export class LaunchRecorder {
  readonly #deps: LaunchDeps;
  readonly #recent = new RecentLaunches();

  constructor(deps: LaunchDeps) {
    this.#deps = deps;
  }

  /** Records a draft under its idempotency claim, or returns the launch already recorded under that claim. */
  async record(draft: Draft, claim: Claim | undefined, budgets: readonly Budget[]): Promise<Launched> {
    const { endpoint, experience, at } = draft;
    // A response that reports the remaining daily quota must read it from the database.
    const recalled = claim && !endpoint.limited ? this.#recent.recall(claim) : undefined;
    if (recalled !== undefined) {
      if (!recalled.isSameBody) throw new ApiError('IDEMPOTENCY_CONFLICT');
      return { replayed: true, body: await this.#answerAgain(endpoint, recalled.session) };
    }
    const { generation } = this.#recent;
    const session = draft.session();
    if (session instanceof ApiError && claim === undefined) throw session;
    const fresh = session instanceof ApiError ? undefined : session;
    const recording = this.#deps.recorder.record({
      claim,
      session: fresh && toRow(fresh),
      quota: endpoint.limited ? { projectId: experience.projectId, day: quotaDay(at) } : undefined,
    });
    const prepared = fresh && (await this.#prepare(recording, endpoint, fresh, experience.revision));
    const recorded = await recording.catch(refuseDeleted);
    const launched = launchOf(recorded, session, budgets, at);
    const replayed = launched !== fresh;
    if (replayed && claim && !endpoint.limited) this.#recent.remember(claim, launched, generation);
    if (!replayed) this.#deps.onStatus?.(launched.id, 'created', launched.projectId);
    return {
      replayed,
      body: replayed || prepared === undefined ? await this.#render(endpoint, launched) : prepared,
      day: 'quota' in recorded ? dayOf(recorded.quota, at) : undefined,
    };
  }

  /** Removes cached launches of a user who is being forgotten. */
  onChange(change: Change | undefined): void {
    if (change === undefined) this.#recent.forget();
    else if (change.kind === 'user') this.#recent.forget((session) => isOfUser(session, change));
  }

  /** Renders the response of a new launch before the write has finished. It is discarded if the write fails. */
  async #prepare(
    recording: Promise<Recorded>,
    endpoint: LaunchForm,
    session: Session,
    revision: Revision,
  ): Promise<string | undefined> {
    // The caller awaits it later; it may reject before that.
    recording.catch(() => undefined);
    // Start the write first.
    await endOfTick();
    try {
      return await this.#renderWith(endpoint, session, revision);
    } catch {
      // The outcome of the write decides; the launch is then rendered again.
      return undefined;
    }
  }

  async #answerAgain(endpoint: LaunchForm, session: Session): Promise<string> {
    let body = this.#recent.answerTo(session);
    if (body === undefined) {
      body = await this.#render(endpoint, session);
      this.#recent.keepAnswer(session, body);
    }
    // Responses that become ready in the same tick are sent together, so that a client wakes up once.
    await endOfTick();
    return body;
  }

  async #render(endpoint: LaunchForm, session: Session): Promise<string> {
    const { projectId, experienceId, revision } = session;
    const pinned = await this.#deps.directory.revision(projectId, experienceId, revision);
    return this.#renderWith(endpoint, session, pinned);
  }

  async #renderWith(endpoint: LaunchForm, session: Session, revision: Revision): Promise<string> {
    const { signer, transports } = this.#deps;
    const token = await signSessionToken(signer, claimsJson(session), session.given.token.keyId);
    const access = transports.of(session, revision.runtime.transport);
    return endpoint.answer(
      () => JSON.stringify(sessionRecord(session, session.createdAt)),
      renderManifest(session, revision, token, access && (await access)),
    );
  }
}

/** The experience was deleted after it was looked up: see require_revisions. */
function refuseDeleted(error: unknown): never {
  const { code, constraint } = error as { code?: unknown; constraint?: unknown };
  const isDeleted = constraint === 'sessions_experience_of_project' || constraint === 'sessions_revision';
  throw code === '23503' && isDeleted ? new ApiError('EXPERIENCE_NOT_FOUND', { cause: error }) : error;
}

/** The session of a request, new or replayed; throws the refusal if there is none. */
function launchOf(
  recorded: Recorded,
  fresh: Session | ApiError,
  budgets: readonly Budget[],
  at: Date,
): Session {
  switch (recorded.outcome) {
    case 'recorded':
      if (fresh instanceof ApiError) throw fresh;
      return fresh;
    case 'replayed':
      return asMinted(recorded.prior as SessionRow);
    case 'absent':
      throw fresh;
    case 'conflict':
      throw new ApiError('IDEMPOTENCY_CONFLICT');
    case 'in_progress':
      throw new ApiError('IDEMPOTENCY_IN_PROGRESS', { headers: { 'Retry-After': '1' } });
    case 'quota_exceeded':
      throw quotaExceeded(recorded.quota, budgets, at);
  }
}

function dayOf(quota: QuotaState | undefined, at: Date): Budget | undefined {
  return quota === undefined || quota.limit === null ? undefined : dayBudget(quota.limit, quota.used, at);
}

function quotaExceeded(quota: QuotaState, budgets: readonly Budget[], at: Date): ApiError {
  const day = dayBudget(quota.limit ?? 0, quota.used, at);
  return new ApiError('QUOTA_EXCEEDED', {
    details: { limit: day.limit, retryAfterSeconds: day.resetSeconds },
    headers: { ...rateLimitHeaders([...budgets, day]), 'Retry-After': String(day.resetSeconds) },
  });
}
