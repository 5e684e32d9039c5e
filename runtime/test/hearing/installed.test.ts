import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { verifyFiles } from '../../src/hearing/local/installed.ts';
import { openLocalHearing } from '../../src/hearing/local/open.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'session-launch-model-'));
});
afterAll(() => rm(folder, { recursive: true }));

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

test('accepts the model files with the right hashes only', async () => {
  const files = { 'a.onnx': sha256('model') };
  await expect(verifyFiles(folder, files)).rejects.toThrow('a.onnx cannot be read (ENOENT)');
  await writeFile(join(folder, 'a.onnx'), 'modem');
  await expect(verifyFiles(folder, files)).rejects.toThrow('a.onnx is damaged: its SHA-256 differs');
  await writeFile(join(folder, 'a.onnx'), 'model');
  await verifyFiles(folder, files);
});

test.each([
  [true, ["local speech recognition does not work, and the browser's is used instead: its packages are not"]],
  [false, []],
])(
  'without the packages, the page recognises speech; a line says so if HEARING=local is %s',
  async (isChosen, lines) => {
    const warnings: string[] = [];
    const opened = await openLocalHearing({
      isChosen,
      max: 1,
      warn: (problem) => warnings.push(problem),
      isInstalled: () => false,
    });
    expect(opened).toBe('page');
    expect(warnings).toEqual(lines.map((line) => expect.stringContaining(line)));
  },
);

test('with a damaged model, the page recognises speech, and one line names the file', async () => {
  const warnings: string[] = [];
  const opened = await openLocalHearing({
    isChosen: false,
    max: 1,
    warn: (problem) => warnings.push(problem),
    isInstalled: () => true,
    verified: async () => {
      throw new Error('/model/a.onnx is damaged: its SHA-256 differs');
    },
  });
  expect(opened).toBe('page');
  expect(warnings).toEqual([expect.stringContaining('/model/a.onnx is damaged')]);
});
