import { fileURLToPath } from 'node:url';

/** The runtime is a program of its own: it is started, never imported. */
export const runtimeProgram = () => fileURLToPath(import.meta.resolve('@session-launch/runtime'));
