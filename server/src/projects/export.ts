import type { Database } from '../store/database.ts';
import { serialiseStored } from './file-tasks.ts';
import type { ProjectFileFormat } from './project-file.ts';
import { serialQueue } from './serial-queue.ts';
import { type ProjectText, readProjectText } from './store.ts';

/** Limits of the queue. A waiting request holds only its connection. */
const limits = { maxWaiting: 64, maxWaitMs: 30_000 };

/** Exports projects as files, one at a time. Returns undefined if the project does not exist. */
export function openExport(
  database: Database,
): (projectId: string, format: ProjectFileFormat) => Promise<ProjectText | undefined> {
  const enqueue = serialQueue(limits);
  return (projectId, format) =>
    enqueue(async () => {
      const stored = await readProjectText(database, projectId);
      return stored && { ...stored, text: await serialiseStored(stored.text, format) };
    });
}
