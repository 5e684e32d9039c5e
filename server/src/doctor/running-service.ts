import type { ServiceStatus } from '@session-launch/contract/admin/status';
import type { LivekitUse } from './livekit.ts';

/** The state of the running service. */
export interface RunningService {
  /** The LiveKit servers of its experiences. Absent outside the service, which alone can read them. */
  livekit?: LivekitUse[];
  status?: Pick<ServiceStatus, 'engine' | 'database'>;
  /** How far its clock is ahead of the local clock; accurate to half the round-trip time. */
  clockOffsetMs?: number;
  /** Projects whose tools are called without a signature. Absent outside the service. */
  unsignedTools?: { projectId: string }[];
}
