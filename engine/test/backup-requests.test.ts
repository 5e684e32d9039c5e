import { EventEmitter, once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { answerBackups, linesOf } from '../src/backup-requests.ts';
import { type Engine, openInMemory } from '../src/index.ts';

const checkpoints = { held: false };
const given: number[] = [];
/** The limits for silence that run, with a function that lets each expire and one that waits until it is extended. */
const limits: { ms: number; expire(): void; extended: Promise<unknown> }[] = [];
let engine: Engine;
let server: Server;
let address: string;

beforeAll(async () => {
  engine = await openInMemory(await readFile(inject('dump')));
  server = createServer(
    answerBackups(engine.client, checkpoints, {
      onStalled: (seconds) => given.push(seconds),
      startTimer: (expire, ms) => {
        const timer = new EventEmitter();
        limits.push({ ms, expire, extended: once(timer, 'refresh') });
        return { refresh: () => timer.emit('refresh'), close: () => {} };
      },
    }),
  );
  address = join(tmpdir(), `session-launch-${crypto.randomUUID().slice(0, 8)}`);
  server.listen(address);
  await once(server, 'listening');
});
afterAll(async () => {
  await new Promise((resolve) => server.close(resolve));
  await engine.close();
});

/** Begins a backup and returns its connection once the files can be copied. */
async function begin(): Promise<{ socket: Socket; next: () => Promise<string | undefined> }> {
  const socket = connect(address);
  const next = linesOf(socket);
  socket.write('backup\n');
  expect(await next()).toBe('ready');
  expect(checkpoints.held).toBe(true);
  return { socket, next };
}

test('a copy that does not advance for one minute is given up, and the next backup is possible', async () => {
  const { socket, next } = await begin();
  const limit = limits.at(-1)!;
  expect(limit.ms).toBe(60_000);
  socket.write('copying\n');
  await limit.extended;
  limit.expire();
  expect(await next()).toBe('failed the copy did not advance for 60 seconds; try again');
  expect(await next()).toBeUndefined();
  expect([checkpoints.held, given]).toEqual([false, [60]]);

  const another = await begin();
  another.socket.write('copied\n');
  expect(await another.next()).toBe('complete');
});

test('a copy that ends after the backup was given up is not confirmed', async () => {
  const { socket, next } = await begin();
  limits.at(-1)!.expire();
  socket.write('copied\n');
  expect(await next()).toMatch(/^failed the copy did not advance/);
  expect(await next()).toBeUndefined();
});
