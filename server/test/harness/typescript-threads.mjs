// Lets worker threads load TypeScript sources: vitest compiles what it imports itself, but not the modules of worker threads.
import { register } from 'node:module';
import { isMainThread } from 'node:worker_threads';

if (!isMainThread) register('./typescript-hooks.mjs', import.meta.url);
