// Kills a process with SIGKILL during or after one of its operations (NODE_OPTIONS=--require). KILL_AT names a JSON file with a `Killing`.
// Operations are changes to files and writes to sockets; each is appended to a log, so that a test can choose among those of an earlier run.
const fs = require('node:fs');
const { syncBuiltinESMExports } = require('node:module');
const { Socket } = require('node:net');
const { isMainThread } = require('node:worker_threads');

/**
 * @typedef {object} Killing
 * @property {string} log the file that receives one line per operation
 * @property {'main' | 'engine'} thread whose operations count
 * @property {{ operation: string, nth: number, isAfter: boolean }} [point] kills at this one, counted from 0
 */

/** @type {Killing} */
const { log, thread, point } = JSON.parse(fs.readFileSync(process.env.KILL_AT, 'utf8'));
const { appendFileSync } = fs;
const counts = new Map();

const kill = () => {
  process.kill(process.pid, 'SIGKILL');
  // The signal may reach another thread first.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
};

function patch(target, name) {
  const original = target[name];
  target[name] = function (...args) {
    const nth = counts.get(name) ?? 0;
    counts.set(name, nth + 1);
    appendFileSync(log, `${name}\n`);
    const isDue = point?.operation === name && point.nth === nth;
    const result = original.apply(this, args);
    if (!isDue) return result;
    if (!point.isAfter || typeof result?.then !== 'function') kill();
    return result.then(kill);
  };
}

if (isMainThread !== (thread === 'engine')) {
  if (isMainThread) {
    for (const name of ['chmod', 'link', 'mkdir', 'open', 'rename', 'rm', 'writeFile'])
      patch(fs.promises, name);
    patch(Socket.prototype, '_writeGeneric');
    void fs.promises.open(__filename).then(async (handle) => {
      for (const name of ['datasync', 'sync', 'writeFile']) patch(Object.getPrototypeOf(handle), name);
      await handle.close();
    });
    syncBuiltinESMExports();
  } else {
    for (const name of ['writeSync', 'fsyncSync', 'fdatasyncSync', 'renameSync', 'unlinkSync'])
      patch(fs, name);
  }
}
