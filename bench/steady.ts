import { Client } from '@session-launch/testing/open-loop.ts';
import type { Load, Measured } from './load.ts';
import { percentile } from './statistics.ts';

/**
 * Sends requests at an even rate from a separate process, without waiting for earlier responses. (autocannon sends the requests of each
 * second in a burst at its start, which measures the maximum rate for a part of the second.)
 */
const {
  url,
  method,
  headers,
  body = '',
  connections,
  seconds,
  rate = 1,
} = JSON.parse(process.argv[2] ?? '{}') as Load;
const { host, pathname } = new URL(url);
const lines = Object.entries({ host, ...headers, 'content-length': Buffer.byteLength(body) });
const text = `${method} ${pathname} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`;
const client = new Client(url, () => text);
const patienceMs = 10_000;
await client.open(connections);
// Warms up this client.
await client.openLoop(rate, 1, patienceMs);
const result = await client.openLoop(rate, seconds, patienceMs);
client.close();
// Requests that found no free connection count with the timeout as their latency; they do not fail the run.
const { 'no connection left': waiting = 0, ...failures } = result.failures;
const times = [...result.replies.map(({ ms }) => ms), ...Array<number>(waiting).fill(patienceMs)];
const statuses: Record<string, number> = {};
for (const { status } of result.replies) statuses[status] = (statuses[status] ?? 0) + 1;
const measured: Measured = {
  perSecond: result.replies.length / result.seconds,
  p50: hundredths(percentile(times, 0.5)),
  p99: hundredths(percentile(times, 0.99)),
  statuses,
  errors: Object.values(failures).reduce((sum, count) => sum + count, 0),
};
process.stdout.write(`${JSON.stringify(measured)}\n`);

function hundredths(ms: number): number {
  return Math.round(ms * 100) / 100;
}
