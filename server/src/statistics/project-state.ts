import type { Limits } from '@session-launch/contract/project-file/fields';
import type { Languages } from '../primitives/locale.ts';
import type { Database, Statement } from '../store/database.ts';
import { readBelow } from './usage.ts';

/** The settings that mints are refused by, and how far a project has been set up. */
export interface ProjectState {
  projectId: string;
  browserEmbeds: boolean;
  allowedOrigins: string[];
  limits: Pick<Limits, 'mintsPerMinutePerClient' | 'mintsPerMinute' | 'sessionsPerDay'>;
  /** Sessions that are active now. */
  active: number;
  /** Sessions of pages today. */
  used: number;
  hasExperience: boolean;
  hasPublished: boolean;
  hasOrigin: boolean;
  hasLaunched: boolean;
}

/**
 * Sessions that are rolled up are not searched for a launch: in a project without one, that could read all sessions of all projects. Planned at
 * each call, for the value of `readBelow`.
 */
export const select: Statement = {
  text: `
    SELECT p.id AS "projectId", p.browser_embeds AS "browserEmbeds", p.allowed_origins AS "allowedOrigins",
           json_build_object('mintsPerMinutePerClient', p.mints_per_minute_per_client, 'mintsPerMinute', p.mints_per_minute,
             'sessionsPerDay', p.sessions_per_day) AS limits,
           coalesce((SELECT c.active FROM active_counts c WHERE c.project_id = p.id), 0) AS active,
           coalesce((SELECT d.used FROM daily_sessions d WHERE d.project_id = p.id AND d.day = $2::date), 0) AS used,
           EXISTS (SELECT 1 FROM experiences e WHERE e.project_id = p.id) AS "hasExperience",
           EXISTS (SELECT 1 FROM experiences e WHERE e.project_id = p.id AND e.status = 'published') AS "hasPublished",
           p.allowed_origins <> '{}'
             OR EXISTS (SELECT 1 FROM experiences e WHERE e.project_id = p.id AND e.allowed_origins <> '{}') AS "hasOrigin",
           EXISTS (SELECT 1 FROM usage_days d WHERE d.project_id = p.id AND d.sessions > 0)
             OR EXISTS (SELECT 1 FROM sessions s WHERE s.project_id = p.id AND s.id >= $3 AND s.source <> 'preview')
             OR EXISTS (
               SELECT 1
                 FROM (SELECT u.session_id FROM uncounted_sessions u WHERE u.project_id = $1
                        ORDER BY u.is_late, u.session_id LIMIT 1000) u
                CROSS JOIN LATERAL (SELECT s.source FROM sessions s WHERE s.id = u.session_id OFFSET 0) s
                WHERE s.source <> 'preview') AS "hasLaunched"
      FROM projects p WHERE p.id = $1`,
};

/** `today` is the UTC day of the quota. */
export async function readProjectState(
  database: Database,
  projectId: string,
  today: string,
): Promise<ProjectState | undefined> {
  const below = await readBelow((...asked) => database.query('admin', ...asked));
  const [state] = await database.query<ProjectState>('admin', select, [projectId, today, below]);
  return state;
}

/** The settings of an experience that mints are refused by. */
export interface ExperienceState {
  id: string;
  status: 'draft' | 'published' | 'archived';
  public: boolean;
  allowedOrigins: string[];
  /** Of the revision that mints launch. */
  languages: Languages;
}

export const selectExperiences: Statement = {
  name: 'experience_states',
  text: `
    SELECT e.id, e.status, e.public, e.allowed_origins AS "allowedOrigins", r.runtime->'languages' AS languages
      FROM experiences e
      JOIN revisions r ON r.experience_id = e.id AND r.number = coalesce(e.published_revision, e.latest_revision)
     WHERE e.project_id = $1 AND e.id = ANY ($2)`,
};

export async function readExperienceStates(
  database: Database,
  projectId: string,
  ids: readonly string[],
): Promise<Map<string, ExperienceState>> {
  const states = await database.query<ExperienceState>('admin', selectExperiences, [projectId, ids]);
  return new Map(states.map((state) => [state.id, state]));
}
