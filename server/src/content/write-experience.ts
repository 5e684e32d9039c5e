import type { Experience } from '../documents/project-file.ts';
import { ApiError } from '../primitives/errors.ts';
import type { Statement, Transaction } from '../store/database.ts';

/** Who writes, and when. */
export interface Author {
  by: string;
  at: Date;
}

export const insert: Statement = {
  name: 'insert_experience',
  text: `
    INSERT INTO experiences (id, slug, title, sort_order, public, allowed_origins, avatar_id, thumbnail_path,
      gallery_avatar_image, gallery_background_image, description, taxonomy, latest_revision, updated_at, updated_by, managed_by,
      project_id, status, created_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, 'console', $16, $17, $14)
    ON CONFLICT (id) DO NOTHING RETURNING version`,
};

/** Creates an experience with its first revision. Returns its version, or `undefined` if the id is taken. */
export async function insertExperience(
  tx: Transaction,
  projectId: string,
  experience: Experience,
  author: Author,
): Promise<number | undefined> {
  const values = [...columnsOf(experience, 1, author), projectId, experience.status];
  const [row] = await tx.query<{ version: number }>(insert, values);
  if (row !== undefined) await insertRevision(tx, experience, 1, author, undefined);
  return row?.version;
}

export const update: Statement = {
  name: 'update_experience',
  text: `
    UPDATE experiences SET slug = $2, title = $3, sort_order = $4, public = $5, allowed_origins = $6, avatar_id = $7,
      thumbnail_path = $8, gallery_avatar_image = $9, gallery_background_image = $10, description = $11, taxonomy = $12,
      latest_revision = $13, updated_at = $14, updated_by = $15, managed_by = 'console'
    WHERE id = $1 RETURNING version`,
};

/** Writes the document of an experience, except its status. Returns its version. */
export async function updateExperience(
  tx: Transaction,
  experience: Experience,
  revision: number,
  author: Author,
): Promise<number> {
  const [row] = await tx.query<{ version: number }>(update, columnsOf(experience, revision, author));
  return row!.version;
}

function columnsOf(experience: Experience, revision: number, { at, by }: Author): unknown[] {
  const { galleryThumb, description, taxonomy } = experience;
  return [
    experience.id,
    experience.slug,
    experience.title,
    experience.sortOrder,
    experience.public,
    experience.allowedOrigins,
    experience.avatarId ?? null,
    experience.thumbnailPath ?? null,
    galleryThumb?.avatarImage ?? null,
    galleryThumb?.backgroundImage ?? null,
    description ?? null,
    taxonomy === undefined ? null : JSON.stringify(taxonomy),
    revision,
    at,
    by,
  ];
}

export const freeze: Statement = {
  name: 'insert_revision',
  text: `INSERT INTO revisions (experience_id, number, slug, title, runtime, created_at, created_by, note)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
};

export async function insertRevision(
  tx: Transaction,
  { id, slug, title, runtime }: Experience,
  revision: number,
  { at, by }: Author,
  note: string | undefined,
): Promise<void> {
  await tx.query(freeze, [id, revision, slug, title, JSON.stringify(runtime), at, by, note ?? null]);
}

export const setStatus: Statement = {
  name: 'set_experience_status',
  text: `UPDATE experiences SET status = $2, published_revision = $3, updated_at = $4, updated_by = $5, managed_by = 'console'
          WHERE id = $1 RETURNING version`,
};

/** Publishes a revision, or withdraws the published one. Returns the version of the experience. */
export async function changeStatus(
  tx: Transaction,
  experienceId: string,
  status: Experience['status'],
  publishedRevision: number | undefined,
  { at, by }: Author,
): Promise<number> {
  const values = [experienceId, status, publishedRevision ?? null, at, by];
  const [row] = await tx.query<{ version: number }>(setStatus, values);
  return row!.version;
}

export const findSlug: Statement = {
  name: 'find_slug_holder',
  text: 'SELECT id FROM experiences WHERE project_id = $1 AND slug = $2 AND id <> $3',
};
export const findPublishedSlug: Statement = {
  name: 'find_published_slug_holder',
  text: 'SELECT id FROM experiences WHERE project_id = $1 AND published_slug = $2 AND id <> $3',
};

/** Throws 409 if another experience of the project has this slug: in its newest revision, or in its published one. */
export async function requireFreeSlug(
  tx: Transaction,
  projectId: string,
  { id, slug }: Pick<Experience, 'id' | 'slug'>,
  among: 'newest' | 'published',
): Promise<void> {
  const statement = among === 'newest' ? findSlug : findPublishedSlug;
  const [holder] = await tx.query<{ id: string }>(statement, [projectId, slug, id]);
  if (holder !== undefined) throw slugTaken(slug, holder.id);
}

function slugTaken(slug: string, experienceId: string): ApiError {
  return new ApiError('SLUG_TAKEN', {
    message: `"${slug}" is the slug of ${experienceId}. Choose another slug, or change that one first.`,
    details: { slug, experienceId },
  });
}

/** Two transactions that take the same slug at the same time are both admitted by `requireFreeSlug`; the later commit fails. */
export async function refusingTakenSlugs<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const { code, constraint } = error as { code?: string; constraint?: string };
    if (code === '23505' && /^experiences_(published_)?slug_in_project$/.test(constraint ?? ''))
      throw new ApiError('SLUG_TAKEN', { cause: error });
    throw error;
  }
}
