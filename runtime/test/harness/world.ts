import { mkdtemp, rm } from 'node:fs/promises';
import { BlockList } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { type Clock, systemClock } from '../../src/clock.ts';
import type { Config } from '../../src/config.ts';
import { composedPartner, type SeparateEngines } from '../../src/conversation/composed-partner.ts';
import type { OpenPartner } from '../../src/conversation/partner.ts';
import { scriptedMind } from '../../src/mind/script/script.ts';
import type { OpusCodec } from '../../src/opus/codec.ts';
import { type Runtime, startRuntime } from '../../src/runtime.ts';
import { type Listener, listenStandalone } from '../../src/standalone.ts';
import { Client, type ClientOptions } from './client.ts';
import { instantSpeech, loudnessDetector } from './engines.ts';
import type { SessionOptions } from './session.ts';
import { runtimeToken, type StandInService, startStandInService } from './stand-in-service.ts';

export interface World {
  service: StandInService;
  runtime: Runtime;
  listener: Listener;
  dataDir: string;
  log: string[];
  client(options?: ClientOptions): Promise<Client>;
  /** Opens a client in a new session. */
  join(options?: SessionOptions & ClientOptions): Promise<Client & { sessionId: string }>;
  close(): Promise<void>;
}

export interface WorldOptions extends Partial<Pick<Config, 'maxSessions' | 'resumeSeconds' | 'trustProxy'>> {
  engines?: Partial<SeparateEngines>;
  /** Replaces the separate engines. */
  partner?: OpenPartner;
  /** Absent: all audio is PCM. */
  codec?: OpusCodec;
  clock?: Clock;
  logLevel?: string;
}

/** Trusts loopback as a proxy, so that tests can set client addresses by X-Forwarded-For. */
function loopback(): BlockList {
  const proxies = new BlockList();
  proxies.addAddress('127.0.0.1');
  return proxies;
}

/** Starts a runtime on a free port with a fake service. */
export async function startWorld({
  engines,
  partner,
  codec,
  clock = systemClock,
  logLevel = 'debug',
  trustProxy = loopback(),
  ...more
}: WorldOptions = {}): Promise<World> {
  const service = await startStandInService();
  const dataDir = await mkdtemp(join(tmpdir(), 'session-launch-runtime-'));
  const log: string[] = [];
  const runtime = startRuntime({
    config: {
      adminUrl: service.url,
      token: runtimeToken,
      dataDir,
      maxSessions: 50,
      resumeSeconds: 30,
      ...more,
    },
    engines: {
      partner:
        partner ??
        composedPartner({
          mind: scriptedMind(() => 0),
          speech: instantSpeech(),
          hearing: 'page',
          detector: loudnessDetector,
          ...engines,
        }),
      hearing: () => 'page',
      codec,
      close: async () => {},
    },
    clock,
    log: pino({ level: logLevel }, { write: (line: string) => log.push(line) }),
  });
  const listener = await listenStandalone(
    { host: '127.0.0.1', port: 0, token: runtimeToken, maxSessions: more.maxSessions ?? 50, trustProxy },
    runtime,
    () => true,
  );
  const clients: Client[] = [];
  const client = async (options: ClientOptions = {}) => {
    const made = new Client(listener.url, options);
    clients.push(made);
    return made.opened();
  };
  return {
    service,
    runtime,
    listener,
    dataDir,
    log,
    client,
    join: async ({ origin, protocols, address, plays, audio, ...session } = {}) => {
      const { sessionId, token } = service.mint(session);
      const joined = await client({
        ...(origin === undefined ? {} : { origin }),
        ...(protocols === undefined ? {} : { protocols }),
        ...(address === undefined ? {} : { address }),
        ...(plays === undefined ? {} : { plays }),
      });
      joined.hello({ token, ...(audio === undefined ? {} : { audio }) });
      await joined.event('ready');
      return Object.assign(joined, { sessionId });
    },
    close: async () => {
      for (const { ws } of clients) ws.terminate();
      await runtime.drain(0);
      await listener.close();
      await service.close();
      await rm(dataDir, { recursive: true, force: true });
      const problems = clients.flatMap((one) => one.problems);
      if (problems.length > 0) throw new Error(`not events of the protocol: ${problems.join(' ')}`);
    },
  };
}
