import { createHash, randomBytes } from 'node:crypto';
import { chmod, link, mkdir, open, realpath, rm, stat, symlink, unlink } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StartError } from '@session-launch/process/start-error';

export interface FolderLock {
  /** Passes further connections to the lock, which only the owner of the folder can open, to `onConnection`. */
  serve(onConnection: (socket: Socket) => void): void;
  /** Also closes the connections to the lock. */
  release(): Promise<void>;
}

/**
 * Locks a folder for this process.
 *
 * The lock is a listening Unix socket. Connecting to it shows whether its owner is alive, so a lock ends with its process, however that
 * exits, without heartbeats, process ids or timeouts. A lock is created only by the link() below, which never replaces an existing
 * file. A stale lock is removed only while holding a second, short-lived lock.
 */
export async function lockFolder(folder: string): Promise<FolderLock> {
  await mkdir(folder, { recursive: true });
  const real = await realpath(folder);
  if (process.platform === 'win32') return holdPipe(pipeOf(real), folder);
  return withShortPath(real, async (short) => {
    const name = `lock.${randomBytes(4).toString('hex')}`;
    const socket = await LockSocket.listen(join(short, name));
    try {
      await chmod(join(short, name), 0o600);
      await acquire(join(short, name), join(short, 'lock'), folder);
    } catch (error) {
      await socket.close();
      throw error;
    } finally {
      await rm(join(real, name), { force: true });
    }
    return {
      serve: (onConnection) => socket.serve(onConnection),
      release: async () => {
        await rm(join(real, 'lock'), { force: true });
        await socket.close();
      },
    };
  });
}

/** Whether a running process holds the lock. Does not lock or change anything. */
export async function isFolderInUse(folder: string): Promise<boolean> {
  const real = await realpath(folder);
  if (process.platform === 'win32') return isAlive(pipeOf(real));
  return withShortPath(real, (short) => isAlive(join(short, 'lock')));
}

/** Connects to the process that holds the lock; `undefined` if there is none. */
export async function connectToOwner(folder: string): Promise<Socket | undefined> {
  const real = await realpath(folder);
  if (process.platform === 'win32') return connected(pipeOf(real));
  return withShortPath(real, (short) => connected(join(short, 'lock')));
}

async function acquire(own: string, lock: string, folder: string): Promise<void> {
  for (let attempt = 0; attempt < 50; attempt++) {
    if (await tryLink(own, lock)) return;
    if (await isAlive(lock)) throw inUse(folder);
    await removeStale(lock);
  }
  throw inUse(folder);
}

async function tryLink(own: string, lock: string): Promise<boolean> {
  try {
    await link(own, lock);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

async function removeStale(lock: string): Promise<void> {
  const removal = `${lock}.removal`;
  const handle = await open(removal, 'wx').catch(() => undefined);
  if (handle === undefined) {
    const age = await stat(removal).then(
      (s) => Date.now() - s.mtimeMs,
      () => 0,
    );
    if (age > 10_000) await rm(removal, { force: true });
    await new Promise((resolve) => setTimeout(resolve, 20));
    return;
  }
  try {
    if (!(await isAlive(lock))) await unlink(lock).catch(() => undefined);
  } finally {
    await handle.close();
    await rm(removal, { force: true });
  }
}

/**
 * Unix socket paths are limited to about 100 bytes. A longer path is reached through a temporary symbolic link, so that the lock is
 * still in the folder itself, where other processes look for it.
 */
async function withShortPath<T>(real: string, work: (path: string) => Promise<T>): Promise<T> {
  if (Buffer.byteLength(real) <= 80) return work(real);
  const short = join(tmpdir(), `session-launch-${randomBytes(6).toString('hex')}`);
  await symlink(real, short);
  try {
    return await work(short);
  } finally {
    await rm(short, { force: true });
  }
}

function pipeOf(real: string): string {
  return `\\\\.\\pipe\\session-launch-${createHash('sha256').update(real).digest('hex').slice(0, 24)}`;
}

async function holdPipe(lock: string, folder: string): Promise<FolderLock> {
  const socket = await LockSocket.listen(lock).catch(() => {
    throw inUse(folder);
  });
  return { serve: (onConnection) => socket.serve(onConnection), release: () => socket.close() };
}

async function isAlive(lock: string): Promise<boolean> {
  try {
    const socket = await connected(lock);
    socket?.destroy();
    return socket !== undefined;
  } catch {
    // Any other error, such as a full backlog or a socket of another user, means that the owner is alive.
    return true;
  }
}

/** Resolves with `undefined` if no process listens. */
function connected(lock: string): Promise<Socket | undefined> {
  return new Promise((resolve, reject) => {
    const socket = connect(lock);
    socket.once('connect', () => resolve(socket));
    socket.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED' || error.code === 'ENOENT') resolve(undefined);
      else reject(error);
    });
  });
}

/** The listening socket of a lock. Closes every connection until `serve` is called. */
class LockSocket {
  readonly #server: Server;
  readonly #open = new Set<Socket>();
  #onConnection = (socket: Socket): void => void socket.destroy();

  private constructor(server: Server) {
    this.#server = server;
    server.on('connection', (socket) => {
      this.#open.add(socket);
      socket.once('close', () => this.#open.delete(socket));
      this.#onConnection(socket);
    });
  }

  static listen(address: string): Promise<LockSocket> {
    return new Promise((resolve, reject) => {
      const server = createServer();
      const socket = new LockSocket(server);
      server.once('error', reject);
      server.listen(address, () => {
        server.unref();
        resolve(socket);
      });
    });
  }

  serve(onConnection: (socket: Socket) => void): void {
    this.#onConnection = onConnection;
  }

  close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const socket of this.#open) socket.destroy();
    return closed;
  }
}

function inUse(folder: string): StartError {
  return new StartError(
    `another process already uses the data folder ${folder}; stop it first, or set DATA_DIR to another folder`,
  );
}
