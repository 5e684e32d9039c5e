import { type SessionLaunch, settingsOf } from '../client.ts';
import { isLaunchError, type LaunchError } from '../errors.ts';
import { newRequestId, notAllowed, type Refusal, Refused, refuse } from './answers.ts';
import { catalogReader, relayCatalog } from './catalog.ts';
import { isPreflight, preflight, withCors } from './cors.ts';
import type { RelayDeps } from './deps.ts';
import { relayEnd } from './end.ts';
import { relayMint } from './mint.ts';
import { type RelayOptions, readRules } from './options.ts';
import { tokenReader } from './token-reader.ts';

/** Responds to a request, including CORS preflights. Never rejects. Has the signature of a Next.js route handler. */
export type Handler = (request: Request) => Promise<Response>;

export interface Relay {
  /** POST: mints a session for a page of this site and returns the manifest. */
  mint: Handler;
  /** POST with the session token as the body: ends the session. Suitable for `sendBeacon`. */
  end: Handler;
  /** GET: lists the experiences that the visitor may launch. */
  catalog: Handler;
}

/** Creates endpoints through which an application's pages launch sessions. The API key stays on the server. */
export function createRelay(client: SessionLaunch, options: RelayOptions): Relay {
  const settings = settingsOf(client);
  const rules = readRules(options);
  const { projectId } = rules;
  const report = settings.log ?? ((event: object) => console.error('session-launch relay:', event));
  let hasTold = false;
  const deps: RelayDeps = {
    client,
    rules,
    report,
    tellOfSharedBudget: () => {
      if (!hasTold)
        report({ event: 'relay.shared-budget', hint: 'return a limitKey for each visitor from authorize' });
      hasTold = true;
    },
    catalog: catalogReader((etag) => {
      if (projectId === undefined) throw misconfigured('createRelay was given no projectId');
      return client.experiences.list(projectId, etag === undefined ? {} : { etag });
    }),
    sessionOf: tokenReader(settings),
  };
  return {
    mint: handler(deps, 'POST', relayMint),
    end: handler(deps, 'POST', relayEnd),
    catalog: handler(deps, 'GET', relayCatalog),
  };
}

type Work = (deps: RelayDeps, request: Request) => Promise<Response>;

function handler(deps: RelayDeps, method: string, work: Work): Handler {
  return async (request) => {
    const response = await answered(deps, method, work, request).catch((error) =>
      refuse(refusalOf(deps, request, error)),
    );
    return withCors(deps.rules, request, response);
  };
}

async function answered(deps: RelayDeps, method: string, work: Work, request: Request): Promise<Response> {
  if (isPreflight(request)) return preflight(deps.rules, request, method);
  const asked = request.method === 'HEAD' ? 'GET' : request.method;
  if (asked === method) return work(deps, request);
  throw notAllowed(method);
}

/** Converts an error to the response for the page. Internal causes are logged, not sent. */
function refusalOf({ client, report }: RelayDeps, request: Request, error: unknown): Refusal {
  if (error instanceof Refused && error.refusal.code !== 'RELAY_MISCONFIGURED') return error.refusal;
  if (error instanceof Refused) {
    report({ event: 'relay.misconfigured', message: error.message });
    return { ...error.refusal, message: unusable };
  }
  // The page disconnected, which aborted the call to the service.
  if (isLaunchError(error) && request.signal.aborted)
    return { status: 503, code: 'ABORTED', message: 'The request was aborted.' };
  if (isLaunchError(error)) return passedOn(error, report, settingsOf(client).maxRetries);
  const requestId = newRequestId();
  report({ event: 'relay.failed', requestId, error });
  return { status: 500, code: 'INTERNAL', message: 'Something went wrong on our side.', requestId };
}

const unusable = 'This site cannot launch sessions right now.';

function passedOn(error: LaunchError, report: RelayDeps['report'], maxRetries: number): Refusal {
  const { code, message, status, requestId, retryAfterMs } = error;
  const details = maxRetries > 0 ? withAttempts(error) : error.details;
  // The service rejected the relay's API key. The visitor did not cause this, so the details are only logged.
  if (status === 401 || status === 403) {
    report({ event: 'relay.misconfigured', code, message, status, requestId });
    return { ...misconfigured(unusable).refusal, requestId };
  }
  const after = retryAfterMs ?? (status === undefined ? 1_000 : undefined);
  const headers = after === undefined ? {} : { 'Retry-After': String(Math.max(1, Math.ceil(after / 1000))) };
  if (status === undefined || code.startsWith('HTTP_') || code === 'INVALID_ANSWER') {
    report({ event: 'relay.unavailable', code, message, status, requestId });
    const shown = status === undefined || status >= 500 ? 503 : 502;
    return { status: shown, code: 'UNAVAILABLE', message: unusable, details, requestId, headers };
  }
  return { status, code, message, details, requestId, headers };
}

/**
 * Adds the number of attempts to failures that the relay's client retries. The browser SDK does not retry responses with `attempts`:
 * its retries would multiply those of the relay.
 */
function withAttempts({ status, details, attempts }: LaunchError): unknown {
  return status === undefined || status === 408 || status >= 500 ? { attempts } : details;
}

function misconfigured(message: string): Refused {
  return new Refused(502, 'RELAY_MISCONFIGURED', message);
}
