import { connect } from 'node:net';
import { json } from 'node:stream/consumers';
import { Connection } from '@session-launch/testing/open-loop.ts';
import { runtimeToken } from './contestant.ts';
import type { Launch } from './runtimes.ts';
import { percentile } from './statistics.ts';

/** Connects and ends each session once, in a separate process: reads this from standard input and prints the measurement. */
export interface ConnectsLoad {
  /** The listeners of each service process. */
  services: { url: string; adminUrl: string }[];
  apiKey: string;
  launches: Launch[];
  /** Sessions that are connected or ended at the same time. */
  connections: number;
}

export interface ConnectsMeasured {
  seconds: number;
  /** Percentiles of a connect, in milliseconds. */
  p50: number;
  p99: number;
  /** Responses other than 200, and requests without a response. */
  failures: number;
}

const { services, apiKey, launches, connections } = (await json(process.stdin)) as ConnectsLoad;

function request(path: string, token: string, body = ''): string {
  return [
    `POST ${path} HTTP/1.1`,
    'host: service',
    `authorization: Bearer ${token}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    '',
    body,
  ].join('\r\n');
}

const open = async (url: string) => {
  const { hostname, port } = new URL(url);
  const connection = new Connection(connect({ host: hostname, port: Number(port) }));
  await connection.ask('GET /healthz HTTP/1.1\r\nhost: service\r\n\r\n');
  return connection;
};
const workers = await Promise.all(
  Array.from({ length: connections }, async (_, n) => {
    const { url, adminUrl } = services[n % services.length]!;
    return { ofRuntime: await open(adminUrl), ofClient: await open(url) };
  }),
);
const times: number[] = [];
let failures = 0;
let next = 0;
const began = performance.now();
await Promise.all(
  workers.map(async ({ ofRuntime, ofClient }) => {
    for (let launch = launches[next++]; launch !== undefined; launch = launches[next++]) {
      const { sessionId, sessionToken } = launch;
      const body = JSON.stringify({ sessionToken, runtimeId: 'rt_bench', client: '192.0.2.1' });
      const path = `/runtime/v1/sessions/${sessionId}/connect`;
      const connected = await ofRuntime.ask(request(path, runtimeToken, body));
      if (typeof connected === 'string' || connected.status !== 200) failures++;
      else times.push(connected.ms);
      const ended = await ofClient.ask(request(`/v1/sessions/${sessionId}/end`, apiKey));
      if (typeof ended === 'string' || ended.status !== 200) failures++;
    }
  }),
);
const seconds = (performance.now() - began) / 1000;
for (const { ofRuntime, ofClient } of workers) for (const one of [ofRuntime, ofClient]) one.close();
const measured: ConnectsMeasured = {
  seconds,
  p50: percentile(times, 0.5),
  p99: percentile(times, 0.99),
  failures,
};
process.stdout.write(`${JSON.stringify(measured)}\n`);
