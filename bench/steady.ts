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
await client.open(connections);
const result = await client.openLoop(rate, seconds, 10_000);
client.close();
const times = result.replies.map(({ ms }) => ms);
const statuses: Record<string, number> = {};
for (const { status } of result.replies) statuses[status] = (statuses[status] ?? 0) + 1;
const measured: Measured = {
  perSecond: times.length / result.seconds,
  p50: Math.round(percentile(times, 0.5) * 10) / 10,
  p99: Math.round(percentile(times, 0.99) * 10) / 10,
  statuses,
  errors: Object.values(result.failures).reduce((sum, count) => sum + count, 0),
};
process.stdout.write(`${JSON.stringify(measured)}\n`);
