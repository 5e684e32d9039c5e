import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';

/** Path of workerd; `undefined` if it does not start: on x64 it needs glibc 2.35. */
export function findWorkerd(): string | undefined {
  try {
    const { default: program } = createRequire(import.meta.url)('workerd') as { default: string };
    return spawnSync(program, ['--version']).status === 0 ? program : undefined;
  } catch {
    return undefined;
  }
}
