import type { Statement } from '../store/database.ts';
import { maxProblems } from './problem.ts';

/** The change to one experience; rows are in file order. */
export interface WrittenRow {
  id: string;
  change: 'created' | 'updated' | 'unchanged';
  revision: number;
  new_revision: boolean;
}

/**
 * Compares a batch of experiences with the stored ones, and writes those that differ.
 * LATERAL … LIMIT 1 forces a primary key look-up per row; otherwise the planner reads the whole project for every batch.
 * The `runtime` documents are compared as `jsonb`, which ignores the order of fields, and stored as JSON in their original order.
 */
export const writeExperiences: Statement = {
  name: 'write_experiences',
  text: `
    WITH file AS MATERIALIZED (
      SELECT id, slug, title, "sortOrder" AS sort_order, status, public, "allowedOrigins" AS allowed_origins,
        "avatarId" AS avatar_id, "thumbnailPath" AS thumbnail_path, "galleryThumb" ->> 'avatarImage' AS gallery_avatar_image,
        "galleryThumb" ->> 'backgroundImage' AS gallery_background_image, runtime, position
      FROM ROWS FROM (json_to_recordset($1::json) AS (
        id text, slug text, title text, "sortOrder" integer, status text, public boolean, "allowedOrigins" text[],
        "avatarId" text, "thumbnailPath" text, "galleryThumb" json, runtime json)) WITH ORDINALITY AS f(
        id, slug, title, "sortOrder", status, public, "allowedOrigins", "avatarId", "thumbnailPath", "galleryThumb", runtime,
        position)
    ), compared AS (
      SELECT file.*, coalesce(before.latest_revision, 0) AS latest, before.id IS NULL AS is_new,
        before.id IS NULL OR (before.slug, before.title) IS DISTINCT FROM (file.slug, file.title)
          OR (frozen.runtime::text <> file.runtime::text AND frozen.runtime::jsonb <> file.runtime::jsonb) AS is_revised,
        (before.sort_order, before.status, before.public, before.allowed_origins, before.avatar_id,
          before.thumbnail_path, before.gallery_avatar_image, before.gallery_background_image)
        IS DISTINCT FROM (file.sort_order, file.status, file.public, file.allowed_origins, file.avatar_id,
          file.thumbnail_path, file.gallery_avatar_image, file.gallery_background_image) AS is_moved
      FROM file
      LEFT JOIN LATERAL (SELECT * FROM experiences WHERE id = file.id LIMIT 1) before ON true
      LEFT JOIN LATERAL (
        SELECT runtime FROM revisions WHERE experience_id = before.id AND number = before.latest_revision LIMIT 1
      ) frozen ON true
    ), planned AS MATERIALIZED (
      SELECT *, latest + is_revised::integer AS revision,
        CASE WHEN is_new THEN 'created' WHEN is_revised OR is_moved THEN 'updated' ELSE 'unchanged' END AS change
      FROM compared
    ), written AS (
      INSERT INTO experiences (id, project_id, slug, title, sort_order, status, public, allowed_origins, avatar_id,
        thumbnail_path, gallery_avatar_image, gallery_background_image, latest_revision, created_at, updated_at)
      SELECT id, $2, slug, title, sort_order, status, public, allowed_origins, avatar_id,
        thumbnail_path, gallery_avatar_image, gallery_background_image, revision, $3::timestamptz, $3::timestamptz
      FROM planned WHERE change <> 'unchanged'
      ON CONFLICT (id) DO UPDATE SET slug = excluded.slug, title = excluded.title, sort_order = excluded.sort_order,
        status = excluded.status, public = excluded.public, allowed_origins = excluded.allowed_origins,
        avatar_id = excluded.avatar_id, thumbnail_path = excluded.thumbnail_path,
        gallery_avatar_image = excluded.gallery_avatar_image,
        gallery_background_image = excluded.gallery_background_image,
        latest_revision = excluded.latest_revision, updated_at = excluded.updated_at
      WHERE experiences.project_id = $2
    ), frozen AS (
      INSERT INTO revisions (experience_id, number, slug, title, runtime, created_at)
      SELECT id, revision, slug, title, runtime, $3::timestamptz FROM planned WHERE is_revised
    )
    SELECT id, change, revision, is_revised AS new_revision FROM planned ORDER BY position`,
};

/** An experience of the file whose id belongs to another project, or whose slug belongs to an experience outside the file. */
export interface TakenRow {
  /** Index in the list of experiences. */
  index: number;
  id: string;
  slug: string;
  is_foreign: boolean;
  holder: string | null;
}

/** Finds conflicts with stored experiences: ids are unique in the database, slugs within a project. */
export const findTaken: Statement = {
  name: 'find_taken_names',
  text: `
    WITH file AS MATERIALIZED (
      SELECT id, slug, position
      FROM ROWS FROM (json_to_recordset($1::json) AS (id text, slug text)) WITH ORDINALITY AS f(id, slug, position)
    ), found AS (
      SELECT file.*, coalesce(own.project_id <> $2, false) AS is_foreign,
        CASE WHEN held.id NOT IN (SELECT id FROM file) THEN held.id END AS holder
      FROM file
      LEFT JOIN LATERAL (SELECT project_id FROM experiences WHERE id = file.id LIMIT 1) own ON true
      LEFT JOIN LATERAL (
        SELECT id FROM experiences WHERE project_id = $2 AND slug = file.slug LIMIT 1
      ) held ON true
    )
    SELECT position::integer - 1 AS index, id, slug, is_foreign, holder FROM found
    WHERE is_foreign OR holder IS NOT NULL ORDER BY position LIMIT ${maxProblems}`,
};
