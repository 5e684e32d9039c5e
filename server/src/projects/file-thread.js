// @ts-check
// One piece of work with a large project file, on a thread of its own. Plain JavaScript, because a thread is started from its
// file, and the tests start it from the sources.
import { parentPort, workerData } from 'node:worker_threads';
import { runTask } from './file-tasks.ts';

parentPort?.postMessage(runTask(workerData));
