// @ts-check
// Room on the disk that the embedded engine keeps for the moment when there is none left. Plain JavaScript, for its thread.
import { randomFillSync } from 'node:crypto';
import fs from 'node:fs';
import { dirname } from 'node:path';

/** Enough for the log of whatever is under way when the disk turns out to be full. */
const size = 32 * 1024 * 1024;
const chunk = 1024 * 1024;

/**
 * PostgreSQL must not fail to write its log: it ends when it does. A file of random bytes (zeros would take no room on a
 * disk that compresses) is removed at that moment, so that the statement under way goes through.
 */
export class SpareRoom {
  #file;

  /** @param {string} file */
  constructor(file) {
    this.#file = file;
    this.held = this.#take();
  }

  /**
   * Does something with files, and once more with the spare room given up when the disk is full.
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

  /** Takes room again when there is twice as much, or the next statement would use it up at once. */
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
      // A disk that allocates late says only now that it is full.
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
