import { type ProjectText, readProjectText } from '../content/projects.ts';
import type { DocumentThread } from '../documents/document-thread.ts';
import { FairQueue, type Requester } from '../documents/fair-queue.ts';
import type { ProjectFileFormat } from '../documents/project-file.ts';
import type { Database } from '../store/database.ts';

/** Exports projects as files, one at a time, since each may take tens of megabytes. Returns undefined if the project does not exist. */
export function openExport(
  database: Database,
  documents: DocumentThread,
): (requester: Requester, projectId: string, format: ProjectFileFormat) => Promise<ProjectText | undefined> {
  const queue = new FairQueue();
  return (requester, projectId, format) =>
    queue.run(requester, async () => {
      const stored = await readProjectText(database, projectId);
      return stored && { ...stored, text: await documents.serialise(requester, stored.text, format) };
    });
}
