import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { answersIn, openConnection, type RawConnection } from '@session-launch/testing/raw-http.ts';
import { expectWithin } from '@session-launch/testing/slowness.ts';
import { mintFromServer, pageOrigin } from '@session-launch/testing/world.ts';
import { expect, test, vi } from 'vitest';
import { timeLimits } from '../../../testing/src/tiers.ts';
import { openNow, useTestedService, wire } from './victim.ts';

const tested = useTestedService({ env: { LOG_LEVEL: 'info' } });

interface Dripping {
  connection: RawConnection;
  /** Whether the client keeps writing until the connection is closed. */
  writes: boolean;
  /** Seconds from the first byte until the service closed the connection. */
  lasted: Promise<number>;
}

/** Sends `start` at once, then one byte at a time, and never completes the request. */
async function drip(start: string, byte: string): Promise<Dripping> {
  const connection = openConnection(tested.service.url);
  const { socket } = connection;
  await once(socket, 'connect');
  const began = performance.now();
  if (start !== '') socket.write(start);
  const more = byte === '' ? undefined : setInterval(() => socket.write(byte), 400);
  const lasted = connection.closed.then(() => {
    clearInterval(more);
    return (performance.now() - began) / 1000;
  });
  return { connection, writes: byte !== '', lasted };
}

const many = (count: number, start: string, byte: string) =>
  Promise.all(Array.from({ length: count }, () => drip(start, byte)));

const page = [`Origin: ${pageOrigin}`, 'Content-Type: application/json'];
const bearer = () => [`Authorization: Bearer ${tested.world.key}`, 'Content-Type: application/json'];

/** Expects that all connections are closed within these seconds, each with one response. The bounds allow for a loaded machine. */
async function expectClosed(drips: Dripping[], from: number, to: number, status?: number): Promise<void> {
  let told = 0;
  for (const { connection, writes, lasted } of drips) {
    const seconds = await lasted;
    expect(seconds).toBeGreaterThan(from);
    expectWithin(seconds * 1000, to * 1000);
    const answers = answersIn(connection.received());
    // A client that still writes when the service closes gets a reset, which may discard an unread response.
    if (writes && answers.length === 0) continue;
    told++;
    expect(answers.map((answer) => answer.status)).toEqual(status === undefined ? [] : [status]);
    if (status !== 408) continue;
    expect(JSON.parse(answers[0]!.body).error).toMatchObject({
      code: 'INVALID_REQUEST',
      message: 'The request was not received in time.',
      requestId: answers[0]!.headers['x-request-id'],
    });
    expect(answers[0]!.headers.connection).toBe('close');
  }
  expect(told).toBeGreaterThan(0);
}

test('clients that send one byte at a time block nothing and time out, in every part of a request', async () => {
  const quiet = await tested.metric(openNow);
  const length = 'Content-Length: 5000';
  const chunked = 'Transfer-Encoding: chunked';
  const line = (endpoint: string) => `POST /v1/${endpoint} HTTP/1.1`;
  const [silent, lines, headers, ...bodies] = await Promise.all([
    many(50, '', ''),
    many(50, 'G', 'E'),
    many(50, 'GET /healthz HTTP/1.1\r\nHost: service\r\nX-A: ', 'a'),
    many(20, wire(line('sessions'), [...bearer(), length]), ' '),
    many(20, wire(line('browser-sessions'), [...page, length]), ' '),
    many(20, wire(line('public-sessions'), [...page, length]), ' '),
    many(20, wire(line('sessions'), [...bearer(), chunked]), '1\r\n \r\n'),
    many(20, wire(line('browser-sessions'), [...page, chunked], '5000\r\n'), ' '),
  ]);
  // These have their response before their body is complete, so they get no second one.
  const answered = await many(20, wire(line('sessions'), [length]), ' ');

  // Other clients are served in the meantime.
  let served = 0;
  let done = false;
  const others = (async () => {
    while (!done) {
      const { status, text } = await mintFromServer(tested.service, tested.world.key, {
        experienceId: tested.world.experienceId,
      });
      expect(status, text).toBe(201);
      served++;
      await sleep(100);
    }
  })();

  try {
    await expectClosed(silent, 9, 28, 408);
    // An invalid request line is rejected at its first wrong character.
    for (const { connection, lasted } of lines) {
      expectWithin((await lasted) * 1000, 28_000);
      expect(answersIn(connection.received()).map(({ status }) => status)).toEqual([400]);
    }
    await expectClosed(headers, 9, 28, 408);
    for (const endpoint of bodies) await expectClosed(endpoint, 29, 90, 408);
    await expectClosed(answered, 29, 90, 401);
  } finally {
    done = true;
  }
  await others;

  expect(served).toBeGreaterThan(20);
  expect(await tested.sessions()).toHaveLength(served);
  // Up to seventeen database connections stay open in the pools; a leak would grow with every client.
  await vi.waitFor(
    async () => expect(await tested.metric(openNow)).toBeLessThan(quiet + 20),
    timeLimits(3).testTimeout,
  );
  const logged = tested.service.stderr();
  expect(logged).not.toMatch(/"level":"(error|fatal)"|"status":5\d\d/);
});
