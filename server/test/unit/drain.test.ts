import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { proxyList } from '@session-launch/process/client-address';
import { expect, onTestFinished, test } from 'vitest';
import { Drain } from '../../src/http/listener/drain.ts';

const graceMs = 60_000;

async function start(proxies?: string) {
  const server = createServer((_request, response) => response.end());
  const drain = new Drain(server, proxies === undefined ? undefined : proxyList(proxies));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/readyz`;
  return { drain, server, poll: (headers: Record<string, string> = {}) => fetch(url, { headers }) };
}

/** A poll of `/readyz` from another address. */
function pollFrom(server: Server, remoteAddress: string): void {
  server.emit('request', { url: '/readyz', headers: {}, socket: { remoteAddress } }, { end() {} });
}

/** Whether a drain completes before its grace period ends. */
async function isOver(drain: Drain): Promise<boolean> {
  const began = performance.now();
  await drain.untilIdle(300);
  return performance.now() - began < 300;
}

test('the drain waits for a load balancer that polls from a local address', async () => {
  const { drain, poll } = await start();
  await poll();
  expect(await isOver(drain)).toBe(false);
});

test('the drain stops waiting for a load balancer after three polls', async () => {
  const { drain, poll } = await start();
  await poll();
  const over = drain.untilIdle(graceMs);
  for (let times = 0; times < 3; times++) await poll();
  await over;
});

test.each([{ 'X-Forwarded-For': '203.0.113.9' }, { Forwarded: 'for=203.0.113.9' }])(
  'the drain does not wait for a poll forwarded by a proxy: %j',
  async (headers) => {
    const { drain, poll } = await start('127.0.0.1');
    await poll(headers as unknown as Record<string, string>);
    await drain.untilIdle(graceMs);
  },
);

test.each(['203.0.113.9', '2001:db8::1', '::ffff:203.0.113.9'])(
  'the drain does not wait for a poll from the internet: %s',
  async (address) => {
    const { drain, server } = await start();
    pollFrom(server, address);
    await drain.untilIdle(graceMs);
  },
);

test.each(['10.1.2.3', '::ffff:10.1.2.3', 'fd00::1', '169.254.1.1', '203.0.113.9'])(
  'the drain waits for a poll from a private address, or from one in TRUST_PROXY: %s',
  async (address) => {
    const { drain, server } = await start('203.0.113.0/24');
    pollFrom(server, address);
    expect(await isOver(drain)).toBe(false);
  },
);
