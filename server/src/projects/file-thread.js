// @ts-check
// Entry point of the worker thread for large project files. Plain JavaScript, because tests start it from the sources.
import { parentPort, workerData } from 'node:worker_threads';
import { runTask } from './file-tasks.ts';

parentPort?.postMessage(runTask(workerData));
