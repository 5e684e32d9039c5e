import type { Database, Statement, Transaction } from '../store/database.ts';
import { inTransaction, onPool } from '../store/queries.ts';
import { extensionOf } from './picture.ts';

type FullType = 'image/png' | 'image/jpeg' | 'image/webp' | 'image/svg+xml';
type ThumbType = FullType | 'image/avif';

/** A face without the content of its files. */
export interface Face {
  id: string;
  projectId: string;
  name: string | null;
  rigVersion: 1 | 2;
  fullType: FullType;
  thumbType: ThumbType;
  bytes: number;
  createdAt: Date;
}

/** The content of a face. */
export interface FaceFiles {
  rigVersion: 1 | 2;
  rig: string;
  fullType: FullType;
  full: Buffer;
  thumbType: ThumbType;
  thumb: Buffer;
}

export type FaceFile = 'full' | 'thumb' | 'rig';

/** The media type of a file of a face, and its path. */
export function fileOf(face: Face, file: FaceFile): { type: string; path: string } {
  const type = file === 'rig' ? undefined : file === 'full' ? face.fullType : face.thumbType;
  const extension = type === undefined ? 'json' : extensionOf(type);
  return { type: type ?? 'application/json', path: `/avatars/${face.id}/${file}.${extension}` };
}

/**
 * All paths of a file of a face. Pictures are also served as full.svg and thumb.svg, with their own media type: players that know no other
 * version of the rig ask for these, and then show the still picture.
 */
export function pathsOf(face: Face, file: FaceFile): string[] {
  const { path } = fileOf(face, file);
  const asDrawing = `/avatars/${face.id}/${file}.svg`;
  return file === 'rig' || path === asDrawing ? [path] : [path, asDrawing];
}

const pattern = /^\/avatars\/(fac_[0-9a-f]{32})\/(full|thumb|rig)\.[a-z]{3,4}$/;

/** The face and the file that a path names; `undefined` if it can be no file of a face. */
export function faceFileIn(path: string): { faceId: string; file: FaceFile } | undefined {
  const [, faceId, file] = pattern.exec(path) ?? [];
  return faceId === undefined ? undefined : { faceId, file: file as FaceFile };
}

const columns = `id, project_id AS "projectId", name, rig_version AS "rigVersion", full_type AS "fullType", thumb_type AS "thumbType",
  octet_length(full_content) + octet_length(thumb_content) + octet_length(rig) AS bytes, created_at AS "createdAt"`;

export const listFaces = onPool('admin').many<[projectId: string], Face>({
  name: 'list_faces',
  text: `SELECT ${columns} FROM faces WHERE project_id = $1 ORDER BY created_at DESC, id`,
});

export const findFace = inTransaction.one<[projectId: string, faceId: string], Face>({
  name: 'find_face',
  text: `SELECT ${columns} FROM faces WHERE project_id = $1 AND id = $2`,
});

/** The faces that exist with these ids. */
export const findFaces = onPool('everyday').many<[faceIds: readonly string[]], Face>({
  name: 'find_faces',
  text: `SELECT ${columns} FROM faces WHERE id = ANY($1)`,
});

export const countFaces: Statement = {
  name: 'count_faces',
  text: 'SELECT count(*)::integer AS faces FROM faces WHERE project_id = $1',
};

export async function facesOf(tx: Transaction, projectId: string): Promise<number> {
  return (await tx.query<{ faces: number }>(countFaces, [projectId]))[0]!.faces;
}

export const insertFace = inTransaction.one<
  [Pick<Face, 'id' | 'projectId' | 'name'>, FaceFiles, createdAt: Date],
  Face
>(
  {
    name: 'insert_face',
    text: `INSERT INTO faces (id, project_id, name, rig_version, rig, full_type, full_content, thumb_type, thumb_content, created_at)
           VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) RETURNING ${columns}`,
  },
  ({ id, projectId, name }, { rigVersion, rig, fullType, full, thumbType, thumb }, createdAt) => [
    ...[id, projectId, name, rigVersion, rig, fullType, full, thumbType, thumb, createdAt],
  ],
);

export const deleteFace = inTransaction.run<[faceId: string]>({
  name: 'delete_face',
  text: 'DELETE FROM faces WHERE id = $1',
});

export const selectFaceFile: Statement = {
  name: 'read_face_file',
  text: `SELECT CASE $2 WHEN 'full' THEN full_content WHEN 'thumb' THEN thumb_content ELSE convert_to(rig, 'UTF8') END AS content
           FROM faces WHERE id = $1`,
};

/** Reads on the pool of the admin API, so that large pictures do not delay the look-ups of mints. */
export async function readFaceFile(
  database: Database,
  faceId: string,
  file: FaceFile,
): Promise<Buffer | undefined> {
  const [row] = await database.query<{ content: Uint8Array }>('admin', selectFaceFile, [faceId, file]);
  return row && Buffer.from(row.content.buffer, row.content.byteOffset, row.content.byteLength);
}

/** The id of the face that a path or an id names. */
const mentioned = /fac_[0-9a-f]{32}/;

/** Ids of the experiences that name each face, by any of its paths or by its id. */
export function usersByFace(
  mentions: readonly { experienceId: string; path: string }[],
): ReadonlyMap<string, string[]> {
  const users = new Map<string, Set<string>>();
  for (const { path, experienceId } of mentions) {
    const faceId = mentioned.exec(path)?.[0];
    if (faceId !== undefined) users.set(faceId, (users.get(faceId) ?? new Set()).add(experienceId));
  }
  return new Map([...users].map(([faceId, ids]) => [faceId, [...ids].sort()]));
}
