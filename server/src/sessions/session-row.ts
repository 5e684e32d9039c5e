import type { EndReason } from '@session-launch/contract/session';
import { isoTime } from '../primitives/iso-time.ts';
import type { RowToRecord } from '../recording/statement.ts';
import type { Given, Session } from './session.ts';

/** Encodes a session as a row of type `launch_to_record`, with the inputs of its launch as JSON. */
export function toRow(session: Session): RowToRecord {
  const { id, projectId } = session;
  return {
    id,
    cells: [
      id,
      projectId,
      session.experienceId,
      session.revision,
      session.livemode,
      session.source,
      session.userId,
      isoTime(session.createdAt),
      isoTime(session.expiresAt),
      session.given.origin ?? null,
      session.given.locale,
    ],
    given: JSON.stringify(session.given),
  };
}

/** A row of the table `sessions`, as the database serialises it to JSON. */
export interface SessionRow {
  id: string;
  project_id: string;
  experience_id: string;
  revision: number;
  livemode: boolean;
  source: Session['source'];
  user_id: string | null;
  given: Given;
  created_at: string;
  expires_at: string;
  started_at: string | null;
  seconds: number;
  ended_at: string | null;
  end_reason: EndReason | null;
}

export function fromRow(row: SessionRow): Session {
  return {
    id: row.id,
    projectId: row.project_id,
    experienceId: row.experience_id,
    revision: row.revision,
    livemode: row.livemode,
    source: row.source,
    userId: row.user_id,
    given: row.given,
    createdAt: new Date(row.created_at),
    expiresAt: new Date(row.expires_at),
    startedAt: row.started_at === null ? null : new Date(row.started_at),
    seconds: row.seconds,
    endedAt: row.ended_at === null ? null : new Date(row.ended_at),
    endReason: row.end_reason,
  };
}

/** A row of `sessions`, and its seconds while it is active. */
export interface FoundRow {
  session: SessionRow;
  seconds: number | null;
}

export function fromFound({ session, seconds }: FoundRow): Session {
  return fromRow(seconds === null ? session : { ...session, seconds });
}

/** The session as it was minted, for replays: without later changes of its state. */
export function asMinted(row: SessionRow): Session {
  return { ...fromRow(row), startedAt: null, seconds: 0, endedAt: null, endReason: null };
}
