import { openSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { answerLog, createLog, droppedLines } from '../../src/observe/log.ts';

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'session-launch-log-'));
  file = join(folder, 'log');
});
afterEach(() => rm(folder, { recursive: true }));

const open = (level: 'info' | 'warn') =>
  createLog(level, { fd: openSync(file, 'a') } as NodeJS.WriteStream & { fd: number });
const answered = { requestId: 'req_1', method: 'GET', route: '/v1/a/:b', status: 200, ms: 1.2345 };
const written = () => readFileSync(file, 'utf8');

test('the line of a response is identical to one written by the logger', async () => {
  const log = open('info');
  answerLog(log)(answered);
  log.info({ reqId: 'req_1', method: 'GET', route: '/v1/a/:b', status: 200, ms: 1.2 }, 'answered');
  await expect.poll(() => written().split('\n').length).toBe(3);
  const [byHand, byLogger, ...rest] = written()
    .replace(/"time":"[^"]*Z"/g, '"time":"T"')
    .split('\n');
  expect(byHand).toBe(byLogger);
  expect(rest).toEqual(['']);
});

test('the line of a response has the trace id of its request', async () => {
  answerLog(open('info'))({ ...answered, traceId: 'a'.repeat(32) });
  await expect.poll(written).toContain(`"reqId":"req_1","traceId":"${'a'.repeat(32)}","method":"GET"`);
});

test('lines keep their order, few or many', async () => {
  const log = open('info');
  const tell = answerLog(log);
  for (let n = 0; n < 3_000; n++) {
    tell({ ...answered, status: 2 * n });
    log.info({ status: 2 * n + 1 }, 'other');
  }
  await expect.poll(() => written().split('\n').length).toBe(6_001);
  const lines = written().trim().split('\n');
  expect(lines.map((line) => JSON.parse(line).status)).toEqual(Array.from({ length: 6_000 }, (_, n) => n));
  expect(droppedLines(log)).toBe(0);
});

test('a fatal line is written synchronously, after all earlier lines', () => {
  const log = open('info');
  log.info('before');
  log.fatal('the end');
  expect(written()).toMatch(/"before"}\n.*"the end"}\n$/);
});

test('responses are logged at the level info', async () => {
  const log = open('warn');
  answerLog(log)(answered);
  log.info('not important');
  log.warn('important');
  await expect.poll(written).toMatch(/^[^\n]*"important"}\n$/);
});
