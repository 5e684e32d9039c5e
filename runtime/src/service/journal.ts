import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Report } from '@session-launch/contract/runtime/lifecycle';

const suffix = '.report.json';

export interface Leftover {
  report: Report;
  delivered(): Promise<void>;
  refused(): Promise<void>;
}

/**
 * Stores the last undelivered report of each process on disk, one file per process. A later process delivers the reports of earlier ones.
 */
export class Journal {
  readonly #folder: string;
  readonly #file: string;
  #isWritten = false;

  constructor(dataDir: string, runtimeId: string) {
    this.#folder = join(dataDir, 'runtime-reports');
    this.#file = join(this.#folder, `${runtimeId}${suffix}`);
  }

  async keep(report: Report): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    await writeFile(`${this.#file}.new`, JSON.stringify(report), { mode: 0o600 });
    await rename(`${this.#file}.new`, this.#file);
    this.#isWritten = true;
  }

  /** Deletes the stored report, because a newer one was delivered. */
  async clear(): Promise<void> {
    if (!this.#isWritten) return;
    this.#isWritten = false;
    await rm(this.#file, { force: true });
  }

  /** Returns the reports of earlier processes. `delivered` deletes a report, `refused` renames it. */
  async leftovers(): Promise<Leftover[]> {
    const names = await readdir(this.#folder).catch(() => []);
    const found = await Promise.all(
      names.map(async (name) => {
        const file = join(this.#folder, name);
        if (!name.endsWith(suffix) || file === this.#file) return [];
        try {
          const report = JSON.parse(await readFile(file, 'utf8')) as Report;
          const delivered = () => rm(file, { force: true });
          return [{ report, delivered, refused: () => rename(file, `${file}.refused`) }];
        } catch {
          return [];
        }
      }),
    );
    return found.flat();
  }
}
