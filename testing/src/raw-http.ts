import { connect, type Socket } from 'node:net';

/** What came back over a bare connection, before anything interpreted it. */
export interface RawAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
  /** Everything received, in case there was more than one answer. */
  text: string;
}

/**
 * Sends bytes that no HTTP client would send and reads until the server closes the connection. Well-formed requests
 * should ask for that with `Connection: close`.
 */
export function sendRaw(baseUrl: string, bytes: string | Buffer): Promise<RawAnswer> {
  const { hostname, port } = new URL(baseUrl);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    const chunks: Buffer[] = [];
    socket.on('data', (chunk) => chunks.push(chunk));
    // A server that refuses while the client still sends may reset; what was received before counts.
    socket.on('error', (error) => {
      if (chunks.length === 0) reject(error);
    });
    socket.on('close', () => resolve(parse(Buffer.concat(chunks).toString('utf8'))));
    socket.on('connect', () => socket.write(bytes));
  });
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

/** A connection on which a test writes what it likes, when it likes. */
export interface RawConnection {
  socket: Socket;
  /** Everything received so far. */
  received(): Buffer;
  /** Resolves when the connection is gone, whoever ended it. */
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

/** The answers in what was received, one after the other, as their lengths say. The last one may be cut off. */
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
