import { answersIn, openConnection } from '@session-launch/testing/raw-http.ts';
import { pageOrigin } from '@session-launch/testing/world.ts';
import { expect, test } from 'vitest';
import { type TestedService, wire } from './victim.ts';

const get = (headers: string[]) => wire('GET /healthz HTTP/1.1', ['Connection: close', ...headers]);

/** Requests that are too long or never end. */
export function sizes(tested: TestedService): void {
  const statuses = async (bytes: string | Buffer) => {
    const connection = openConnection(tested.service.url);
    connection.socket.write(bytes);
    await connection.closed;
    return answersIn(connection.received()).map(({ status }) => status);
  };

  test('headers are accepted up to 16 KiB, in any packets, and refused with 431 above', async () => {
    const many = (count: number) => Array.from({ length: count }, (_, i) => `X-${i}: ${'a'.repeat(20)}`);
    expect(await statuses(get([`X-A: ${'a'.repeat(15_500)}`]))).toEqual([200]);
    expect(await statuses(get([`X-A: ${'a'.repeat(16_500)}`]))).toEqual([431]);
    expect(await statuses(get(many(400)))).toEqual([200]);
    expect(await statuses(get(many(800)))).toEqual([431]);
    expect(await statuses(get([`${'x'.repeat(17_000)}: a`]))).toEqual([431]);
    expect(await statuses(wire(`GET /${'a'.repeat(17_000)} HTTP/1.1`))).toEqual([431]);
    expect(await statuses(get(['X-A: '.padEnd(500_000, 'a')]))).toEqual([431]);
  });

  test('a header that never ends is refused as soon as it is too long', async () => {
    const connection = openConnection(tested.service.url);
    connection.socket.write('GET /healthz HTTP/1.1\r\nHost: service\r\nX-A: ');
    const more = setInterval(() => connection.socket.write('a'.repeat(1_000)), 5);
    await connection.closed;
    clearInterval(more);
    expect(answersIn(connection.received()).map(({ status }) => status)).toEqual([431]);
  });

  test('a trailer that never ends is refused as well', async () => {
    const lines = Array.from({ length: 2_000 }, (_, i) => `X-${i}: ${'a'.repeat(20)}\r\n`).join('');
    const headers = [`Origin: ${pageOrigin}`, 'Content-Type: application/json', 'Transfer-Encoding: chunked'];
    const bytes = wire('POST /v1/browser-sessions HTTP/1.1', headers, `2\r\n{}\r\n0\r\n${lines}\r\n`);
    const [status, ...more] = await statuses(bytes);
    expect(status).toBe(431);
    expect(more).toEqual([]);
  });

  /** A valid mint, padded with white space. */
  const padded = (length: number) => {
    const json = JSON.stringify({ experienceId: tested.world.experienceId });
    return json + ' '.repeat(length - json.length);
  };
  const mint = (body: string, chunked: boolean) =>
    tested.service.call({
      method: 'POST',
      path: '/v1/browser-sessions',
      headers: { Origin: pageOrigin, 'Content-Type': 'application/json' },
      body,
      chunked,
    });

  test.each([false, true])(
    'a body is accepted up to 64 KiB and refused with 413 above; in chunks: %s',
    async (chunked) => {
      expect((await mint(padded(65_536), chunked)).status).toBe(201);
      for (const length of [65_537, 1_000_000, 16_000_000]) {
        const answer = await mint(padded(length), chunked);
        expect([answer.status, answer.json.error.code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
      }
    },
  );

  test('discarded bodies are not kept in memory', async () => {
    const before = await tested.metric('process_resident_memory_bytes');
    const large = padded(16_000_000);
    for (let round = 0; round < 2; round++) {
      const answers = await Promise.all(Array.from({ length: 8 }, () => mint(large, true)));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([413]));
    }
    const after = await tested.metric('process_resident_memory_bytes');
    // A quarter of a gigabyte was sent.
    expect(after - before).toBeLessThan(150_000_000);
  });

  test('an absurd Content-Length is refused without waiting for the body', async () => {
    const headers = [
      `Origin: ${pageOrigin}`,
      'Content-Type: application/json',
      'Content-Length: 1000000000000',
    ];
    const connection = openConnection(tested.service.url);
    connection.socket.write(wire('POST /v1/browser-sessions HTTP/1.1', headers));
    await new Promise((resolve) => connection.socket.once('data', resolve));
    expect(answersIn(connection.received()).map(({ status }) => status)).toEqual([413]);
    connection.socket.destroy();
  });
}
