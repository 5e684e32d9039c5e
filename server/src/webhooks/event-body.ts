import type { EventType, WebhookEvent } from '@session-launch/contract/webhook-events';
import { isoTime } from '../primitives/iso-time.ts';
import { sessionRecord } from '../sessions/session.ts';
import { fromRow, type SessionRow } from '../sessions/session-row.ts';

/** A row of webhook_events. */
export interface StoredEvent {
  type: EventType;
  at: string | Date;
  /** The row of the session when the event was stored, which may contain later changes; or the data itself. */
  data: object;
}

/** The body of the requests that announce an event, the same whenever it is made. */
export function eventBody({ type, at, data }: StoredEvent): WebhookEvent {
  const happenedAt = new Date(at);
  return {
    type,
    timestamp: isoTime(happenedAt),
    data: type.startsWith('session.') ? sessionAt(type, data as SessionRow, happenedAt) : data,
  };
}

/** The session record as it was when the event happened. */
function sessionAt(type: EventType, row: SessionRow, at: Date): object {
  const session = fromRow(row);
  if (type === 'session.ended') return sessionRecord(session, at);
  const before = { ...session, endedAt: null, endReason: null, seconds: 0 };
  if (type === 'session.started') return sessionRecord(before, at);
  return sessionRecord({ ...before, startedAt: null }, at);
}
