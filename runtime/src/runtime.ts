import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { bounds, subprotocol } from '@session-launch/contract/runtime/protocol';
import { rtviPath } from '@session-launch/contract/wire';
import { WebSocketServer } from 'ws';
import type { Clock } from './clock.ts';
import type { Config } from './config.ts';
import { Conversations } from './conversation/conversations.ts';
import { reasonOf } from './endpoint.ts';
import type { Engines } from './engines.ts';
import type { Logger } from './observe/log.ts';
import { createMetrics } from './observe/metrics.ts';
import { serviceClient } from './service/client.ts';
import { Journal } from './service/journal.ts';
import { Reporter } from './service/reporter.ts';
import { Admission } from './sockets/admission.ts';
import { Connection } from './sockets/connection.ts';
import { RtviConnection, rtviCleanCodes } from './sockets/rtvi/rtvi-connection.ts';
import { tokenReader } from './sockets/token.ts';

export interface RuntimeDeps {
  config: Pick<Config, 'adminUrl' | 'token' | 'tokens' | 'dataDir' | 'maxSessions' | 'resumeSeconds'>;
  engines: Engines;
  clock: Clock;
  log: Logger;
}

/** A WebSocket upgrade request, parsed by the service or by the runtime's own listener. */
export interface UpgradeRequest extends Pick<IncomingMessage, 'method' | 'url' | 'headers'> {
  /** The client network: an IPv4 address or an IPv6 /64. */
  client: string;
}

export interface Runtime {
  runtimeId: string;
  upgrade(request: UpgradeRequest, socket: Duplex, head: Buffer): void;
  metrics(): Promise<string>;
  /** What recognises speech: the name of an engine, `page` or `off`. */
  hearing(): string;
  readonly sessions: number;
  /** Rejects new sessions. Resolves when the running ones have ended and the service has received the last report. */
  drain(seconds: number): Promise<void>;
}

/** Name and stack frames of an error. Its message is omitted, because it may quote the user. */
function errorLocation({ name, stack }: Error): { name: string; at: string[] } {
  return {
    name,
    at: (stack ?? '')
      .split('\n')
      .filter((line) => /^\s+at /.test(line))
      .map((line) => line.trim()),
  };
}

/** Creates and connects the components of a runtime. Pass sockets to `upgrade`. */
export function startRuntime({ config, engines, clock, log }: RuntimeDeps): Runtime {
  const runtimeId = `rt_${randomBytes(9).toString('hex')}`;
  const service = serviceClient(config.adminUrl, config.token, runtimeId);
  const metrics = createMetrics(() => conversations.size);
  const conversations = new Conversations({
    partner: engines.partner,
    codec: engines.codec,
    clock,
    runtimeId,
    resumeSeconds: config.resumeSeconds,
    observer: {
      turn: metrics.turn,
      used: metrics.used,
      ignored: (setting) =>
        log.warn({ setting }, 'a setting of an experience is not in the list of the operator and is ignored'),
      engineFailed: (engine, error) => {
        metrics.engineFailed(engine);
        log.warn({ engine, reason: reasonOf(error) }, 'an engine failed');
        log.trace({ engine, err: error }, 'details of the engine failure');
      },
      failed: (sessionId, error) => {
        log.error({ sessionId, ...errorLocation(error) }, 'a conversation failed and was ended');
        log.trace({ sessionId, err: error }, 'error of the conversation');
      },
      said: (role, text) => log.trace({ role, text }, 'said'),
    },
    callTool: (sessionId, name, values) =>
      service.callTool(sessionId, name, values).catch((error: Error) => {
        // Never the arguments, which contain what users have said.
        log.warn({ sessionId, tool: name, reason: error.message }, 'the service could not call a tool');
        throw error;
      }),
    ended: (sessionId, reason, seconds) => {
      metrics.ended(reason);
      log.info({ sessionId, reason, seconds: Math.floor(seconds) }, 'session ended');
      reporter.ended(sessionId, reason, seconds);
    },
  });
  const reporter = new Reporter({
    clock,
    runtimeId,
    service,
    journal: new Journal(config.dataDir, runtimeId),
    running: () => conversations.states(),
    end: (sessionId, reason) => conversations.end(sessionId, reason),
    refused: (error) =>
      log.warn(
        { reason: error.message },
        'the service rejected a report of an earlier runtime; it stays on disk',
      ),
    reachable: (isReachable, error) => {
      metrics.reachable(isReachable);
      if (isReachable) log.info('reports reach the service again');
      else log.warn({ reason: error?.message }, 'reports do not reach the service; sessions continue');
    },
  });
  const admission = new Admission({
    clock,
    service,
    readToken: tokenReader({
      source: config.tokens,
      clock,
      keysUnavailable: () =>
        log.warn(
          { jwksUrl: config.tokens?.jwksUrl },
          'the keys of session tokens cannot be fetched; the service checks every token',
        ),
    }),
    conversations,
    maxSessions: config.maxSessions,
    arrived: metrics.arrived,
    connectFailed: (error) => log.error({ reason: error.message }, 'a session could not be started'),
    cut: (sessionId, cause) =>
      log.info({ sessionId, cause }, 'a connection was destroyed; its session can be resumed'),
  });
  const sockets = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    // `Connection` answers pings, because they count against the frame limit.
    autoPong: false,
    maxPayload: bounds.frameBytes,
    maxFragments: bounds.fragmentsPerMessage,
    handleProtocols: (offered) => (offered.has(subprotocol) ? subprotocol : false),
  });
  reporter.start();
  return {
    runtimeId,
    upgrade: (request, socket, head) =>
      sockets.handleUpgrade(request as unknown as IncomingMessage, socket, head, (ws) => {
        const peer = { client: request.client, origin: request.headers.origin };
        const [path, query] = (request.url ?? '').split('?', 2);
        if (path === rtviPath) {
          const connection = new Connection(ws, socket, clock, rtviCleanCodes);
          const token = new URLSearchParams(query).get('token');
          const rtvi = new RtviConnection({ connection, clock, token });
          admission.receive(rtvi, { ...peer, hasProtocol: true, canResume: false });
        } else {
          const hasProtocol = ws.protocol === subprotocol;
          admission.receive(new Connection(ws, socket, clock), { ...peer, hasProtocol, canResume: true });
        }
      }),
    metrics: () => metrics.registry.metrics(),
    hearing: () => engines.hearing(),
    get sessions() {
      return conversations.size;
    },
    drain: async (seconds) => {
      await conversations.drain(clock, seconds);
      await reporter.close();
      for (const ws of sockets.clients) ws.terminate();
    },
  };
}
