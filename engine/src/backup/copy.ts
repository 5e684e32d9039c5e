import type { Socket } from 'node:net';
import { linesOf } from '../backup-requests.ts';
import { connectToOwner, lockFolder } from '../folder-lock.ts';
import { BackupFailure } from './manifest.ts';

/** Milliseconds between two lines that tell the service that the copy advances. */
const reportMs = 1_000;

const stopped = 'the service stopped during the backup; try again';

/** Copies the files. `onAdvance` is called after each piece; it throws if the service has closed the connection. */
type Copy<T> = (onAdvance: () => void) => Promise<T>;

/**
 * Runs `copy` while the files in a data folder can be copied: either the running service holds back checkpoints, or, without a running
 * service, this process locks the folder.
 */
export async function whileCopyable<T>(dataDir: string, copy: Copy<T>): Promise<T> {
  const socket = await connectToOwner(dataDir).catch((error: NodeJS.ErrnoException) => {
    throw new BackupFailure(
      `a service uses ${dataDir}, but does not accept connections of this user (${error.code}); run the command as its user`,
    );
  });
  if (socket !== undefined) return withRunningService(socket, copy);
  const lock = await lockFolder(dataDir);
  try {
    return await copy(() => {});
  } finally {
    await lock.release();
  }
}

async function withRunningService<T>(socket: Socket, copy: Copy<T>): Promise<T> {
  socket.on('error', () => {});
  const lines = linesOf(socket);
  try {
    socket.write('backup\n');
    expectLine(
      await lines(),
      'ready',
      'the running service does not answer: it is still starting, or it is of an older version; try again, upgrade it, or stop it first',
    );
    let reportedAt = performance.now();
    const copied = await copy(() => {
      if (socket.closed) throw new Error(stopped);
      if (performance.now() - reportedAt < reportMs) return;
      reportedAt = performance.now();
      socket.write('copying\n');
    }).catch(async (error) => {
      // The service may have sent its reason.
      if (socket.closed) expectLine(await lines(), 'complete', stopped);
      throw error;
    });
    socket.write('copied\n');
    expectLine(await lines(), 'complete', stopped);
    return copied;
  } finally {
    socket.destroy();
  }
}

function expectLine(line: string | undefined, expected: string, otherwise: string): void {
  if (line === expected) return;
  throw new BackupFailure(
    line?.startsWith('failed ') ? `the backup failed: ${line.slice('failed '.length)}` : otherwise,
  );
}
