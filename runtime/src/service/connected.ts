import type { SessionManifest } from '@session-launch/contract/manifest';
import type { Mind } from '@session-launch/contract/project-file/mind';
import type { SessionRecord } from '@session-launch/contract/session';

/** What the service tells about a session that has begun. */
export interface Connected {
  session: SessionRecord;
  manifest: Omit<SessionManifest, 'sessionToken'>;
  mind: Mind;
  limits: { maxSeconds: number; idleSeconds: number };
}
