import { readMetrics } from '@session-launch/testing/metrics.ts';
import type { ServiceProcess } from '@session-launch/testing/process.ts';
import { answersIn, openConnection } from '@session-launch/testing/raw-http.ts';
import { createWorld, mintFromServer } from '@session-launch/testing/world.ts';
import { expect } from 'vitest';

/** Requests with long lines in the log, so many that they do not fit into what may wait: what is invisible is logged as an escape. */
async function logMuch(service: ServiceProcess): Promise<void> {
  const { socket, closed, received } = openConnection(service.url);
  const ask = (n: number, last = false) =>
    `GET /nowhere-${n}-${'%E2%80%8B'.repeat(180)} HTTP/1.1\r\nHost: service\r\n${last ? 'Connection: close\r\n' : ''}\r\n`;
  const count = 900;
  socket.write(Array.from({ length: count }, (_, n) => ask(n, n === count - 1)).join(''));
  await closed;
  expect(answersIn(received()).filter(({ status }) => status === 404)).toHaveLength(count);
}

/** How many lines of its log a service has lost. */
export const dropped = async (service: ServiceProcess) =>
  (await readMetrics(service)).total('session_launch_log_lines_dropped_total');

/** What every caller may expect whatever becomes of the log, and lines that are lost. */
export async function expectServed(service: ServiceProcess): Promise<void> {
  const world = await createWorld(service);
  const body = { experienceId: world.experienceId };
  expect((await mintFromServer(service, world.key, body)).status).toBe(201);
  await logMuch(service);
  expect(await dropped(service)).toBeGreaterThan(0);
  expect((await mintFromServer(service, world.key, body)).status).toBe(201);
  expect((await service.call({ path: '/readyz' })).status).toBe(200);
}
