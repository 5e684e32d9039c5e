import { monitorEventLoopDelay } from 'node:perf_hooks';
import { expectError } from '@session-launch/testing/world.ts';
import { describe, expect, test } from 'vitest';
import { parseProjectFile } from '../../src/documents/project-file.ts';
import { largeFile } from '../harness/large-file.ts';
import { useService } from '../harness/service.ts';

const service = useService();

const applyText = (body: string | Buffer, type = 'application/json') =>
  service.admin({ method: 'POST', path: '/admin/projects', headers: { 'Content-Type': type }, body });

describe('a large project file', () => {
  test('has its problems reported with lines, like a small one', async () => {
    const file = largeFile(200);
    const text = JSON.stringify(file, null, 1);
    const lines = text.split('\n');
    const line = lines.findLastIndex((words) => words.includes('"websocket"'));
    const answer = await applyText(text.replaceAll('"type": "websocket"', '"type": "websoket"'));
    expectError(answer, 400, 'PROJECT_FILE_INVALID');
    expect(answer.json.error.details).toHaveLength(200);
    expect(answer.json.error.details.at(-1)).toEqual({
      line: line + 1,
      column: (lines[line] ?? '').indexOf('"websocket"') + 1,
      path: 'experiences[199].runtime.transport.type',
      message: '"websoket" must be one of websocket, livekit; did you mean "websocket"?',
    });
    expect(answer.json.error.message).toMatch(/^line \d+: experiences\[0\]\..* \(and 199 more problems\)$/);
    const stored = await service.admin({ path: `/admin/projects/${file.project.id}` });
    expectError(stored, 404, 'PROJECT_NOT_FOUND');
  });

  test('that is not UTF-8 is rejected with that reason', async () => {
    const answer = await applyText(Buffer.concat([Buffer.alloc(100_000, '# '), Buffer.from([0x63, 0xe9])]));
    expectError(answer, 400, 'PROJECT_FILE_INVALID');
    expect(answer.json.error.message).toBe('the file is not UTF-8 text; save it as UTF-8');
  });

  test('does not block the event loop while it is parsed', async () => {
    const file = JSON.stringify(largeFile(2_000));
    const readings: number[] = [];
    const delays: number[] = [];
    for (let round = 0; round < 5; round++) {
      const started = performance.now();
      parseProjectFile(file, 'json');
      readings.push(performance.now() - started);
      const delay = monitorEventLoopDelay({ resolution: 5 });
      delay.enable();
      const answer = await applyText(file);
      delay.disable();
      expect(answer.status, answer.text).toBe(200);
      delays.push(delay.max / 1e6);
    }
    // Other processes only add to these times.
    expect(Math.min(...delays)).toBeLessThan(0.5 * Math.min(...readings));
  });
});
