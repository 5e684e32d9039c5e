import type { Database, Statement, Transaction } from '../store/database.ts';

/** Where an experience names a picture or a face: in its settings, or in its newest or published revision. */
export interface Mention {
  experienceId: string;
  /** A path, or the id of a face. */
  path: string;
  inSettings: boolean;
}

/**
 * The paths that the experiences of a project name, each once per experience. Older revisions are not searched: they are not shown unless
 * they are published again. The text of a revision is searched here if `revision_pictures` does not contain it yet.
 */
export const mentions: Statement = {
  name: 'list_art_mentions',
  text: `
    SELECT experience_id AS "experienceId", path, bool_or(in_settings) AS "inSettings"
      FROM (
        SELECT e.id AS experience_id, named.path, true AS in_settings
          FROM experiences e,
               LATERAL unnest(ARRAY[e.thumbnail_path, e.gallery_avatar_image, e.gallery_background_image,
                                    substring(e.avatar_id FROM '^fac_[0-9a-f]{32}$')]) AS named(path)
         WHERE e.project_id = $1 AND named.path IS NOT NULL
        UNION ALL
        SELECT e.id, named.path, false
          FROM experiences e,
               LATERAL unnest(ARRAY[e.latest_revision, nullif(e.published_revision, e.latest_revision)]) AS shown(revision)
               LEFT JOIN LATERAL (
                 SELECT p.paths FROM revision_pictures p
                  WHERE p.experience_id = e.id AND p.revision = shown.revision LIMIT 1
               ) AS noted ON true,
               LATERAL unnest(coalesce(noted.paths, (
                 SELECT pictures_in(r.runtime) FROM revisions r
                  WHERE r.experience_id = e.id AND r.number = shown.revision))) AS named(path)
         WHERE e.project_id = $1
      ) AS mention
     GROUP BY experience_id, path
     ORDER BY path, experience_id`,
};

export function listMentions(query: Transaction['query'], projectId: string): Promise<Mention[]> {
  return query(mentions, [projectId]);
}

/** Ids of the experiences that name each path. */
export function usersByPath(mentions: readonly Mention[]): ReadonlyMap<string, string[]> {
  const users = new Map<string, string[]>();
  for (const { path, experienceId } of mentions) {
    const known = users.get(path);
    if (known === undefined) users.set(path, [experienceId]);
    else known.push(experienceId);
  }
  return users;
}

/** Maximum experiences that one statement examines. */
const batchSize = 10;
/** Maximum milliseconds of one run. */
const runMs = 500;

export const notePictures: Statement = {
  name: 'note_pictures',
  text: `
    WITH batch AS MATERIALIZED (
      SELECT e.id, e.latest_revision, e.published_revision FROM experiences e
       WHERE e.id > $1 ORDER BY e.id LIMIT ${batchSize}
    ), noted AS (
      INSERT INTO revision_pictures (experience_id, revision, paths)
        SELECT r.experience_id, r.number, pictures_in(r.runtime)
          FROM batch b JOIN revisions r ON r.experience_id = b.id AND r.number IN (b.latest_revision, b.published_revision)
         WHERE NOT EXISTS (
           SELECT 1 FROM revision_pictures p WHERE p.experience_id = r.experience_id AND p.revision = r.number)
         ORDER BY r.experience_id, r.number
      ON CONFLICT DO NOTHING
    )
    SELECT max(b.id) AS last FROM batch b`,
};

/**
 * Fills `revision_pictures` for revisions that were written before the table existed. The trigger `revisions_pictures_noted` writes the rows
 * of later ones.
 */
export class PictureNotes {
  readonly #database: Database;
  /** The id of the last experience that was examined; `undefined` once all have been. */
  #after: string | undefined = '';

  constructor(database: Database) {
    this.#database = database;
  }

  /** Examines the next experiences. */
  async run(timeMs = runMs): Promise<void> {
    const until = performance.now() + timeMs;
    while (this.#after !== undefined) {
      const [row] = await this.#database.query<{ last: string | null }>('everyday', notePictures, [
        this.#after,
      ]);
      this.#after = row?.last ?? undefined;
      if (performance.now() >= until) return;
    }
  }
}
