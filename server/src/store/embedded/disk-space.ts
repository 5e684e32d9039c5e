import type { Logger } from 'pino';
import type { Database } from '../database.ts';

/** Free bytes on the disk of the embedded engine below which a warning is logged. */
export const lowSpaceBytes = 512 * 1024 * 1024;

/** PostgreSQL's codes for a full disk, and for a write while the engine is read-only because its reserve is used up. */
const fullDiskCodes = ['53100', '25006'];

/** Whether an error of the embedded engine means that its disk is full. */
export function isFullDisk({ code, message }: Error & { code?: string }): boolean {
  return fullDiskCodes.includes(code ?? '') || /no space left|disk quota/i.test(message);
}

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
