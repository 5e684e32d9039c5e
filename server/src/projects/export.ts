import type { Orm } from '../store/database.ts';
import { serialiseStored } from './file-tasks.ts';
import type { ProjectFileFormat } from './project-file.ts';
import { serialQueue } from './serial-queue.ts';
import { readProjectText } from './store.ts';

/** Each that waits holds nothing but its connection. */
const bounds = { maxWaiting: 64, maxWaitMs: 30_000 };

/** Writes out the file that would make what is stored of a project, or undefined where there is none. One at a time. */
export function openExport(
  orm: Orm,
): (projectId: string, format: ProjectFileFormat) => Promise<string | undefined> {
  const inTurn = serialQueue(bounds);
  return (projectId, format) =>
    inTurn(async () => {
      const stored = await readProjectText(orm, projectId);
      return stored === undefined ? undefined : serialiseStored(stored, format);
    });
}
