import type { ArtKind, ArtType } from '@session-launch/contract/admin/art';
import type { Database, Statement, Transaction } from '../store/database.ts';
import { inTransaction, onPool } from '../store/queries.ts';
import { extensionOf } from './picture.ts';

/** An uploaded picture without its content. */
export interface Art {
  id: string;
  projectId: string;
  kind: ArtKind;
  hash: string;
  type: ArtType;
  name: string | null;
  bytes: number;
  width: number | null;
  height: number | null;
  uploadedAt: Date;
}

const folders: Record<ArtKind, string> = { avatar: 'avatars', location: 'locations' };

export function pathOf({
  kind,
  projectId,
  hash,
  type,
}: Omit<ArtName, 'extension'> & { type: ArtType }): string {
  return `/${folders[kind]}/${projectId}/${hash}.${extensionOf(type)}`;
}

/** What the path of an uploaded picture says. */
export interface ArtName {
  kind: ArtKind;
  projectId: string;
  hash: string;
  extension: string;
}

const pattern = /^\/(avatar|location)s\/(prj_[A-Za-z0-9_-]{1,64})\/([0-9a-f]{64})\.([a-z]{3,4})$/;

/** `undefined` if no uploaded picture can have this path. */
export function nameIn(path: string): ArtName | undefined {
  const [, kind, projectId, hash, extension] = pattern.exec(path) ?? [];
  if (projectId === undefined || hash === undefined || extension === undefined) return undefined;
  return { kind: kind as ArtKind, projectId, hash, extension };
}

const columns = `id, project_id AS "projectId", kind, hash, type, name, octet_length(content) AS bytes, width, height,
  uploaded_at AS "uploadedAt"`;

export const listArt = onPool('admin').many<[projectId: string], Art>({
  name: 'list_art',
  text: `SELECT ${columns} FROM art WHERE project_id = $1 ORDER BY id DESC`,
});

/**
 * Serialises the changes of the pictures of one project. Mints do not wait for this lock. Returns false if there is no such project.
 */
export const lockProject = inTransaction.any<[projectId: string]>({
  name: 'lock_project_for_art',
  text: 'SELECT 1 FROM projects WHERE id = $1 AND deleted_at IS NULL FOR NO KEY UPDATE',
});

export const findByContent = inTransaction.one<[Pick<Art, 'projectId' | 'kind' | 'hash'>], Art>(
  {
    name: 'find_art_by_content',
    text: `SELECT ${columns} FROM art WHERE project_id = $1 AND kind = $2 AND hash = $3`,
  },
  ({ projectId, kind, hash }) => [projectId, kind, hash],
);

export const findArt = inTransaction.one<[projectId: string, artId: string], Art>({
  name: 'find_art',
  text: `SELECT ${columns} FROM art WHERE project_id = $1 AND id = $2`,
});

export const count: Statement = {
  name: 'count_art',
  text: 'SELECT count(*)::integer AS pictures FROM art WHERE project_id = $1',
};

export async function countArt(tx: Transaction, projectId: string): Promise<number> {
  return (await tx.query<{ pictures: number }>(count, [projectId]))[0]!.pictures;
}

export const insert: Statement = {
  name: 'insert_art',
  text: `INSERT INTO art (id, project_id, kind, hash, type, name, width, height, content, uploaded_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
};

export async function insertArt(tx: Transaction, art: Omit<Art, 'bytes'>, content: Buffer): Promise<void> {
  const { id, projectId, kind, hash, type, name, width, height, uploadedAt } = art;
  await tx.query(insert, [id, projectId, kind, hash, type, name, width, height, content, uploadedAt]);
}

export const deleteArt = inTransaction.run<[artId: string]>({
  name: 'delete_art',
  text: 'DELETE FROM art WHERE id = $1',
});

/** The pictures that exist under these names. */
export const findNamed = onPool('everyday').many<[names: readonly ArtName[]], Art>(
  {
    name: 'find_art_by_names',
    text: `SELECT ${columns} FROM art WHERE (project_id, kind, hash) IN (
             SELECT "projectId", kind, hash FROM json_to_recordset($1::json) AS n("projectId" text, kind text, hash text))`,
  },
  (names) => [JSON.stringify(names)],
);

export const selectContent: Statement = {
  name: 'read_art',
  text: 'SELECT content FROM art WHERE id = $1',
};

/** Reads on the pool of the admin API, so that large pictures do not delay the look-ups of mints. */
export async function readContent(database: Database, artId: string): Promise<Buffer | undefined> {
  const [row] = await database.query<{ content: Uint8Array }>('admin', selectContent, [artId]);
  return row && Buffer.from(row.content.buffer, row.content.byteOffset, row.content.byteLength);
}
