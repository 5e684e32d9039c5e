import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { listedFiles } from '../../../testing/src/tiers.ts';

const root = new URL('../../../', import.meta.url);

test('every file that a tier lists exists, and is listed once', () => {
  const files = listedFiles().filter((file) => !file.includes('*'));
  for (const file of files) expect(existsSync(new URL(file, root)), file).toBe(true);
  expect(new Set(files).size).toBe(files.length);
});
