import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { listedFiles } from '../../../testing/src/tiers.ts';

const root = new URL('../../../', import.meta.url);

const inRepository = (...patterns: string[]) =>
  execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '--', ...patterns], {
    cwd: root,
    encoding: 'utf8',
  })
    .trim()
    .split('\n');

test('every file that a tier lists exists, and is listed once', () => {
  const files = listedFiles().filter((file) => !file.includes('*'));
  for (const file of files) expect(existsSync(new URL(file, root)), file).toBe(true);
  expect(new Set(files).size).toBe(files.length);
});

test('every test file is in a folder that its workspace runs', () => {
  const patterns = inRepository('*vitest.config.ts').map((config) => {
    const text = readFileSync(new URL(config, root), 'utf8');
    const folders = [...text.matchAll(/'(test\/[^'*]*)\*\*\/\*\.test\.ts'/g)].map(([, folder]) => folder!);
    return { workspace: config.replace('vitest.config.ts', ''), folders };
  });
  const files = inRepository('*.test.ts', '*.test.tsx', '*.test.js', '*.test.mjs', '*.spec.*');
  const isRun = (file: string) =>
    patterns.some(({ workspace, folders }) => folders.some((folder) => file.startsWith(workspace + folder)));
  expect(files.filter((file) => !(file.endsWith('.test.ts') && isRun(file)))).toEqual([]);
  expect(files.length).toBeGreaterThan(300);
});
