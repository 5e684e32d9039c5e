import { afterAll } from 'vitest';

/**
 * Takes steps that undo what the tests of a file or a `describe` share. They are carried out after the last test, in reverse, each of
 * them also where one before it fails.
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
