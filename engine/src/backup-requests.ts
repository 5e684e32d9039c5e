import type { Socket } from 'node:net';
import { createInterface } from 'node:readline';
import type { PgliteClient } from './pglite-client.ts';

/** Milliseconds in which a connection must send its first line. */
const firstLineMs = 10_000;

/** Maximum milliseconds between two lines of a program that copies. It sends one per second as long as the copy advances. */
const stallMs = 60_000;

export interface BackupOptions {
  /** Called if a copy is given up because it does not advance. */
  onStalled?: ((seconds: number) => void) | undefined;
  /** For tests. */
  startTimer?: (callback: () => void, ms: number) => { refresh(): void; close(): void };
}

const redoPoint = 'SELECT redo_lsn::text AS lsn FROM pg_control_checkpoint()';

/**
 * Answers requests for a backup on the lock of the data folder. The program that makes the backup copies the files itself, while the
 * service continues to write. The copy is consistent because of three things: a checkpoint is made first, no other one is made until the
 * copy is complete, and the write-ahead log is copied last. PostgreSQL then recovers the copy as after a crash.
 *
 * The client sends `backup` and gets `ready`; it copies, sends `copying` once per second while the copy advances, then `copied`, and gets
 * `complete`. Instead of an answer it can get `failed` and the reason. If the connection is lost or the copy does not advance, checkpoints
 * are made again: otherwise the write-ahead log would fill the disk.
 */
export function answerBackups(
  client: PgliteClient,
  checkpoints: { held: boolean },
  options: BackupOptions = {},
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
        return holdForCopy(client, socket, lines, options).finally(() => {
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
  options: BackupOptions,
): Promise<void> {
  try {
    await client.query('CHECKPOINT', [], { mayTakeLong: true });
    const before = await redoPointOf(client);
    await send(socket, 'ready');
    const end = await endOfCopy(lines, options);
    if (end === 'stalled') {
      const seconds = stallMs / 1000;
      options.onStalled?.(seconds);
      return await send(socket, `failed the copy did not advance for ${seconds} seconds; try again`);
    }
    if (end !== 'copied') return;
    const isUnchanged = (await redoPointOf(client)) === before;
    await send(socket, isUnchanged ? 'complete' : 'failed a checkpoint was made during the copy; try again');
  } catch (error) {
    await send(socket, `failed ${(error as Error).message}`);
  }
}

/** Resolves with the line that ends the copy, with `stalled`, or with `undefined` if the connection is lost. */
async function endOfCopy(
  lines: () => Promise<string | undefined>,
  { startTimer = setTimeout }: BackupOptions,
): Promise<string | undefined> {
  let onTimeout = () => {};
  const stalled = new Promise<string>((resolve) => {
    onTimeout = () => resolve('stalled');
  });
  const timer = startTimer(() => onTimeout(), stallMs);
  try {
    for (;;) {
      const line = await Promise.race([lines(), stalled]);
      if (line !== 'copying') return line;
      timer.refresh();
    }
  } finally {
    timer.close();
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
