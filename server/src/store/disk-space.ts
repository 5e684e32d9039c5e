import type { Logger } from 'pino';
import type { Database } from './database.ts';

/** Free bytes on the disk of the embedded engine below which a warning is logged. */
export const lowSpaceBytes = 512 * 1024 * 1024;

const remindEveryMs = 3_600_000;

export function inMegabytes(bytes: number): string {
  return `${Math.floor(bytes / (1024 * 1024))} MB`;
}

/** Logs a warning when the disk is nearly full: immediately, then every hour. */
export class DiskSpaceWatch {
  readonly #database: Database;
  readonly #log: Logger;
  #warnedAt: number | undefined;

  constructor(database: Database, log: Logger) {
    this.#database = database;
    this.#log = log;
  }

  async look(now = performance.now()): Promise<void> {
    const free = await this.#database.own?.freeBytes?.();
    if (free === undefined) return;
    if (free >= lowSpaceBytes) this.#warnedAt = undefined;
    else if (this.#warnedAt === undefined || now - this.#warnedAt >= remindEveryMs) {
      this.#warnedAt = now;
      this.#log.warn(
        { free: inMegabytes(free) },
        'the disk of DATA_DIR is nearly full; no sessions are recorded once it is full',
      );
    }
  }
}
