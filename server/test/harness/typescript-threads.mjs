// Lets a thread run from the sources, which this Node cannot read: vitest compiles what it imports itself, but no thread.
import { register } from 'node:module';
import { isMainThread } from 'node:worker_threads';

if (!isMainThread) register('./typescript-hooks.mjs', import.meta.url);
