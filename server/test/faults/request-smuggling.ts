import { logLines } from '@session-launch/testing/process.ts';
import { answersIn, openConnection } from '@session-launch/testing/raw-http.ts';
import { describe, expect, test } from 'vitest';
import { type TestedService, wire, wiredMint } from './victim.ts';

const endpoint = 'POST /v1/browser-sessions HTTP/1.1';
const page = ['Origin: https://app.example.com', 'Content-Type: application/json'];
const chunked = 'Transfer-Encoding: chunked';

/** A mint at a browser endpoint with these framing headers and this body, which hides another request. */
const post = (framing: string[], body: string) => wire(endpoint, [...page, ...framing], body);
/** The same with a chunked body, given as bytes. */
const chunks = (body: string) => post([chunked], body);
const get = (headers: string[]) => wire('GET /healthz HTTP/1.1', headers);

/** Ambiguous requests: they must be rejected, and the bytes after them must not be parsed. */
const refused: [string, string][] = [
  ['two different lengths', post(['Content-Length: 2', 'Content-Length: 600'], '{}')],
  ['the same length twice', post(['Content-Length: 2', 'Content-Length: 2'], '{}')],
  ['a list of lengths', post(['Content-Length: 2, 2'], '{}')],
  ['a length with a sign', post(['Content-Length: +2'], '{}')],
  ['a negative length', post(['Content-Length: -2'], '{}')],
  ['a hexadecimal length', post(['Content-Length: 0x2'], '{}')],
  ['a length with a space', post(['Content-Length: 2 0'], '{}')],
  ['an empty length', post(['Content-Length:'], '{}')],
  ['a length above every integer', post(['Content-Length: 99999999999999999999999'], '{}')],
  ['a length, then chunks', post(['Content-Length: 5', chunked], '0\r\n\r\n')],
  ['chunks, then a length', post([chunked, 'Content-Length: 5'], '0\r\n\r\n')],
  ['an unknown coding', post(['Transfer-Encoding: xchunked'], '0\r\n\r\n')],
  ['the coding identity', post(['Transfer-Encoding: identity'], '0\r\n\r\n')],
  ['chunks that are not the last coding', post(['Transfer-Encoding: chunked, identity'], '0\r\n\r\n')],
  ['a coding before chunked', post(['Transfer-Encoding: gzip, chunked'], '0\r\n\r\n')],
  ['identity before chunked', post(['Transfer-Encoding: identity, chunked'], '0\r\n\r\n')],
  ['chunks twice', post([chunked, chunked], '0\r\n\r\n')],
  ['a quoted chunked', post(['Transfer-Encoding: "chunked"'], '0\r\n\r\n')],
  ['chunked after a vertical tab', post(['Transfer-Encoding: \x0bchunked'], '0\r\n\r\n')],
  ['a folded coding', post(['Transfer-Encoding:\r\n chunked'], '0\r\n\r\n')],
  ['chunked in HTTP/1.0', post([chunked], '0\r\n\r\n').replace('HTTP/1.1', 'HTTP/1.0')],
  ['a space before the colon of a length', post(['Content-Length : 2'], '{}')],
  ['a space before the colon of a coding', post(['Transfer-Encoding : chunked'], '0\r\n\r\n')],
  ['a tab before a colon', get(['X-A\t: b'])],
  ['a folded header', get(['X-A: a\r\n b'])],
  ['a folded first header', 'GET /healthz HTTP/1.1\r\n Host: service\r\n\r\n'],
  ['a chunk extension with a line feed', chunks('2;a\nb\r\n{}\r\n0\r\n\r\n')],
  ['a chunk extension with a carriage return', chunks('2;a\rb\r\n{}\r\n0\r\n\r\n')],
  ['a chunk extension with a NUL', chunks('2;a\0b\r\n{}\r\n0\r\n\r\n')],
  ['a chunk extension of 20 KB', chunks(`2;a=${'b'.repeat(20_000)}\r\n{}\r\n0\r\n\r\n`)],
  ['a chunk size before a bare line feed', chunks('2\n{}\r\n0\r\n\r\n')],
  ['a chunk that ends in a bare line feed', chunks('2\r\n{}\n0\r\n\r\n')],
  ['a chunk longer than its size', chunks('2\r\n{}XX0\r\n\r\n')],
  ['a negative chunk size', chunks('-2\r\n{}\r\n0\r\n\r\n')],
  ['a chunk size with 0x', chunks('0x2\r\n{}\r\n0\r\n\r\n')],
  ['a chunk size with an underscore', chunks('0_2\r\n{}\r\n0\r\n\r\n')],
  ['a chunk size of 65 bits', chunks('10000000000000002\r\n{}\r\n0\r\n\r\n')],
  ['a chunk size with trailing space', chunks('2 \r\n{}\r\n0\r\n\r\n')],
  ['a chunk size with leading space', chunks(' 2\r\n{}\r\n0\r\n\r\n')],
  ['no chunk size', chunks('\r\n{}\r\n0\r\n\r\n')],
  ['a last chunk with bare line feeds', chunks('2\r\n{}\r\n0\n\n')],
  ['a length in the trailer', chunks('2\r\n{}\r\n0\r\nContent-Length: 5\r\n\r\n')],
  ['a coding in the trailer', chunks(`2\r\n{}\r\n0\r\n${chunked}\r\n\r\n`)],
  ['a trailer without a colon', chunks('2\r\n{}\r\n0\r\nnonsense\r\n\r\n')],
  ['bare line feeds everywhere', 'GET /healthz HTTP/1.1\nHost: service\n\n'],
  ['a bare line feed after the request line', 'GET /healthz HTTP/1.1\nHost: service\r\n\r\n'],
  ['a bare line feed between headers', get(['X-A: b\nX-C: d'])],
  ['a bare line feed that hides a length', get(['X-A: b\nContent-Length: 600'])],
  ['a bare line feed as the end', 'GET /healthz HTTP/1.1\r\nHost: service\r\n\n'],
  ['a bare carriage return in a header', get(['X-A: b\rX-C: d'])],
  ['an extra carriage return', get(['X-A: b\r'])],
  ['two hosts', get(['Host: other'])],
  ['the same host twice', get(['Host: service'])],
  ['two hosts, one in capitals', get(['HOST: service'])],
  ['a list of hosts', 'GET /healthz HTTP/1.1\r\nHost: a, b\r\n\r\n'],
  ['a host with a path', 'GET /healthz HTTP/1.1\r\nHost: a/b\r\n\r\n'],
  ['a host with a user name', 'GET /healthz HTTP/1.1\r\nHost: a@b\r\n\r\n'],
  ['no host', 'GET /healthz HTTP/1.1\r\n\r\n'],
  ['a NUL in a value', get(['X-A: a\0b'])],
  ['a NUL in a name', get(['X\0A: b'])],
  ['a NUL in the URL', wire('GET /health\0z HTTP/1.1')],
  ['a NUL at the start', `\0${get([])}`],
  ['a control character in a value', get(['X-A: \x01'])],
  ['DEL in a name', get(['X\x7f: b'])],
  ['a header without a name', get([': b'])],
  ['a space in a name', get(['X A: b'])],
  ['HTTP/0.9', 'GET /healthz\r\n\r\n'],
  ['HTTP/0.9 as a version', wire('GET /healthz HTTP/0.9')],
  ['HTTP/2.0 in an HTTP/1 request line', wire('GET /healthz HTTP/2.0')],
  ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ['HTTP/1.2', wire('GET /healthz HTTP/1.2')],
  ['HTTP/1.01', wire('GET /healthz HTTP/1.01')],
  ['a lower-case HTTP version', wire('GET /healthz http/1.1')],
  ['RTSP', wire('DESCRIBE /healthz RTSP/1.0')],
  ['an RTSP method in HTTP', wire('TEARDOWN /healthz HTTP/1.1')],
  ['a lower-case method', wire('get /healthz HTTP/1.1')],
  ['a space before the method', ` ${get([])}`],
  ['a tab instead of a space', 'GET\t/healthz HTTP/1.1\r\nHost: service\r\n\r\n'],
  ['non-ASCII bytes in the URL', wire('GET /h\u00e9 HTTP/1.1')],
];

/** Bodies that the route ignores: they are skipped, and never parsed as a request. */
const swallowed: [string, string, number][] = [
  ['a GET', 'GET /healthz HTTP/1.1', 200],
  ['a HEAD', 'HEAD /healthz HTTP/1.1', 200],
  ['an unknown path', 'POST /nowhere HTTP/1.1', 404],
  ['a wrong method', 'PUT /v1/sessions HTTP/1.1', 405],
  ['a missing key', 'POST /v1/sessions HTTP/1.1', 401],
  ['a missing Origin', 'POST /v1/public-sessions HTTP/1.1', 403],
  ['a preflight', 'OPTIONS /v1/browser-sessions HTTP/1.1', 204],
];

/** Needs a service that has received no other requests. */
export function smuggling(tested: TestedService): void {
  describe('an ambiguous request is refused, and the request hidden behind it is not served:', () => {
    test.each(refused)('%s', async (_name, request) => {
      const connection = openConnection(tested.service.url);
      connection.socket.write(Buffer.from(request + wiredMint(tested.world), 'latin1'));
      await connection.closed;
      const answers = answersIn(connection.received());
      expect(answers.map(({ status }) => status)).toEqual([400]);
      expect(answers[0]?.headers.connection).toBe('close');
      if (answers[0]?.body !== '') expect(JSON.parse(answers[0]!.body).error.code).toBe('INVALID_REQUEST');
    });
  });

  describe('a mint in the body of another request is not served:', () => {
    test.each(swallowed)('%s', async (_name, line, status) => {
      const hidden = wiredMint(tested.world);
      const asOne = wire(line, [`Content-Length: ${hidden.length}`], hidden);
      const asChunk = wire(line, [chunked], `${hidden.length.toString(16)}\r\n${hidden}\r\n0\r\n\r\n`);
      for (const request of [asOne, asChunk]) {
        const connection = openConnection(tested.service.url);
        // A last request shows where the previous one ended, and closes the connection.
        connection.socket.write(request + get(['Connection: close']));
        await connection.closed;
        const text = connection.received().toString('latin1');
        const statuses = [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, code]) => Number(code));
        expect(statuses, text).toEqual([status, 200]);
      }
    });

    test.each([
      ['a chunk of almost unlimited size', [chunked], 'ffffffffffffffff\r\n'],
      ['a body of 15 MiB that is never sent', ['Content-Length: 15000000'], ''],
    ])('%s', async (_name, framing, start) => {
      const connection = openConnection(tested.service.url);
      connection.socket.write(post(framing, start) + wiredMint(tested.world).repeat(100));
      // A response on another connection shows that the service has processed the bytes.
      expect((await tested.service.call({ path: '/healthz' })).status).toBe(200);
      connection.socket.destroy();
      expect(connection.received().toString()).toBe('');
    });
  });

  test('an upgrade is ignored, and the connection stays usable', async () => {
    for (const upgrade of ['websocket', 'h2c']) {
      const connection = openConnection(tested.service.url);
      connection.socket.write(get(['Connection: Upgrade', `Upgrade: ${upgrade}`]));
      await new Promise((resolve) => connection.socket.once('data', resolve));
      connection.socket.write(get(['Connection: close']));
      await connection.closed;
      expect(answersIn(connection.received()).map(({ status }) => status)).toEqual([200, 200]);
    }
  });

  test('a CONNECT tunnel is refused', async () => {
    const connection = openConnection(tested.service.url);
    connection.socket.write(wire('CONNECT service:443 HTTP/1.1') + wiredMint(tested.world));
    await connection.closed;
    expect(connection.received().toString()).not.toMatch(/HTTP\/1\.1 2/);
  });

  test('no hidden mint was served, and the same mint succeeds when sent alone', async () => {
    expect(await tested.sessions()).toEqual([]);
    const connection = openConnection(tested.service.url);
    connection.socket.write(wiredMint(tested.world, ['Connection: close']));
    await connection.closed;
    expect(answersIn(connection.received()).map(({ status }) => status)).toEqual([201]);
    expect(await tested.sessions()).toHaveLength(1);
    // No warnings either: at LOG_LEVEL=warn a healthy process logs only that it created its signing keys.
    expect(logLines(tested.service).map(({ msg }) => msg)).toEqual([
      expect.stringContaining('SIGNING_KEYS_FILE'),
    ]);
  });
}
