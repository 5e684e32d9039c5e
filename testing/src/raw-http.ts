import { connect, type Socket } from 'node:net';

/** A response read from a raw socket. */
export interface RawAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
  /** Everything that was received, which may contain more than one response. */
  text: string;
}

/** Sends arbitrary bytes and reads until the server closes the connection. Well-formed requests need `Connection: close`. */
export async function sendRaw(baseUrl: string, bytes: string | Buffer): Promise<RawAnswer> {
  const { socket, received, closed } = openConnection(baseUrl);
  socket.write(bytes);
  await closed;
  // A server that rejects a request while it is still being sent may reset the connection after its response.
  if (socket.errored !== null && received().length === 0) throw socket.errored;
  return parse(received().toString('utf8'));
}

function parse(text: string): RawAnswer {
  const end = text.indexOf('\r\n\r\n');
  const [statusLine = '', ...lines] = text.slice(0, end === -1 ? undefined : end).split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => [
      line.slice(0, line.indexOf(':')).toLowerCase(),
      line.slice(line.indexOf(':') + 1).trim(),
    ]),
  );
  return {
    status: Number(/^HTTP\/1\.[01] (\d{3})/.exec(statusLine)?.[1] ?? 0),
    headers,
    body: end === -1 ? '' : decoded(text.slice(end + 4), headers['transfer-encoding']),
    text,
  };
}

function decoded(body: string, coding: string | undefined): string {
  if (coding !== 'chunked') return body;
  const [size = '0', ...rest] = body.split('\r\n');
  const length = Number.parseInt(size, 16);
  return length === 0 ? '' : rest.join('\r\n').slice(0, length);
}

/** A raw socket on which a test writes bytes at any time. */
export interface RawConnection {
  socket: Socket;
  /** All bytes received so far. */
  received(): Buffer;
  /** Resolves when the connection is closed by either side. */
  closed: Promise<void>;
}

export function openConnection(baseUrl: string): RawConnection {
  const { hostname, port } = new URL(baseUrl);
  const socket = connect(Number(port), hostname);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk));
  socket.on('error', () => undefined);
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  return { socket, received: () => Buffer.concat(chunks), closed };
}

/** Splits the received bytes into responses by Content-Length. The last one may be incomplete. */
export function answersIn(received: Buffer): RawAnswer[] {
  const answers: RawAnswer[] = [];
  let rest = received.toString('latin1');
  while (rest !== '') {
    const head = rest.indexOf('\r\n\r\n');
    const length = Number(/\r\ncontent-length: *(\d+)/i.exec(rest.slice(0, head))?.[1] ?? 0);
    const end = head === -1 ? rest.length : head + 4 + length;
    answers.push(parse(rest.slice(0, end)));
    rest = rest.slice(end);
  }
  return answers;
}
