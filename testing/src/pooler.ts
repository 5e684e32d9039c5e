import { connect, createServer, type Socket } from 'node:net';
import type { Cleanup } from './fleet.ts';
import { listen } from './listen.ts';

/** How long a client keeps its server connection: for its whole session or for one transaction. */
export type PoolMode = 'session' | 'transaction';

/** Startup parameters that PgBouncer accepts by default. */
const knownParameters = new Set([
  'user',
  'database',
  'client_encoding',
  'datestyle',
  'timezone',
  'standard_conforming_strings',
  'application_name',
]);

/** A connection pooler that behaves like PgBouncer with its defaults. Supports only servers with `trust` authentication. */
export async function startPooler(
  cleanup: Cleanup,
  targetPort: number,
  mode: PoolMode,
): Promise<{ through(url: string): string }> {
  const idle: Lent[] = [];
  const sockets = new Set<Socket>();
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
    socket.setNoDelay(true);
    return socket;
  };
  const borrow = async (startup: Buffer) => {
    const free = idle.pop();
    if (free !== undefined) return free;
    const lent = new Lent(keep(connect(targetPort, '127.0.0.1')));
    await lent.logIn(startup);
    return lent;
  };
  const server = createServer((client) => {
    keep(client);
    let startup: Buffer | undefined;
    let lent: Promise<Lent> | undefined;
    const giveBack = async () => {
      const mine = await lent;
      lent = undefined;
      if (mine) idle.push(mine);
    };
    client.on('data', async (bytes) => {
      if (startup === undefined) {
        startup = bytes;
        client.write(welcome(bytes));
        return;
      }
      // Terminate messages end the client connection only; the server connection is kept.
      if (bytes[0] === byte('X')) return;
      lent ??= borrow(startup);
      const mine = await lent;
      mine.onFrame = (frame) => {
        client.write(frame);
        const isOver = frame[0] === byte('Z') && frame[5] === byte('I');
        if (isOver && mode === 'transaction') void giveBack();
      };
      mine.socket.write(bytes);
    });
    client.on('close', async () => {
      if (mode === 'session') (await lent)?.socket.destroy();
    });
  });
  const port = await listen(server);
  cleanup(async () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return { through: (url) => Object.assign(new URL(url), { port: String(port) }).href };
}

/** A server connection. */
class Lent {
  readonly socket: Socket;
  onFrame: (frame: Buffer) => void = () => undefined;
  #rest = Buffer.alloc(0);

  constructor(socket: Socket) {
    this.socket = socket;
    socket.on('data', (bytes) => {
      this.#rest = Buffer.concat([this.#rest, bytes]);
      for (;;) {
        const size = this.#rest.length < 5 ? Number.POSITIVE_INFINITY : 1 + this.#rest.readInt32BE(1);
        if (this.#rest.length < size) return;
        const frame = this.#rest.subarray(0, size);
        this.#rest = this.#rest.subarray(size);
        this.onFrame(frame);
      }
    });
  }

  logIn(startup: Buffer): Promise<void> {
    return new Promise((resolve) => {
      this.onFrame = (frame) => frame[0] === byte('Z') && resolve();
      this.socket.write(startup);
    });
  }
}

const byte = (letter: string) => letter.charCodeAt(0);

function message(letter: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.write(letter);
  head.writeInt32BE(4 + body.length, 1);
  return Buffer.concat([head, body]);
}

/** Accepts any user, or returns an error for an unknown startup parameter. */
function welcome(startup: Buffer): Buffer {
  const words = startup.subarray(8).toString().split('\0');
  const names = words.filter((word, n) => n % 2 === 0 && word !== '');
  const unknown = names.find((name) => !knownParameters.has(name.toLowerCase()));
  if (unknown !== undefined) {
    const fields = ['SFATAL', 'VFATAL', 'C08P01', `Munsupported startup parameter: ${unknown}`, '', ''];
    return message('E', Buffer.from(fields.join('\0')));
  }
  return Buffer.concat([
    message('R', Buffer.alloc(4)),
    message('K', Buffer.alloc(8)),
    message('Z', Buffer.from('I')),
  ]);
}
