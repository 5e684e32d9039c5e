import { isoWriter } from '../iso-time.ts';
import type { Cell } from '../store/row-text.ts';
import type { Session } from './store.ts';

/** A row of the table `sessions` as the database writes it in JSON. */
export type SessionColumns = Record<string, unknown>;

const isoTime = isoWriter();

/** A session as a row of the type `session_to_record`. */
export function toRow(session: Session): Cell[] {
  return [
    session.id,
    session.projectId,
    session.experienceId,
    session.revision,
    session.livemode,
    session.source,
    session.origin,
    session.userId,
    session.processorId,
    session.mode,
    session.speechInputMode,
    session.speechOnly,
    session.locale,
    session.secondaryLocale,
    session.player === null ? null : JSON.stringify(session.player),
    isoTime(session.createdAt.getTime()),
    session.tokenIssuedAt,
    session.tokenExpiresAt,
    session.tokenIssuer,
    session.tokenKeyId,
  ];
}

/** A session from a row as JSON. */
export function fromColumns(row: SessionColumns): Session {
  return {
    id: row.id as string,
    projectId: row.project_id as string,
    experienceId: row.experience_id as string,
    revision: row.revision as number,
    livemode: row.livemode as boolean,
    source: row.source as Session['source'],
    origin: row.origin as string | null,
    userId: row.user_id as string | null,
    processorId: row.processor_id as string | null,
    mode: row.mode as string,
    speechInputMode: row.speech_input_mode as string,
    speechOnly: row.speech_only as boolean,
    locale: row.locale as string,
    secondaryLocale: row.secondary_locale as string | null,
    player: row.player as Record<string, unknown> | null,
    createdAt: new Date(row.created_at as string),
    endedAt: row.ended_at === null ? null : new Date(row.ended_at as string),
    tokenIssuedAt: row.token_issued_at as number,
    tokenExpiresAt: row.token_expires_at as number,
    tokenIssuer: row.token_issuer as string,
    tokenKeyId: row.token_key_id as string,
  };
}
