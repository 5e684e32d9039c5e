import { Client } from '@session-launch/testing/open-loop.ts';
import type { Load, Measured } from './load.ts';
import { percentile } from './statistics.ts';

/**
 * Requests at an even pace, in a process of its own, whether or not earlier ones have their answer. (autocannon sends what is due in a
 * second at its beginning, as fast as it gets answers, and then waits: that is the maximum for a while, and no steady half.)
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
// This client gets up to speed, too.
await client.openLoop(rate, 1, patienceMs);
const result = await client.openLoop(rate, seconds, patienceMs);
client.close();
// Whoever found every connection taken would have waited longest. That is slow, and no reason to end the whole run.
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
