import type { Statement, Transaction } from '../store/database.ts';

/** Where an experience names a picture: in its settings, or in its newest or published revision. */
export interface Mention {
  experienceId: string;
  path: string;
  inSettings: boolean;
}

/** A JSON string that is a path of this service, or the path of an uploaded picture inside a longer string such as a URL. */
const pathsInJson =
  '"(/(?:avatars|locations)/[^"\\\\?#]+)"|(/(?:avatars|locations)/prj_[A-Za-z0-9_-]+/[0-9a-f]{64}[.][a-z]+)';

/**
 * The paths that the experiences of a project name, each once per experience. Runtime documents may name a picture
 * anywhere, so their text is searched. Older revisions are not searched: they are not shown unless they are published again.
 */
export const mentions: Statement = {
  name: 'list_art_mentions',
  text: `
    SELECT experience_id AS "experienceId", path, bool_or(in_settings) AS "inSettings"
      FROM (
        SELECT e.id AS experience_id, named.path, true AS in_settings
          FROM experiences e,
               LATERAL unnest(ARRAY[e.thumbnail_path, e.gallery_avatar_image, e.gallery_background_image]) AS named(path)
         WHERE e.project_id = $1 AND named.path IS NOT NULL
        UNION ALL
        SELECT e.id, coalesce(found.match[1], found.match[2]), false
          FROM experiences e
          JOIN revisions r ON r.experience_id = e.id AND r.number IN (e.latest_revision, e.published_revision),
               LATERAL regexp_matches(r.runtime::text, $2, 'g') AS found(match)
         WHERE e.project_id = $1
      ) AS mention
     GROUP BY experience_id, path
     ORDER BY path, experience_id`,
};

export function listMentions(query: Transaction['query'], projectId: string): Promise<Mention[]> {
  return query(mentions, [projectId, pathsInJson]);
}

/** Ids of the experiences that name a path. */
export function usersOf(path: string, mentions: readonly Mention[]): string[] {
  return mentions.filter((mention) => mention.path === path).map(({ experienceId }) => experienceId);
}
