// Synthesises texts one at a time. The main thread compiles the WebAssembly module and passes it in `workerData`.
import { parentPort, workerData } from 'node:worker_threads';
import { runProgram } from './wasi.js';

parentPort?.on('message', ({ args }) => {
  try {
    const { code, file, printed } = runProgram(workerData.module, ['flite', ...args]);
    if (code !== 0 || file.length < 44) throw new Error(`flite ended with ${code} and ${file.length} bytes`);
    parentPort?.postMessage({ wav: file, printed }, [file.buffer]);
  } catch (error) {
    parentPort?.postMessage({ failure: String(error) });
  }
});
