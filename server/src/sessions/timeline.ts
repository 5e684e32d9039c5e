import type { SessionDetail } from '@session-launch/contract/admin/sessions';
import { isoTime } from '../primitives/iso-time.ts';
import type { Session } from './session.ts';

type Event = SessionDetail['timeline'][number];

/** What happened to a session, oldest first. `endedBy` is the operator who ended it. */
export function timelineOf(session: Session, endedBy: string | undefined, at: Date): Event[] {
  const { createdAt, startedAt, expiresAt, endedAt, endReason } = session;
  const events: Event[] = [{ at: isoTime(createdAt), what: 'created' }];
  if (startedAt !== null) events.push({ at: isoTime(startedAt), what: 'connected' });
  if (endedAt !== null)
    events.push({
      at: isoTime(endedAt),
      what: 'ended',
      ...(endReason === null ? {} : { reason: endReason }),
      ...(endedBy === undefined ? {} : { by: endedBy }),
    });
  else if (startedAt === null && expiresAt <= at) events.push({ at: isoTime(expiresAt), what: 'expired' });
  return events;
}
