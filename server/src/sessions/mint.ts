import { ApiError } from '../errors.ts';
import type { Directory } from '../experiences/directory.ts';
import type { Revision } from '../experiences/revision.ts';
import type { LaunchableExperience } from '../experiences/store.ts';
import { fingerprint } from '../idempotency/fingerprint.ts';
import { idempotencyHash, readIdempotencyKey } from '../idempotency/key.ts';
import { newId } from '../ids.ts';
import type { KeyHolder, KeyRing } from '../keys/authenticate.ts';
import { clientNetwork } from '../limits/client-address.ts';
import { type Budget, rateLimitHeaders } from '../limits/headers.ts';
import { dayBudget, quotaDay } from '../limits/quota.ts';
import type { RateLimits } from '../limits/rate.ts';
import { allows, nearMiss } from '../origins/origin.ts';
import { endOfTurn } from '../turn.ts';
import type { Door } from './doors.ts';
import { resolveLocales } from './locale.ts';
import { renderManifest } from './manifest.ts';
import type { MintRequest } from './mint-request.ts';
import type { Claim, MintToRecord, QuotaState, Recorded } from './record-statement.ts';
import type { Recorder } from './recorder.ts';
import { sessionRecord } from './session-record.ts';
import type { TokenSigner } from './signer.ts';
import type { Session } from './store.ts';
import { signSessionToken } from './token.ts';

export interface MintDeps {
  keyRing: KeyRing;
  directory: Directory;
  rates: RateLimits;
  recorder: Recorder;
  signer: TokenSigner;
  /** The service's public address, known once it listens. */
  issuer: () => string;
  tokenTtlSeconds: number;
}

/** What a request brings to a door. */
export interface Visit {
  authorization: string | undefined;
  origin: string | undefined;
  acceptLanguage: string | undefined;
  rawHeaders: readonly string[];
  /** Whom a mint is counted under; asked for where that matters. */
  clientAddress: () => string;
  /** Media type, size and JSON are checked when it is called, and not before. */
  readBody: () => Promise<unknown>;
  /** Called once the experience is known: from then on CORS follows its own allowlist. */
  onExperience: (experience: LaunchableExperience) => void;
}

export interface Launch {
  replayed: boolean;
  body: string;
  headers: Record<string, string>;
}

/** Admitted callers: the holder of a key, or a page at an origin. */
type Caller = { holder: KeyHolder } | { origin: string };

/** The pipeline of every mint. Its order is the contract's: of two failures, the earlier one is answered. */
export async function mint(deps: MintDeps, door: Door, visit: Visit): Promise<Launch> {
  let caller = await identify(deps, door, visit);
  const key = door.idempotent ? readIdempotencyKey(visit.rawHeaders) : undefined;
  const asked = performance.now();
  const body = await visit.readBody();
  // While a slow body came in, the key may have been revoked.
  if (performance.now() - asked > 1_000) caller = await identify(deps, door, visit);
  const request = door.read(body);
  const found = deps.directory.experience(request.experienceId, () => clientNetwork(visit.clientAddress()));
  const experience = requireLaunchable(door, caller, found instanceof Promise ? await found : found);
  visit.onExperience(experience);
  if ('origin' in caller) admitOrigin(door, caller.origin, experience);
  const budgets = door.limited ? await spendRates(deps, visit, experience) : [];

  const at = new Date();
  const fresh = draftSession(deps, door, visit, caller, request, experience, at);
  if (fresh instanceof ApiError && key === undefined) throw fresh;
  const toRecord: MintToRecord = {
    claim: key === undefined ? undefined : claim(door, visit, caller, experience, key, body),
    session: fresh instanceof ApiError ? undefined : fresh,
    quota: door.limited ? { projectId: experience.projectId, day: quotaDay(at) } : undefined,
  };
  const { recorded, isRecalled, prepared } = await record(deps, door, toRecord, experience.latest);
  const { session, quota } = settle(recorded, fresh, budgets, at);
  const replayed = session !== fresh;
  return {
    replayed,
    body: replayed || prepared === undefined ? await answerLater(deps, door, session, isRecalled) : prepared,
    headers: {
      ...(door.limited ? rateLimitHeaders([...budgets, ...dayBudgets(quota, at)]) : {}),
      ...(replayed ? { 'Idempotent-Replayed': 'true' } : {}),
    },
  };
}

function identify(deps: MintDeps, door: Door, visit: Visit): Caller | Promise<Caller> {
  if (door.admits === 'api-key') {
    const asker = () => clientNetwork(visit.clientAddress());
    const found = deps.keyRing.authenticate(visit.authorization, 'sessions:create', asker);
    return found instanceof Promise ? found.then((holder) => ({ holder })) : { holder: found };
  }
  if (visit.origin === undefined || visit.origin === '') throw new ApiError('ORIGIN_REQUIRED');
  return { origin: visit.origin };
}

function requireLaunchable(
  door: Door,
  caller: Caller,
  found: LaunchableExperience | null,
): LaunchableExperience {
  if (found === null) throw new ApiError('EXPERIENCE_NOT_FOUND');
  if ('holder' in caller && found.projectId !== caller.holder.projectId)
    throw new ApiError('EXPERIENCE_FORBIDDEN');
  if (found.status === 'archived') throw new ApiError('EXPERIENCE_NOT_FOUND');
  if (door.admits === 'experience-origin' && !found.public) throw new ApiError('EXPERIENCE_NOT_FOUND');
  return found;
}

function admitOrigin(door: Door, origin: string, experience: LaunchableExperience): void {
  if (!experience.project.browserEmbeds) throw new ApiError('BROWSER_EMBEDS_DISABLED');
  const ofProject = door.admits === 'project-origin';
  const entries = ofProject ? experience.project.allowedOrigins : experience.allowedOrigins;
  if (allows(entries, origin)) return;
  const hint = nearMiss(entries, origin);
  throw new ApiError('ORIGIN_NOT_ALLOWED', {
    message: `This origin is not on the allowlist of the ${ofProject ? 'project' : 'experience'}. Add it to allowedOrigins and apply the project file.`,
    details: { origin: origin.slice(0, 512), ...(hint === undefined ? {} : { hint }) },
  });
}

function spendRates(deps: MintDeps, visit: Visit, experience: LaunchableExperience): Promise<Budget[]> {
  return deps.rates.spend(
    experience.projectId,
    experience.project.limits,
    clientNetwork(visit.clientAddress()),
  );
}

/** A session as it would be recorded, or why there cannot be one: no revision, or a locale rule. */
function draftSession(
  deps: MintDeps,
  door: Door,
  visit: Visit,
  caller: Caller,
  request: MintRequest,
  experience: LaunchableExperience,
  at: Date,
): Session | ApiError {
  const livemode = 'holder' in caller ? caller.holder.livemode : true;
  if (experience.status !== 'published' && livemode) return new ApiError('EXPERIENCE_NOT_PUBLISHED');
  const { runtime, number: revision } = experience.latest;
  try {
    const locales = resolveLocales(runtime.languages, {
      locale: request.locale,
      secondaryLocale: request.secondaryLocale,
      language: request.language,
      acceptLanguage: door.admits === 'api-key' ? undefined : visit.acceptLanguage,
    });
    const issuedAt = Math.floor(at.getTime() / 1000);
    return {
      id: newId('ses'),
      projectId: experience.projectId,
      experienceId: experience.id,
      revision,
      livemode,
      source: door.source,
      origin: 'origin' in caller ? caller.origin : null,
      userId: request.userId ?? null,
      processorId: request.processorId ?? null,
      mode: request.mode ?? runtime.mode,
      speechInputMode: request.speechInputMode ?? runtime.speechInputMode,
      speechOnly: request.speechOnly,
      locale: locales.locale,
      secondaryLocale: locales.secondaryLocale ?? null,
      player: (request.player as Record<string, unknown> | undefined) ?? null,
      createdAt: at,
      endedAt: null,
      tokenIssuedAt: issuedAt,
      tokenExpiresAt: issuedAt + deps.tokenTtlSeconds,
      tokenIssuer: deps.issuer(),
      tokenKeyId: deps.signer.keys.current.kid,
    };
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

/** Where a key counts as the same: a rotated API key replays, another visitor of the same page does not. */
function claim(
  door: Door,
  visit: Visit,
  caller: Caller,
  experience: LaunchableExperience,
  key: string,
  body: unknown,
): Claim {
  const scope =
    'holder' in caller
      ? [door.path, experience.projectId, caller.holder.livemode ? 'live' : 'test']
      : [door.path, experience.projectId, caller.origin, clientNetwork(visit.clientAddress())];
  return { hash: idempotencyHash(scope, key), fingerprint: fingerprint(body) };
}

function settle(
  recorded: Recorded,
  fresh: Session | ApiError,
  budgets: Budget[],
  at: Date,
): { session: Session; quota: QuotaState | undefined } {
  switch (recorded.outcome) {
    case 'recorded':
      if (fresh instanceof ApiError) throw fresh;
      return { session: fresh, quota: recorded.quota };
    case 'replayed':
      return { session: recorded.session, quota: recorded.quota };
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

function dayBudgets(quota: QuotaState | undefined, at: Date): Budget[] {
  return quota === undefined || quota.limit === null ? [] : [dayBudget(quota.limit, quota.used, at)];
}

function quotaExceeded(quota: QuotaState, budgets: Budget[], at: Date): ApiError {
  const day = dayBudget(quota.limit ?? 0, quota.used, at);
  return new ApiError('QUOTA_EXCEEDED', {
    details: { limit: day.limit, retryAfterSeconds: day.resetSeconds },
    headers: { ...rateLimitHeaders([...budgets, day]), 'Retry-After': String(day.resetSeconds) },
  });
}

/**
 * Records a mint. Its launch is signed and rendered meanwhile, for the common case that it is a new one; nothing of that
 * leaves the process otherwise.
 */
async function record(
  deps: MintDeps,
  door: Door,
  mint: MintToRecord,
  latest: Revision,
): Promise<{ recorded: Recorded; isRecalled?: true; prepared?: string | undefined }> {
  const known = deps.recorder.recent.recall(mint);
  if (known !== undefined) return { recorded: known, isRecalled: true };
  const recording = deps.recorder.record(mint);
  if (mint.session === undefined) return { recorded: await recording };
  // It is awaited below, but may fail before.
  recording.catch(() => undefined);
  // The write starts first.
  await endOfTurn();
  // Should it fail, what the write says still counts; a launch is then rendered once more.
  const prepared = await render(deps, door, mint.session, latest).catch(() => undefined);
  return { recorded: await recording, prepared };
}

/** Answers that are ready in one turn leave together: that wakes a client once, and not for each of them. */
async function answerLater(
  deps: MintDeps,
  door: Door,
  session: Session,
  isRecalled = false,
): Promise<string> {
  const { recent } = deps.recorder;
  let body = isRecalled ? recent.answerTo(session) : undefined;
  if (body === undefined) {
    const { projectId, experienceId, revision } = session;
    const pinned = await deps.directory.revision(projectId, experienceId, revision);
    body = await render(deps, door, session, pinned);
    if (isRecalled) recent.keepAnswer(session, body);
  }
  await endOfTurn();
  return body;
}

/** Fresh launches and replays are rendered alike, from the session row and its pinned revision alone. */
async function render(deps: MintDeps, door: Door, session: Session, revision: Revision): Promise<string> {
  const manifest = renderManifest(session, revision, await signSessionToken(deps.signer, session));
  return door.answers === 'manifest'
    ? manifest
    : `{"session":${JSON.stringify(sessionRecord(session))},"launch":${manifest}}`;
}
