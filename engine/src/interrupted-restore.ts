import fs from 'node:fs';
import { join } from 'node:path';
import { StartError } from '@session-launch/process/start-error';

/** The folder in a data folder into which a restore extracts a backup before it moves the files into place, the database last. */
export const restoreDraft = 'restore.new';

/**
 * Throws if the last restore into a locked data folder was interrupted: the service would start with an empty database there, and the
 * restore could not be repeated. Removes the draft of a restore that was complete.
 */
export async function requireCompleteRestore(dataDir: string): Promise<void> {
  const draft = join(dataDir, restoreDraft);
  if (!fs.existsSync(draft)) return;
  if (fs.existsSync(join(dataDir, 'database')))
    return fs.promises.rm(draft, { recursive: true, force: true });
  throw new StartError(
    `a restore into the data folder ${dataDir} was interrupted; run session-launch restore again`,
  );
}
