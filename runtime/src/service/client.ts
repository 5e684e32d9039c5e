import { toolBounds } from '@session-launch/contract/project-file/tools';
import type {
  Connected,
  Report,
  ReportAnswer,
  ToolCallResult,
} from '@session-launch/contract/runtime/lifecycle';
import { systemClock } from '../clock.ts';
import { withTimeout } from '../timeout.ts';

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
  /** Calls a tool of a session. `values`: its arguments. */
  callTool(sessionId: string, name: string, values: Record<string, unknown>): Promise<ToolCallResult>;
}

/** Milliseconds for a request to the service. A call of a tool takes as long as the tool, and its time is limited by the service. */
const requestMs = 10_000;
const toolCallMs = toolBounds.seconds * 1000 + 5_000;

const timeoutOf = (ms: number) => ({
  clock: systemClock,
  ms,
  error: () => new Error('the service did not answer in time'),
});

/** Client of the service's runtime lifecycle API. */
export function serviceClient(adminUrl: string, token: string, runtimeId: string): ServiceClient {
  const post = <T>(path: string, body: object, ms = requestMs): Promise<T> =>
    withTimeout(timeoutOf(ms), async (signal) => {
      const response = await fetch(`${adminUrl}${path}`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
        signal,
      });
      // The error of the parser is not passed on: it quotes the response, and is logged.
      const answer = (await response.json().catch((error) => {
        if (!(error instanceof SyntaxError)) throw error;
      })) as (T & { error?: { code?: string } }) | undefined;
      if (answer === undefined) throw new Error(`the service answered ${response.status} without JSON`);
      if (!response.ok)
        throw new ServiceRefused(answer.error?.code ?? `HTTP_${response.status}`, response.status);
      return answer;
    });
  return {
    connect: (sessionId, sessionToken, client) =>
      post(`/runtime/v1/sessions/${encodeURIComponent(sessionId)}/connect`, {
        sessionToken,
        runtimeId,
        client,
      }),
    report: (report) => post('/runtime/v1/reports', report),
    callTool: (sessionId, name, values) =>
      post(
        `/runtime/v1/sessions/${encodeURIComponent(sessionId)}/tools`,
        { runtimeId, name, arguments: values },
        toolCallMs,
      ),
  };
}
