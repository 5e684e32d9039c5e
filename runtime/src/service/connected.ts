import type { SessionManifest } from '@session-launch/contract/manifest';
import type { Mind } from '@session-launch/contract/project-file/mind';
import type { SessionRecord } from '@session-launch/contract/session';

/** The response of the service to `connect`. */
export interface Connected {
  session: SessionRecord;
  manifest: Omit<SessionManifest, 'sessionToken'>;
  mind: Mind;
  limits: { maxSeconds: number; idleSeconds: number };
}
