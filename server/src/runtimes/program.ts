import { fileURLToPath } from 'node:url';

/**
 * Node arguments of the runtime, which is a separate program and never imported. It allocates thousands of short-lived frames per second;
 * the small semi-space keeps tens of megabytes of garbage from accumulating.
 */
export const runtimeProgram = (): string[] => [
  '--max-semi-space-size=2',
  fileURLToPath(import.meta.resolve('@session-launch/runtime')),
];
