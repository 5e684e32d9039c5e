import type { Database, Statement } from '../store/database.ts';
import type { PageSettings } from './check.ts';

type Settings = Pick<PageSettings, 'project' | 'experience'>;

export const settings: Statement = {
  name: 'find_page_settings',
  text: `SELECT json_build_object('browserEmbeds', p.browser_embeds, 'allowedOrigins', p.allowed_origins) AS project,
                CASE WHEN e.id IS NULL THEN NULL ELSE json_build_object(
                  'status', e.status, 'public', e.public, 'allowedOrigins', e.allowed_origins) END AS experience
           FROM projects p LEFT JOIN experiences e ON e.project_id = p.id AND e.id = $2
          WHERE p.id = $1 AND p.deleted_at IS NULL`,
};

/** `undefined` if there is no such project; without `experience` if the project has no such experience. */
export async function findPageSettings(
  database: Database,
  projectId: string,
  experienceId: string | undefined,
): Promise<Settings | undefined> {
  const values = [projectId, experienceId ?? null];
  const [found] = await database.query<{ [K in keyof Settings]: Settings[K] | null }>(
    'admin',
    settings,
    values,
  );
  if (found === undefined) return undefined;
  const project = found.project!;
  return found.experience === null || found.experience === undefined
    ? { project }
    : { project, experience: found.experience };
}
