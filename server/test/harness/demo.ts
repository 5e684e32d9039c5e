import { readFile } from 'node:fs/promises';
import { expect } from 'vitest';
import { parse } from 'yaml';
import { demoProjectFile } from '../../src/config.ts';
import type { Service } from './service.ts';
import { apply } from './world.ts';

/** The demo project, as a first start provisions it. */
// biome-ignore lint/suspicious/noExplicitAny: tests change the file freely
export async function applyDemo(service: Service, change: (file: any) => void = () => {}): Promise<void> {
  const file = parse(await readFile(demoProjectFile, 'utf8'));
  change(file);
  const applied = await apply(service, file);
  expect(applied.status, applied.text).toBe(200);
}
