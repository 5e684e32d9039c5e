import type { Report, ReportAnswer } from '@session-launch/contract/runtime/lifecycle';
import { unlessAborted } from '../endpoint.ts';
import type { Connected } from './connected.ts';

/** The service said no, with a code. */
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
  connect(sessionId: string, sessionToken: string): Promise<Connected>;
  report(report: Report): Promise<ReportAnswer>;
}

const patienceMs = 10_000;

/** The runtime's side of the lifecycle interface. */
export function serviceClient(adminUrl: string, token: string, runtimeId: string): ServiceClient {
  const post = async <T>(path: string, body: object): Promise<T> => {
    // The timer and its controller are held here: what nobody holds may be collected, and the wait would never end.
    const stop = new AbortController();
    const timer = setTimeout(() => stop.abort(new Error('the service did not answer in time')), patienceMs);
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
    connect: (sessionId, sessionToken) =>
      post(`/runtime/v1/sessions/${encodeURIComponent(sessionId)}/connect`, { sessionToken, runtimeId }),
    report: (report) => post('/runtime/v1/reports', report),
  };
}
