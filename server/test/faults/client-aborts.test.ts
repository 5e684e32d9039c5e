import { once } from 'node:events';
import type { Answer } from '@session-launch/testing/http.ts';
import { logLines } from '@session-launch/testing/process.ts';
import { openConnection } from '@session-launch/testing/raw-http.ts';
import { mintFromBrowser, mintFromServer, pageOrigin } from '@session-launch/testing/world.ts';
import { expect, test, vi } from 'vitest';
import { timeLimits } from '../../../testing/src/tiers.ts';
import { crowds } from './idle-connections.ts';
import { openNow, useTestedService, wire } from './victim.ts';

const tested = useTestedService({ env: { LOG_LEVEL: 'info' } });

/** When a client disconnects; `at` is the number of bytes sent by then. */
const stages: [name: string, at: (head: number, whole: number) => number][] = [
  ['before the first byte', () => 0],
  ['in the request line', () => 9],
  ['in the headers', (head) => head - 30],
  ['before the blank line', (head) => head - 2],
  ['before the body', (head) => head],
  ['in the body', (head, whole) => Math.floor((head + whole) / 2)],
  ['one byte too early', (_head, whole) => whole - 1],
  ['after the body, before the answer', (_head, whole) => whole],
];
const ways = ['closes', 'resets'] as const;
const repeats = 8;

const under = (key: string) => ({ 'Idempotency-Key': key });
const endpoints = {
  sessions: (key: string): Promise<Answer> =>
    mintFromServer(tested.service, tested.world.key, body(), under(key)),
  'browser-sessions': (key: string): Promise<Answer> => mintFromBrowser(tested.service, body(), under(key)),
};
const body = () => ({ experienceId: tested.world.experienceId });

function request(endpoint: string, key: string): string {
  const json = JSON.stringify(body());
  const admission =
    endpoint === 'sessions' ? `Authorization: Bearer ${tested.world.key}` : `Origin: ${pageOrigin}`;
  const headers = [admission, 'Content-Type: application/json', `Idempotency-Key: ${key}`];
  return wire(`POST /v1/${endpoint} HTTP/1.1`, [...headers, `Content-Length: ${json.length}`], json);
}

async function goAway(bytes: string, at: number, way: (typeof ways)[number]): Promise<void> {
  const { socket, closed } = openConnection(tested.service.url);
  await once(socket, 'connect');
  if (at > 0) await new Promise((resolve) => socket.write(bytes.slice(0, at), resolve));
  if (way === 'resets') socket.resetAndDestroy();
  else socket.destroy();
  await closed;
}

test('clients that disconnect at any point leak nothing, and a retry of their key mints once', async () => {
  const quiet = await tested.metric(openNow);
  const keys: [keyof typeof endpoints, string][] = [];
  const gone: Promise<void>[] = [];
  for (const [stage, at] of stages) {
    for (const way of ways) {
      for (const endpoint of Object.keys(endpoints) as (keyof typeof endpoints)[]) {
        for (let i = 0; i < repeats; i++) {
          const key = `${stage} ${way} ${i}`;
          const bytes = request(endpoint, key);
          keys.push([endpoint, key]);
          gone.push(goAway(bytes, at(bytes.indexOf('\r\n\r\n') + 4, bytes.length), way));
        }
      }
    }
    await Promise.all(gone);
  }

  // Waits until the service has seen all disconnects. Up to seventeen database connections stay open in the pools; a leak would grow with
  // every client.
  await vi.waitFor(
    async () => expect(await tested.metric(openNow)).toBeLessThan(quiet + 20),
    timeLimits(3).testTimeout,
  );
  expect(await tested.metric('session_launch_queue_length')).toBe(0);
  expect(await tested.metric('nodejs_active_requests_total')).toBeLessThan(5);

  const launches = new Map<string, string>();
  let carriedOut = 0;
  for (const [endpoint, key] of keys) {
    const answer = await endpoints[endpoint](key);
    expect(answer.status, answer.text).toBe(201);
    launches.set(`${endpoint} ${key}`, answer.json.session.sessionId);
    if (answer.headers['idempotent-replayed'] === undefined) continue;
    // An incomplete request never becomes a mint.
    expect(key).toMatch(/^after the body/);
    carriedOut++;
  }
  expect(launches.size).toBe(stages.length * ways.length * 2 * repeats);
  expect(new Set(launches.values()).size).toBe(launches.size);
  expect(new Set(await tested.sessions())).toEqual(new Set(launches.values()));
  // Complete requests are executed even if the client has disconnected: some of them were.
  expect(carriedOut).toBeGreaterThan(0);
});

crowds(tested);

test('none of these requests is logged as a service error', () => {
  const failed = logLines(tested.service).filter(
    ({ level, status }) => level === 'error' || level === 'fatal' || status >= 500,
  );
  expect(failed).toEqual([]);
});
