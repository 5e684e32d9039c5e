import { expect, test, vi } from 'vitest';
import type { EngineThread } from '../src/engine-thread.js';

const refusals = vi.hoisted(() => ({ left: 1 }));

vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof import('node:fs/promises')>();
  const readFile = ((...call: Parameters<typeof real.readFile>) =>
    refusals.left-- > 0
      ? Promise.reject(Object.assign(new Error('EMFILE: too many open files'), { code: 'EMFILE' }))
      : real.readFile(...call)) as typeof real.readFile;
  return { ...real, readFile };
});

test('a start whose engine could not be read fails alone: the next one reads it again', async () => {
  // Other files of this worker have loaded the module, and with it the real functions.
  vi.resetModules();
  const { EngineThread } = await import('../src/engine-thread.js');
  const start = (onAnswer: () => void = () => undefined) =>
    EngineThread.start({}, { onAnswer, onFull: () => undefined, onEnd: () => undefined });
  await expect(start()).rejects.toThrow('EMFILE');
  let thread: EngineThread | undefined;
  await new Promise<void>((resolve, reject) => {
    start(resolve).then((started) => {
      thread = started;
    }, reject);
  });
  expect(await thread!.stop(60_000)).toBe(true);
});
