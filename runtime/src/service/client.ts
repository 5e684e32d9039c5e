import type { Connected, Report, ReportAnswer } from '@session-launch/contract/runtime/lifecycle';
import { unlessAborted } from '../endpoint.ts';

/** The service responded with an error code. */
export class ServiceRefused extends Error {
  readonly code: string;
  readonly status: number;

  constructor(code: string, status: number) {
    super(`the service refused: ${code}`);
    this.code = code;
    this.status = status;
  }
}

export interface ServiceClient {
  /** `client` is the client network, for limits per client. */
  connect(sessionId: string, sessionToken: string, client: string): Promise<Connected>;
  report(report: Report): Promise<ReportAnswer>;
}

/** Timeout of a request to the service, in milliseconds. */
const timeoutMs = 10_000;

/** Client of the service's runtime lifecycle API. */
export function serviceClient(adminUrl: string, token: string, runtimeId: string): ServiceClient {
  const post = async <T>(path: string, body: object): Promise<T> => {
    // Keeps the timer and the controller referenced: `AbortSignal.timeout` may be collected before it fires.
    const stop = new AbortController();
    const timer = setTimeout(() => stop.abort(new Error('the service did not answer in time')), timeoutMs);
    try {
      const response = await fetch(`${adminUrl}${path}`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
        signal: stop.signal,
      });
      const answer = (await unlessAborted(response.json(), stop.signal)) as T & { error?: { code?: string } };
      if (!response.ok)
        throw new ServiceRefused(answer.error?.code ?? `HTTP_${response.status}`, response.status);
      return answer;
    } finally {
      clearTimeout(timer);
    }
  };
  return {
    connect: (sessionId, sessionToken, client) =>
      post(`/runtime/v1/sessions/${encodeURIComponent(sessionId)}/connect`, {
        sessionToken,
        runtimeId,
        client,
      }),
    report: (report) => post('/runtime/v1/reports', report),
  };
}
