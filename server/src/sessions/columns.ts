import type { Session } from './store.ts';

/** A row of the table `sessions` as the database writes it in JSON. */
export type SessionColumns = Record<string, unknown>;

/** A session as the JSON of a row to insert. What is not there is left out, and null in the row. */
export function toColumns(session: Session): object {
  return {
    id: session.id,
    project_id: session.projectId,
    experience_id: session.experienceId,
    revision: session.revision,
    livemode: session.livemode,
    source: session.source,
    origin: session.origin ?? undefined,
    user_id: session.userId ?? undefined,
    processor_id: session.processorId ?? undefined,
    mode: session.mode,
    speech_input_mode: session.speechInputMode,
    speech_only: session.speechOnly,
    locale: session.locale,
    secondary_locale: session.secondaryLocale ?? undefined,
    player: session.player ?? undefined,
    created_at: session.createdAt,
    token_issued_at: session.tokenIssuedAt,
    token_expires_at: session.tokenExpiresAt,
    token_issuer: session.tokenIssuer,
    token_key_id: session.tokenKeyId,
  };
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
