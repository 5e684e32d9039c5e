import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { installProblem, verifyFiles } from '../../src/hearing/local/installed.ts';
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

test('a missing package is named, and a platform without a build', () => {
  const missing = (name: string) => (wanted: string) => {
    if (wanted === name) throw new Error('not found');
    return fileURLToPath(import.meta.url);
  };
  expect(installProblem(missing('llama-tokenizer-js'))).toMatch(
    /^onnxruntime-node has no build for \w+ \w+$/,
  );
  expect(installProblem(missing('onnxruntime-node'))).toBe(
    'the optional package onnxruntime-node is not installed',
  );
});

test('without the packages, the page recognises speech, and one line names the problem and the solution', async () => {
  const warnings: string[] = [];
  const opened = await openLocalHearing({
    max: 1,
    warn: (problem) => warnings.push(problem),
    problemOf: () => 'the optional package onnxruntime-node is not installed',
  });
  expect(opened).toBe('page');
  expect(warnings).toEqual([
    "local speech recognition does not work, and the browser's is used instead: the optional package onnxruntime-node is not installed; install the packages again (npm ci), or set HEARING=page",
  ]);
});

test('with a damaged model, the page recognises speech, and one line names the file', async () => {
  const warnings: string[] = [];
  const opened = await openLocalHearing({
    max: 1,
    warn: (problem) => warnings.push(problem),
    problemOf: () => undefined,
    verified: async () => {
      throw new Error('/model/a.onnx is damaged: its SHA-256 differs');
    },
  });
  expect(opened).toBe('page');
  expect(warnings).toEqual([expect.stringContaining('/model/a.onnx is damaged')]);
});
