import pino from 'pino';
import { expect, test } from 'vitest';
import type { Database } from '../../src/store/database.ts';
import { DiskSpaceWatch, lowSpaceBytes } from '../../src/store/disk-space.ts';

const hour = 3_600_000;

function watched(own: Database['own']) {
  const lines: { level: number; free: string }[] = [];
  const log = pino({ level: 'info' }, { write: (line) => lines.push(JSON.parse(line)) });
  return { lines, watch: new DiskSpaceWatch({ own } as Database, log) };
}

test('low disk space is logged at once, then every hour, and again after a recovery', async () => {
  let free = lowSpaceBytes;
  const { lines, watch } = watched({
    alive: () => true,
    restarts: () => 0,
    analyze: async () => undefined,
    maintain: async () => undefined,
    freeBytes: async () => free,
  });
  await watch.look(0);
  expect(lines).toHaveLength(0);
  free = 100 * 1024 * 1024;
  await watch.look(10_000);
  expect(lines).toEqual([expect.objectContaining({ level: 40, free: '100 MB' })]);
  await watch.look(20_000);
  expect(lines).toHaveLength(1);
  await watch.look(10_000 + hour);
  expect(lines).toHaveLength(2);
  free = lowSpaceBytes;
  await watch.look(20_000 + hour);
  free = 0;
  await watch.look(30_000 + hour);
  expect(lines).toHaveLength(3);
});

test('PostgreSQL and in-memory databases are not checked for disk space', async () => {
  for (const own of [
    undefined,
    { alive: () => true, restarts: () => 0, analyze: async () => undefined, maintain: async () => undefined },
  ]) {
    const { lines, watch } = watched(own);
    await watch.look(0);
    expect(lines).toEqual([]);
  }
});
