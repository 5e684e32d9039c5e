// Injects disk faults into the thread of an embedded engine (NODE_OPTIONS=--require). FAILING_DISK names a JSON file with the current
// fault, which a test may change at any time: `{}` is a healthy disk.
const fs = require('node:fs');
const { isMainThread } = require('node:worker_threads');

/**
 * @typedef {object} Trouble
 * @property {number} [room] free space in bytes
 * @property {string} [sync] the error code of every fsync
 * @property {string} [wait] a named pipe without a writer: every fsync blocks on opening it
 */

const control = process.env.FAILING_DISK;
const { readFileSync, writeFileSync, writeSync, fstatSync, statSync, rmSync, statfsSync } = fs;

/** @returns {Trouble} */
const trouble = () => JSON.parse(readFileSync(control, 'utf8'));

function failure(code) {
  return Object.assign(new Error(`${code}: on purpose`), { code });
}

/** Free space is counted by file size; sparse files are not considered. */
function take(bytes) {
  const now = trouble();
  if (now.room === undefined || bytes === 0) return;
  if (bytes > now.room) throw failure('ENOSPC');
  writeFileSync(control, JSON.stringify({ ...now, room: now.room - bytes }));
}

function sync(original) {
  return (descriptor) => {
    const { sync: code, wait } = trouble();
    if (code !== undefined) throw failure(code);
    if (wait !== undefined) fs.openSync(wait, 'r');
    return original(descriptor);
  };
}

if (control !== undefined && !isMainThread) {
  fs.writeSync = (descriptor, buffer, offset, length, position) => {
    if (length === undefined) return writeSync(descriptor, buffer, offset);
    const { size } = fstatSync(descriptor);
    take(Math.max(0, (position ?? size) + length - size));
    return writeSync(descriptor, buffer, offset, length, position);
  };
  fs.rmSync = (path, options) => {
    const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    rmSync(path, options);
    take(-size);
  };
  fs.statfsSync = (path, options) => {
    const { room } = trouble();
    const real = statfsSync(path, options);
    return room === undefined ? real : { ...real, bsize: 1, bavail: room };
  };
  fs.fdatasyncSync = sync(fs.fdatasyncSync);
  fs.fsyncSync = sync(fs.fsyncSync);
}
