import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Report, ToolCallRequest, ToolCallResult } from '@session-launch/contract/runtime/lifecycle';
import { connectedSession, type SessionOptions } from './session.ts';

export const runtimeToken = 'runtime-token-for-tests';

/** A fake service: the lifecycle API over HTTP with sessions in memory. */
export interface StandInService {
  url: string;
  reports: Report[];
  /** Bodies of the `connect` requests. */
  connects: unknown[];
  /** Calls of tools, by session. */
  toolCalls: (ToolCallRequest & { sessionId: string })[];
  /** Answers calls of tools. */
  callTool: (call: ToolCallRequest) => Promise<ToolCallResult>;
  /** While set, reports are answered with an error. */
  isDown: boolean;
  /** Ids of sessions that their owner ended. */
  readonly ended: Set<string>;
  /** Creates a session and returns its id and token. */
  mint(options?: SessionOptions & { origin?: string; refusal?: [number, string] }): {
    sessionId: string;
    token: string;
  };
  close(): Promise<void>;
}

export async function startStandInService(): Promise<StandInService> {
  const sessions = new Map<
    string,
    { options: SessionOptions; refusal?: [number, string]; isConnected: boolean }
  >();
  const reports: Report[] = [];
  const connects: unknown[] = [];
  const ended = new Set<string>();
  const server = createServer(async (request, response) => {
    const say = (status: number, body: object) =>
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
    const fail = (status: number, code: string) => say(status, { error: { code } });
    const body = await readBody(request);
    if (request.headers.authorization !== `Bearer ${runtimeToken}`) return fail(401, 'RUNTIME_TOKEN_INVALID');
    if (service.isDown) return fail(503, 'UNAVAILABLE');
    if (request.url === '/runtime/v1/reports') {
      const report = body as Report;
      if (report.sessions.some(({ seconds }) => seconds < 0)) return fail(400, 'INVALID_REQUEST');
      reports.push(report);
      const end = report.sessions.filter(({ sessionId }) => ended.has(sessionId));
      return say(200, { end: end.map(({ sessionId }) => ({ sessionId, reason: 'api_request' })) });
    }
    const [, sessionId = '', action] =
      /^\/runtime\/v1\/sessions\/([^/]+)\/(connect|tools)$/.exec(request.url ?? '') ?? [];
    if (action === 'tools') {
      const call = body as ToolCallRequest;
      service.toolCalls.push({ sessionId, ...call });
      return say(200, await service.callTool(call));
    }
    connects.push(body);
    const session = sessions.get(sessionId);
    if (session === undefined) return fail(401, 'SESSION_TOKEN_INVALID');
    if (session.refusal !== undefined) return fail(...session.refusal);
    if (session.isConnected) return fail(409, 'SESSION_ALREADY_CONNECTED');
    session.isConnected = true;
    return say(200, connectedSession(session.options, sessionId));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const service: StandInService = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    reports,
    connects,
    toolCalls: [],
    callTool: async () => ({ outcome: 'done', output: '{"ok":true}' }),
    isDown: false,
    ended,
    mint: ({ origin, refusal, ...options } = {}) => {
      const sessionId = `ses_${randomUUID()}`;
      sessions.set(sessionId, { options, isConnected: false, ...(refusal === undefined ? {} : { refusal }) });
      const claims = { sub: sessionId, ...(origin === undefined ? {} : { origin }) };
      return { sessionId, token: `x.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.x` };
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return service;
}

async function readBody(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString() || 'null');
}
