import type { Socket } from 'node:net';
import { createInterface } from 'node:readline';
import type { PgliteClient } from './pglite-client.ts';

/** Milliseconds in which a connection must send its first line. */
const firstLineMs = 10_000;

const redoPoint = 'SELECT redo_lsn::text AS lsn FROM pg_control_checkpoint()';

/**
 * Answers requests for a backup on the lock of the data folder. The program that makes the backup copies the files itself, while the
 * service continues to write. The copy is consistent because of three things: a checkpoint is made first, no other one is made until the
 * copy is complete, and the write-ahead log is copied last. PostgreSQL then recovers the copy as after a crash.
 *
 * The client sends `backup` and gets `ready`; it copies, sends `copied` and gets `complete`. Instead of an answer it can get `failed`
 * and the reason. If the connection is lost, checkpoints are made again.
 */
export function answerBackups(
  client: PgliteClient,
  checkpoints: { held: boolean },
): (socket: Socket) => void {
  return (socket) => {
    socket.on('error', () => {});
    socket.setTimeout(firstLineMs, () => socket.destroy());
    const lines = linesOf(socket);
    void lines()
      .then((line) => {
        if (line !== 'backup') return undefined;
        if (checkpoints.held) return send(socket, 'failed another backup is running');
        socket.setTimeout(0);
        checkpoints.held = true;
        return holdForCopy(client, socket, lines).finally(() => {
          checkpoints.held = false;
        });
      })
      .finally(() => socket.destroy());
  };
}

async function holdForCopy(
  client: PgliteClient,
  socket: Socket,
  lines: () => Promise<string | undefined>,
): Promise<void> {
  try {
    await client.query('CHECKPOINT', [], { patient: true });
    const before = await redoPointOf(client);
    await send(socket, 'ready');
    if ((await lines()) !== 'copied') return;
    const isUnchanged = (await redoPointOf(client)) === before;
    await send(socket, isUnchanged ? 'complete' : 'failed a checkpoint was made during the copy; try again');
  } catch (error) {
    await send(socket, `failed ${(error as Error).message}`);
  }
}

async function redoPointOf(client: PgliteClient): Promise<string | undefined> {
  return (await client.query<{ lsn: string }>(redoPoint)).rows[0]?.lsn;
}

/** Resolves when the line was passed to the kernel, or the socket is closed. */
function send(socket: Socket, line: string): Promise<void> {
  return new Promise((resolve) => socket.write(`${line.replace(/\s+/g, ' ')}\n`, () => resolve()));
}

/** Returns a function that resolves with the next line of a socket; with `undefined` once the socket is closed. */
export function linesOf(socket: Socket): () => Promise<string | undefined> {
  const reader = createInterface({ input: socket });
  socket.once('close', () => reader.close());
  const lines = reader[Symbol.asyncIterator]();
  return async () => (await lines.next()).value;
}
