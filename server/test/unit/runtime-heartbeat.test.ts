import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { Heartbeat } from '../../src/runtimes/heartbeat.ts';

const everyMs = 20;

/** A loopback connection in place of the channel to the runtime: what is written to `near` is read from `far`. */
async function channel(): Promise<{ near: Socket; far: Socket }> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const near = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const [far] = (await once(server, 'connection')) as [Socket];
  await once(near, 'connect');
  onTestFinished(() => {
    near.destroy();
    far.destroy();
    server.close();
  });
  return { near, far };
}

test('an answer that waits to be read is counted before the runtime is reported as hung', async () => {
  const { near, far } = await channel();
  const outcomes: string[] = [];
  const answered = new Promise<void>((resolve) => {
    far.once('data', () => {
      outcomes.push('answered');
      heartbeat.answered();
      resolve();
    });
  });
  let lateIntervals = 0;
  const late = () => {
    // The third to the ninth interval without an answer; the tenth would be the last.
    if (++lateIntervals !== 7) return;
    setImmediate(() => {
      near.write('pong');
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3 * everyMs);
    });
  };
  const process = { connected: false } as ChildProcess;
  const heartbeat = new Heartbeat(process, { late, hung: () => outcomes.push('hung') }, everyMs);
  heartbeat.ready();
  await answered;
  heartbeat.stop();
  expect(outcomes).toEqual(['answered']);
});
