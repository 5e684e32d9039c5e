import { pino } from 'pino';
import { afterEach, expect, test } from 'vitest';
import { startBeside } from '../../src/runtimes/beside.ts';

const { execPath } = process;
afterEach(() => {
  process.execPath = execPath;
});

test('a runtime that cannot be started is tried again, and keeps no stop waiting', async () => {
  const lines: string[] = [];
  const log = pino({ base: null }, { write: (line: string) => lines.push(line) });
  process.execPath = '/nowhere/node';
  const beside = startBeside({ log, env: process.env, stopMs: 1000 });
  const failures = () => lines.filter((line) => line.includes('could not be started')).length;
  await expect.poll(failures).toBeGreaterThan(2);
  expect(await beside.metrics()).toBe('');
  await beside.close();
});
