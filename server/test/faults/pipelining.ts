import { createHash } from 'node:crypto';
import { readMetrics } from '@session-launch/testing/metrics.ts';
import { answersIn, openConnection, type RawAnswer } from '@session-launch/testing/raw-http.ts';
import { expect, test } from 'vitest';
import { timeLimits } from '../../../testing/src/tiers.ts';
import { type TestedService, wire, wiredMint } from './victim.ts';

const health = wire('GET /healthz HTTP/1.1');
const goodbye = wire('GET /healthz HTTP/1.1', ['Connection: close']);
const garbage = 'GARBAGE\r\n\r\n';
const codeOf = ({ body }: RawAnswer) => JSON.parse(body).error?.code;

/** Needs a service that serves this model file. */
export function pipelining(tested: TestedService, model: Buffer): void {
  /** Sends all bytes in one write and reads until the service closes the connection. */
  async function answersTo(bytes: string): Promise<RawAnswer[]> {
    const connection = openConnection(tested.service.url);
    connection.socket.write(bytes);
    await connection.closed;
    return answersIn(connection.received());
  }

  test('requests in one packet are answered in order, each with its own response', async () => {
    const { world } = tested;
    const bearer = `Authorization: Bearer ${world.key}`;
    const catalog = wire(`GET /v1/projects/${world.projectId}/experiences HTTP/1.1`, [bearer]);
    const round = [
      wiredMint(world, [], { userId: 'first' }),
      health,
      wire('GET /nowhere HTTP/1.1'),
      wiredMint(world, [], { mode: 'dance' }),
      catalog,
      wire('DELETE /v1/sessions HTTP/1.1'),
      wiredMint({ ...world, key: 'sl_test_wrong' }),
      wiredMint(world, [], { userId: 'last' }),
    ];
    const answers = await answersTo(round.join('').repeat(12) + goodbye);
    const expected = [201, 200, 404, 400, 200, 405, 401, 201];
    expect(answers.map(({ status }) => status)).toEqual([...Array(12).fill(expected).flat(), 200]);
    const users = answers
      .filter(({ status }) => status === 201)
      .map(({ body }) => JSON.parse(body).session.userId);
    expect(users).toEqual(Array(12).fill(['first', 'last']).flat());
    expect(JSON.parse(answers[4]!.body).experiences).toHaveLength(1);
    const ids = answers.map(({ headers }) => headers['x-request-id']);
    expect(new Set(ids).size).toBe(answers.length);
  });

  test('requests pipelined behind a lost connection free their slots', async () => {
    const catalog = wire(`GET /v1/projects/${tested.world.projectId}/experiences HTTP/1.1`, [
      `Authorization: Bearer ${tested.world.key}`,
    ]);
    for (let n = 0; n < 5; n++) {
      const { socket } = openConnection(tested.service.url);
      socket.write((wiredMint(tested.world) + catalog).repeat(100));
      await new Promise((resolve) => socket.once('data', resolve));
      socket.resetAndDestroy();
    }
    const owed = async () => {
      const metrics = await readMetrics(tested.service);
      return ['under_way', 'in_flight'].map((what) => metrics.total(`session_launch_requests_${what}`));
    };
    await expect.poll(owed, { timeout: timeLimits().testTimeout }).toEqual([0, 0]);
  });

  test('fifty requests with one key in one packet create one session', async () => {
    const before = await tested.sessions();
    const keyed = wiredMint(tested.world, ['Idempotency-Key: in one packet']);
    const answers = (await answersTo(keyed.repeat(50) + goodbye)).slice(0, -1);
    const launches = answers.filter(({ status }) => status === 201);
    expect(new Set(launches.map(({ body }) => body)).size).toBe(1);
    for (const other of answers.filter(({ status }) => status !== 201)) {
      expect([other.status, codeOf(other)]).toEqual([409, 'IDEMPOTENCY_IN_PROGRESS']);
    }
    expect((await tested.sessions()).length - before.length).toBe(1);
  });

  test('a request split into single bytes is handled like any other', async () => {
    const connection = openConnection(tested.service.url);
    connection.socket.setNoDelay(true);
    for (const byte of wiredMint(tested.world, ['Connection: close'])) {
      await new Promise((resolve) => connection.socket.write(byte, resolve));
    }
    await connection.closed;
    expect(answersIn(connection.received()).map(({ status }) => status)).toEqual([201]);
  });

  test('requests before invalid bytes are answered before the error', async () => {
    const answers = await answersTo(wiredMint(tested.world) + health + garbage + wiredMint(tested.world));
    expect(answers.map(({ status }) => status)).toEqual([201, 200, 400]);
    expect(codeOf(answers[2]!)).toBe('INVALID_REQUEST');
  });

  test('bytes after a request with Connection: close are not read, and do not suppress its response', async () => {
    const before = await tested.sessions();
    const last = wiredMint(tested.world, ['Connection: close']);
    const answers = await answersTo(last + garbage + wiredMint(tested.world));
    expect(answers.map(({ status }) => status)).toEqual([201]);
    expect((await tested.sessions()).length - before.length).toBe(1);
  });

  test('invalid bytes do not corrupt a response that is being sent', async () => {
    const connection = openConnection(tested.service.url);
    const { socket } = connection;
    socket.write(wire('GET /avatars/model.glb HTTP/1.1'));
    await new Promise((resolve) => socket.once('data', resolve));
    // The client does not read, so the response is still being written when the garbage arrives.
    socket.pause();
    socket.write(garbage);
    expect((await tested.service.call({ path: '/healthz' })).status).toBe(200);
    socket.resume();
    await connection.closed;
    const received = connection.received();
    const start = received.indexOf('\r\n\r\n') + 4;
    const hash = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
    expect(hash(received.subarray(start, start + model.length))).toBe(hash(model));
    const rest = answersIn(received.subarray(start + model.length));
    expect(rest.map(({ status }) => status)).toEqual([400]);
  });

  test('a request that was answered gets no second response when its body is invalid', async () => {
    const refused = wire('POST /v1/sessions HTTP/1.1', ['Transfer-Encoding: chunked'], '2\r\n{}\r\n');
    const connection = openConnection(tested.service.url);
    connection.socket.write(refused);
    await new Promise((resolve) => connection.socket.once('data', resolve));
    connection.socket.write('not a chunk\r\n');
    await connection.closed;
    expect(answersIn(connection.received()).map(({ status }) => status)).toEqual([401]);
  });
}
