// @ts-check
// A reserve file that is deleted when the disk is full, so that the embedded engine can finish its current statement. Plain JavaScript,
// because it runs in the worker thread.
import { randomFillSync } from 'node:crypto';
import fs from 'node:fs';
import { dirname } from 'node:path';

/** Bytes reserved: enough for the log of the statement in flight when the disk becomes full. */
const size = 32 * 1024 * 1024;
const chunk = 1024 * 1024;

/**
 * PostgreSQL exits if it cannot write its log. When the disk is full, this file is deleted so that the statement in flight succeeds. It
 * holds random bytes, because zeros would occupy no space on a compressing disk.
 */
export class ReserveFile {
  #file;

  /** @param {string} file */
  constructor(file) {
    this.#file = file;
    this.held = this.#take();
  }

  /**
   * Runs a file operation. If the disk is full, deletes the reserve file and runs it again.
   * @template T
   * @param {() => T} operation
   * @returns {T}
   */
  within(operation) {
    try {
      return operation();
    } catch (error) {
      if (!isFull(error) || !this.held) throw error;
      this.held = false;
      fs.rmSync(this.#file, { force: true });
      return operation();
    }
  }

  /** Recreates the reserve file once twice its size is free; with less, the next statement would use it up again. */
  renew() {
    const { bavail, bsize } = fs.statfsSync(dirname(this.#file));
    this.held ||= bavail * bsize >= 2 * size && this.#take();
    return this.held;
  }

  #take() {
    if (fs.statSync(this.#file, { throwIfNoEntry: false })?.size === size) return true;
    let file;
    try {
      file = fs.openSync(this.#file, 'w', 0o600);
      const bytes = randomFillSync(Buffer.alloc(chunk));
      for (let at = 0; at < size; at += chunk) fs.writeSync(file, bytes, 0, chunk, at);
      // A file system with delayed allocation reports a full disk only here.
      fs.fsyncSync(file);
      return true;
    } catch (error) {
      if (!isFull(error)) throw error;
      fs.rmSync(this.#file, { force: true });
      return false;
    } finally {
      if (file !== undefined) fs.closeSync(file);
    }
  }
}

/** @param {unknown} error */
function isFull(error) {
  const { code } = /** @type {NodeJS.ErrnoException} */ (error);
  return code === 'ENOSPC' || code === 'EDQUOT';
}
