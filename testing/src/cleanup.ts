import { afterAll } from 'vitest';

/**
 * Registers cleanup steps for a file or a `describe`. They run after the last test in reverse order; a failing step does not prevent the
 * others.
 */
export function useCleanup(): (step: () => Promise<unknown>) => void {
  const steps: (() => Promise<unknown>)[] = [];
  afterAll(async () => {
    const failures: unknown[] = [];
    for (const step of steps.reverse()) await step().catch((error) => failures.push(error));
    if (failures.length > 0) throw failures[0];
  });
  return (step) => steps.push(step);
}
