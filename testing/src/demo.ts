import { readFile } from 'node:fs/promises';
import { expect } from 'vitest';
import { parse } from 'yaml';
import type { Target } from './target.ts';
import { apply } from './world.ts';

const demoProjectFile = new URL('../../examples/demo.yaml', import.meta.url);

/** Applies the demo project as the service does on its first start. */
// biome-ignore lint/suspicious/noExplicitAny: tests change the file freely
export async function applyDemo(service: Target, change: (file: any) => void = () => {}): Promise<void> {
  const file = parse(await readFile(demoProjectFile, 'utf8'));
  change(file);
  const applied = await apply(service, file);
  expect(applied.status, applied.text).toBe(200);
}
