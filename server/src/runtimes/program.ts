import { fileURLToPath } from 'node:url';

/**
 * What Node runs. The runtime is a program of its own: it is started, never imported. It makes thousands of short-lived frames a second, and
 * would by itself let tens of megabytes of them lie before it cleans up.
 */
export const runtimeProgram = (): string[] => [
  '--max-semi-space-size=2',
  fileURLToPath(import.meta.resolve('@session-launch/runtime')),
];
