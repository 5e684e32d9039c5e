import { answer, Refused } from './answers.ts';
import { readText } from './body.ts';
import type { RelayDeps } from './deps.ts';
import { spend } from './mint.ts';
import { requireSameOrigin } from './same-origin.ts';

/**
 * Ends the session whose token is the request body, as sent by `sendBeacon` of a page that is being unloaded. The token authenticates
 * the request, so `authorize` is not called. Expired tokens are accepted: ending the session is all that they allow here.
 */
export async function relayEnd(deps: RelayDeps, request: Request): Promise<Response> {
  requireSameOrigin(request, deps.rules.origins);
  const token = (await readText(request)).trim();
  const sessionId = await deps.sessionOf(token);
  if (sessionId === undefined)
    throw new Refused(401, 'SESSION_TOKEN_INVALID', 'Send the session token as the body.');
  await spend(deps, sessionId);
  await deps.client.sessions.end(sessionId);
  return answer(204, undefined);
}
