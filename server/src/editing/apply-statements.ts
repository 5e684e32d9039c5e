import { experienceDocument } from '../content/projects.ts';
import { maxProblems } from '../documents/problem.ts';
import type { Experience } from '../documents/project-file.ts';
import type { Statement } from '../store/database.ts';

/** The change to one experience; rows are in file order. */
export interface WrittenRow {
  id: string;
  change: 'created' | 'updated' | 'unchanged';
  /** The newest revision after the change. */
  revision: number;
  new_revision: boolean;
  /** Whether the file publishes the experience. */
  publishes: boolean;
  /** Whether the order or the list of experiences changes. */
  is_listed_anew: boolean;
  /** The newest revision before the change, if it was not published and is not what the file contains. */
  pending: number | null;
  /** The version after the change; null for an unchanged experience. */
  version: number | null;
  /** The compared documents of an updated experience. */
  before: Experience | null;
  after: Experience | null;
  /** For created experiences. */
  summary: Pick<Experience, 'slug' | 'title' | 'sortOrder' | 'status'> | null;
}

const isSame = (revision: string) => `(${revision}.slug, ${revision}.title) = (file.slug, file.title)
  AND (${revision}.runtime::text = file.runtime::text OR ${revision}.runtime::jsonb = file.runtime::jsonb)`;

const settings = (
  row: string,
) => `(${row}.sort_order, ${row}.status, ${row}.public, ${row}.allowed_origins, ${row}.avatar_id,
  ${row}.thumbnail_path, ${row}.gallery_avatar_image, ${row}.gallery_background_image, ${row}.description, ${row}.taxonomy::jsonb)`;

const revisionOf = (number: string) =>
  `SELECT slug, title, runtime FROM revisions WHERE experience_id = before.id AND number = ${number} LIMIT 1`;

/**
 * Compares a batch of experiences with the stored ones, and writes those that differ.
 * LATERAL … LIMIT 1 forces a primary key look-up per row; otherwise the planner reads the whole project for every batch.
 * An experience that the file publishes is compared with its published revision, any other with its newest one. If the newest revision
 * is what the file contains, it is used instead of a new one.
 * The `runtime` documents are compared as `jsonb`, which ignores the order of fields, and stored as JSON in their original order.
 * The final SELECT reads the rows as they were before this statement.
 */
export const writeExperiences: Statement = {
  name: 'write_experiences',
  text: `
    WITH file AS MATERIALIZED (
      SELECT id, slug, title, "sortOrder" AS sort_order, status, public, "allowedOrigins" AS allowed_origins,
        "avatarId" AS avatar_id, "thumbnailPath" AS thumbnail_path, "galleryThumb" ->> 'avatarImage' AS gallery_avatar_image,
        "galleryThumb" ->> 'backgroundImage' AS gallery_background_image, description, taxonomy, runtime, position
      FROM ROWS FROM (json_to_recordset($1::json) AS (
        id text, slug text, title text, "sortOrder" integer, status text, public boolean, "allowedOrigins" text[],
        "avatarId" text, "thumbnailPath" text, "galleryThumb" json, description text, taxonomy json, runtime json))
        WITH ORDINALITY AS f(
        id, slug, title, "sortOrder", status, public, "allowedOrigins", "avatarId", "thumbnailPath", "galleryThumb",
        description, taxonomy, runtime, position)
    ), compared AS (
      SELECT file.*, before.id IS NULL AS is_new, coalesce(before.latest_revision, 0) AS latest, before.published_revision,
        before.slug AS newest_slug, before.title AS newest_title, base.number AS base,
        CASE WHEN before.id IS NULL THEN 1
          WHEN ${isSame('live')} THEN base.number
          WHEN base.number <> before.latest_revision AND ${isSame('newest')} THEN before.latest_revision
          ELSE before.latest_revision + 1 END AS chosen,
        ${settings('before')} IS DISTINCT FROM ${settings('file')} AS is_moved,
        before.sort_order IS DISTINCT FROM file.sort_order AS is_listed_anew
      FROM file
      LEFT JOIN LATERAL (SELECT * FROM experiences WHERE id = file.id LIMIT 1) before ON true
      LEFT JOIN LATERAL (
        SELECT CASE WHEN file.status = 'published' AND before.published_revision IS NOT NULL THEN before.published_revision
          ELSE before.latest_revision END AS number
      ) base ON true
      LEFT JOIN LATERAL (${revisionOf('base.number')}) live ON true
      LEFT JOIN LATERAL (${revisionOf('before.latest_revision')}) newest ON base.number <> before.latest_revision
    ), planned AS MATERIALIZED (
      SELECT *, chosen > latest AS is_revised, greatest(chosen, latest) AS revision,
        CASE WHEN status = 'published' THEN chosen END AS published,
        CASE WHEN is_new THEN 'created'
          WHEN is_moved OR chosen > latest OR (status = 'published' AND chosen <> published_revision) THEN 'updated'
          ELSE 'unchanged' END AS change
      FROM compared
    ), written AS (
      INSERT INTO experiences (id, project_id, slug, title, sort_order, status, public, allowed_origins, avatar_id,
        thumbnail_path, gallery_avatar_image, gallery_background_image, description, taxonomy, latest_revision,
        published_revision, created_at, updated_at, managed_by, updated_by, source)
      SELECT id, $2, CASE WHEN chosen < latest THEN newest_slug ELSE slug END,
        CASE WHEN chosen < latest THEN newest_title ELSE title END, sort_order, status, public, allowed_origins, avatar_id,
        thumbnail_path, gallery_avatar_image, gallery_background_image, description, taxonomy, revision,
        published, $3::timestamptz, $3::timestamptz, 'file', $4, $5
      FROM planned WHERE change <> 'unchanged'
      ON CONFLICT (id) DO UPDATE SET slug = excluded.slug, title = excluded.title, sort_order = excluded.sort_order,
        status = excluded.status, public = excluded.public, allowed_origins = excluded.allowed_origins,
        avatar_id = excluded.avatar_id, thumbnail_path = excluded.thumbnail_path,
        gallery_avatar_image = excluded.gallery_avatar_image,
        gallery_background_image = excluded.gallery_background_image,
        description = excluded.description, taxonomy = excluded.taxonomy,
        latest_revision = excluded.latest_revision, published_revision = excluded.published_revision,
        updated_at = excluded.updated_at, managed_by = excluded.managed_by, updated_by = excluded.updated_by,
        source = excluded.source
      WHERE experiences.project_id = $2
      RETURNING id, version
    ), frozen AS (
      INSERT INTO revisions (experience_id, number, slug, title, runtime, created_at, created_by)
      SELECT id, revision, slug, title, runtime, $3::timestamptz, $4 FROM planned WHERE is_revised
    )
    SELECT p.id, p.change, p.revision, p.is_revised AS new_revision, p.status = 'published' AS publishes, p.is_listed_anew,
      CASE WHEN p.latest > p.published_revision AND p.chosen <> p.latest THEN p.latest END AS pending, w.version,
      CASE WHEN p.change = 'updated' THEN (
        SELECT ${experienceDocument('e', 'r')} FROM experiences e JOIN revisions r ON r.experience_id = e.id AND r.number = p.base
        WHERE e.id = p.id LIMIT 1) END AS before,
      CASE WHEN p.change = 'updated' THEN ${experienceDocument('p', 'p')} END AS after,
      CASE WHEN p.change = 'created' THEN json_build_object(
        'slug', p.slug, 'title', p.title, 'sortOrder', p.sort_order, 'status', p.status) END AS summary
    FROM planned p LEFT JOIN written w ON w.id = p.id ORDER BY p.position`,
};

/** Marks experiences that operators have changed as managed by a file again, because a file contains them unchanged. */
export const adoptExperiences: Statement = {
  name: 'adopt_experiences',
  text: `UPDATE experiences SET managed_by = 'file', source = $2
          WHERE id = ANY ($1::text[]) AND managed_by = 'console' RETURNING id`,
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
        CASE WHEN newest.id NOT IN (SELECT id FROM file) THEN newest.id
          WHEN published.id NOT IN (SELECT id FROM file) THEN published.id END AS holder
      FROM file
      LEFT JOIN LATERAL (SELECT project_id FROM experiences WHERE id = file.id LIMIT 1) own ON true
      LEFT JOIN LATERAL (
        SELECT id FROM experiences WHERE project_id = $2 AND slug = file.slug LIMIT 1
      ) newest ON true
      LEFT JOIN LATERAL (
        SELECT id FROM experiences WHERE project_id = $2 AND published_slug = file.slug LIMIT 1
      ) published ON true
    )
    SELECT position::integer - 1 AS index, id, slug, is_foreign, holder FROM found
    WHERE is_foreign OR holder IS NOT NULL ORDER BY position LIMIT ${maxProblems}`,
};

/** An experience whose slug, once the file is applied, is also the slug of another experience's pending draft. */
export interface DraftSlugRow {
  id: string;
  slug: string;
  holder: string;
}

/** Finds slugs that the file gives to one experience and that the pending draft of another one has. */
export const findDraftSlugs: Statement = {
  name: 'find_draft_slugs',
  text: `
    SELECT e.id, e.slug, draft.id AS holder
    FROM unnest($2::text[]) AS pending(id)
    JOIN experiences draft ON draft.id = pending.id
    JOIN experiences e ON e.project_id = $1 AND e.slug = draft.slug AND e.id <> draft.id
    ORDER BY e.id LIMIT ${maxProblems}`,
};
