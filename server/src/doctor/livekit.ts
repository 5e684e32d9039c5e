import { RoomService } from '../livekit/room-service.ts';
import type { Database, Statement } from '../store/database.ts';
import type { LivekitKeys } from '../transports/livekit-token.ts';
import { type Finding, findingsOf } from './finding.ts';

export const checkOfLivekit = 'livekit';
const { ok, fail } = findingsOf(checkOfLivekit);

/** A LiveKit server, and how many experiences use it. */
export interface LivekitUse {
  url: string;
  experiences: number;
}

/** Maximum servers that are checked. */
const maxServers = 5;

export const selectUse: Statement = {
  name: 'select_livekit_use',
  text: `SELECT r.runtime->'transport'->>'url' AS url, count(*)::integer AS experiences
           FROM experiences e
           JOIN projects p ON p.id = e.project_id AND p.deleted_at IS NULL
           CROSS JOIN LATERAL (SELECT r.runtime FROM revisions r WHERE r.experience_id = e.id
                                ORDER BY r.number DESC LIMIT 1) r
          WHERE e.status <> 'archived' AND r.runtime->'transport'->>'type' = 'livekit'
          GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT ${maxServers}`,
};

/** The LiveKit servers that the newest revisions of experiences name. */
export function livekitUse(database: Database): Promise<LivekitUse[]> {
  return database.query<LivekitUse>('admin', selectUse);
}

/** Whether LiveKit is configured if an experience uses it, and whether its RoomService accepts the keys. */
export async function checkLivekit(
  keys: LivekitKeys | undefined,
  use: readonly LivekitUse[],
): Promise<Finding[]> {
  if (keys === undefined) {
    const experiences = use.reduce((sum, one) => sum + one.experiences, 0);
    if (experiences === 0) return [];
    const those = experiences === 1 ? '1 experience uses' : `${experiences} experiences use`;
    return [
      fail(
        `${those} the transport livekit, but LIVEKIT_API_KEY and LIVEKIT_API_SECRET are not set, so it cannot be launched`,
        'set both to a key and its secret of the LiveKit server, and restart the service',
      ),
    ];
  }
  if (use.length === 0) return [ok('a key is set; no experience uses the transport livekit')];
  const rooms = new RoomService(keys);
  try {
    return await Promise.all(
      use.map(({ url }) =>
        rooms.check(url).then(
          () => ok(`${url} accepts the key`),
          (error: Error) =>
            fail(
              `${url} cannot be used: ${error.message}`,
              'check transport.url, LIVEKIT_API_KEY and LIVEKIT_API_SECRET',
            ),
        ),
      ),
    );
  } finally {
    await rooms.close();
  }
}
