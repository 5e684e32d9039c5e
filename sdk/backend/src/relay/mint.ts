import type { ServerMintRequest } from '../contract.ts';
import { answer, Refused } from './answers.ts';
import { invalid, readObject } from './body.ts';
import type { RelayDeps } from './deps.ts';
import type { Grant } from './grant.ts';
import type { Rules } from './options.ts';
import { requireSameOrigin } from './same-origin.ts';
import { budgetOf, idempotencyKey } from './visitor.ts';

/** Mints a session for a page and returns the manifest without the envelope. */
export async function relayMint(deps: RelayDeps, request: Request): Promise<Response> {
  const { client, rules } = deps;
  requireSameOrigin(request, rules.origins);
  // `authorize` receives the original request and may read its body, so the body is read from a clone.
  const page = request.clone();
  const grant = await admit(deps, request);
  await spend(deps, budgetOf(request, grant));
  const body = await readObject(page);
  const userId = userOf(body, grant, rules);
  const mint = mintRequest(body, grant, userId, rules);
  if (!(await rules.mayLaunch(mint.experienceId, grant)))
    throw new Refused(403, 'EXPERIENCE_FORBIDDEN', 'This site does not launch that experience.');
  const key = await idempotencyKey(request, grant, grant.userId === undefined ? userId : undefined);
  const minted = await client.sessions.mint(mint, {
    // A page that aborts its request may send it again, so the relay must stop retrying the aborted one.
    signal: request.signal,
    ...(key === undefined ? {} : { idempotencyKey: key }),
  });
  return answer(200, minted.launch, {
    'X-Request-Id': minted.requestId,
    ...(minted.replayed ? { 'Idempotent-Replayed': 'true' } : {}),
  });
}

export async function admit({ rules }: RelayDeps, request: Request): Promise<Grant> {
  const grant = await rules.authorize(request);
  if (!request.bodyUsed) void request.body?.cancel().catch(() => {});
  if (typeof grant === 'object' && grant !== null) return grant;
  throw new Refused(401, 'UNAUTHORIZED', 'Sign in first.');
}

export async function spend(deps: RelayDeps, budget: string | undefined): Promise<void> {
  const { limiter } = deps.rules;
  if (limiter === undefined) return;
  if (budget === undefined) deps.tellOfSharedBudget();
  const seconds = await limiter(budget ?? 'everybody');
  if (seconds === undefined) return;
  const message =
    'Too many sessions were requested in a short time. Retry after the time given in Retry-After.';
  throw new Refused(429, 'RATE_LIMITED', message, { headers: { 'Retry-After': String(seconds) } });
}

/** User id of the session. Throws a 403 if the page sends a user id that is neither granted nor accepted. */
function userOf(body: Record<string, unknown>, grant: Grant, rules: Rules): string | undefined {
  const { userId } = body;
  const granted = grant.userId ?? grant.fields?.userId;
  if (userId === undefined || userId === granted) return granted;
  if (typeof userId !== 'string') throw invalid('userId', 'must be a string');
  if (granted === undefined && rules.acceptUserId) return userId;
  throw new Refused(403, 'USER_FORBIDDEN', 'A session cannot be launched for this user.');
}

function mintRequest(
  body: Record<string, unknown>,
  { fields = {} }: Grant,
  userId: string | undefined,
  { pageMaySet }: Rules,
): ServerMintRequest {
  const experienceId = fields.experienceId ?? body.experienceId;
  if (typeof experienceId !== 'string') throw invalid('experienceId', 'is required and must be a string');
  const wishes = Object.fromEntries(
    pageMaySet.flatMap((field) => (body[field] === undefined ? [] : [[field, body[field]]])),
  );
  // Both fields set the same value: if the grant has either, the page's values would conflict with it.
  if (fields.secondaryLocale !== undefined || fields.learningLocale !== undefined) {
    delete wishes.secondaryLocale;
    delete wishes.learningLocale;
  }
  return { ...wishes, ...fields, experienceId, ...(userId === undefined ? {} : { userId }) };
}
