/** A failure whose message tells the operator what to do. */
export class BackupFailure extends Error {}

/** The first entry of a backup. */
export interface Manifest {
  /** Version of the program that made the backup. */
  version: string;
  createdAt: string;
}

export const manifestName = 'session-launch-backup.json';

/** The entry and folder with the files of the database. */
export const databaseFolder = 'database';

const formatVersion = 1;

export function manifestText(version: string, createdAt: Date): string {
  return `${JSON.stringify({ formatVersion, version, createdAt: createdAt.toISOString() })}\n`;
}

/** Returns `undefined` if the text is not a manifest. Throws if the backup has a newer format. */
export function parseManifest(text: string, file: string): Manifest | undefined {
  let found: Partial<Manifest> & { formatVersion?: unknown };
  try {
    found = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof found?.formatVersion !== 'number') return undefined;
  if (typeof found.version !== 'string' || typeof found.createdAt !== 'string') return undefined;
  if (found.formatVersion > formatVersion) {
    throw new BackupFailure(
      `${file} was made by version ${found.version}, whose format this version cannot read; restore it with that version`,
    );
  }
  return { version: found.version, createdAt: found.createdAt };
}
