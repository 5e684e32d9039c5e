import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setImmediate as immediate } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
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
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const { near, far } = await channel();
  const outcomes: string[] = [];
  const answered = new Promise<void>((resolve) => {
    far.once('data', () => {
      outcomes.push('answered');
      heartbeat.answered();
      resolve();
    });
  });
  const process = { connected: false } as ChildProcess;
  const heartbeat = new Heartbeat(process, { late: () => {}, hung: () => outcomes.push('hung') }, everyMs);
  heartbeat.ready();
  // The tenth interval without an answer would be the last.
  for (let interval = 1; interval < 10; interval++) {
    vi.advanceTimersByTime(everyMs);
    await immediate();
  }
  near.write('pong');
  // The answer arrives while the event loop is blocked.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3 * everyMs);
  vi.advanceTimersByTime(everyMs);
  await answered;
  await immediate();
  heartbeat.stop();
  expect(outcomes).toEqual(['answered']);
});
