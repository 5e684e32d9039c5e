import { untilReady } from '@session-launch/testing/fleet.ts';
import { readMetrics } from '@session-launch/testing/metrics.ts';
import type { ServiceProcess } from '@session-launch/testing/process.ts';
import { answersIn, openConnection } from '@session-launch/testing/raw-http.ts';
import { createWorld, mintFromServer } from '@session-launch/testing/world.ts';
import { expect } from 'vitest';

/**
 * Sends requests with long log lines, more than the log buffer holds. Invisible characters are logged as escapes, which makes the lines
 * long.
 */
async function logMuch(service: ServiceProcess): Promise<void> {
  const { socket, closed, received } = openConnection(service.url);
  const ask = (n: number, last = false) =>
    `GET /nowhere-${n}-${'%E2%80%8B'.repeat(180)} HTTP/1.1\r\nHost: service\r\n${last ? 'Connection: close\r\n' : ''}\r\n`;
  const count = 900;
  socket.write(Array.from({ length: count }, (_, n) => ask(n, n === count - 1)).join(''));
  await closed;
  expect(answersIn(received()).filter(({ status }) => status === 404)).toHaveLength(count);
}

/** Number of log lines that a service has dropped. */
export const dropped = async (service: ServiceProcess) =>
  (await readMetrics(service)).total('session_launch_log_lines_dropped_total');

/** Expects that requests succeed while the log is blocked, and that log lines are dropped. */
export async function expectServed(service: ServiceProcess): Promise<void> {
  const world = await createWorld(service);
  const body = { experienceId: world.experienceId };
  expect((await mintFromServer(service, world.key, body)).status).toBe(201);
  await logMuch(service);
  expect(await dropped(service)).toBeGreaterThan(0);
  expect((await mintFromServer(service, world.key, body)).status).toBe(201);
  // A forwarded poll: a drain would wait for a load balancer that polls directly.
  await untilReady(service, { 'X-Forwarded-For': '203.0.113.9' });
}
