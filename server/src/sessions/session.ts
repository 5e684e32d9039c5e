import type {
  EndReason,
  Mode,
  SessionRecord,
  Source,
  SpeechInputMode,
  Status,
} from '@session-launch/contract/session';
import { tokenAudience } from '@session-launch/contract/verification';
import { isoTime } from '../iso-time.ts';

/** A session as it is stored: what queries ask for, and all else that its launch was given. */
export interface Session {
  id: string;
  projectId: string;
  experienceId: string;
  revision: number;
  livemode: boolean;
  source: Source;
  userId: string | null;
  given: Given;
  createdAt: Date;
  /** A client has to connect before this time. */
  expiresAt: Date;
  /** When a client connected. */
  startedAt: Date | null;
  /** Whole seconds that a client was connected, as the runtime reported them. */
  seconds: number;
  endedAt: Date | null;
  endReason: EndReason | null;
}

/** What a launch was given, for good. One JSON column: a further optional field needs no migration. */
export interface Given {
  /** Of the page, for sessions from browsers. */
  origin?: string | undefined;
  processorId?: string | undefined;
  mode: Mode;
  speechInputMode: SpeechInputMode;
  speechOnly: boolean;
  locale: string;
  /** Dual experiences only. */
  secondaryLocale?: string | undefined;
  /** What the caller sent for the player, in the caller's own order. */
  player?: Player | undefined;
  /** The caller's own facts; never in the manifest. */
  metadata?: Record<string, string> | undefined;
  /** Where clients connect, when the revision leaves that to the service. */
  address?: string | undefined;
  /** Enough to sign the very same token again; the token itself is never stored. */
  token: { issuer: string; issuedAt: number; keyId: string };
}

export interface Player {
  startButton?: object;
  closeButton?: object;
  returnUrl?: string;
}

/** The state at a time. That nobody connected before a session expired shows by the clock; nothing has to be written for it. */
function statusOf({ startedAt, endedAt, expiresAt }: Session, at: Date): Status {
  if (endedAt !== null) return 'ended';
  if (startedAt !== null) return 'active';
  return expiresAt > at ? 'created' : 'expired';
}

/** Fields that are undefined have no place in JSON. */
type Written<T> = { [K in keyof T]: T[K] | undefined };

/** A session as its owner sees it. */
export function sessionRecord(session: Session, at = new Date()): Written<SessionRecord> {
  const { given } = session;
  return {
    sessionId: session.id,
    projectId: session.projectId,
    experienceId: session.experienceId,
    revision: session.revision,
    status: statusOf(session, at),
    livemode: session.livemode,
    source: session.source,
    origin: given.origin,
    userId: session.userId ?? undefined,
    processorId: given.processorId,
    metadata: given.metadata,
    mode: given.mode,
    speechInputMode: given.speechInputMode,
    speechOnly: given.speechOnly,
    locale: given.locale,
    secondaryLocale: given.secondaryLocale,
    createdAt: isoTime(session.createdAt),
    expiresAt: isoTime(session.expiresAt),
    startedAt: session.startedAt === null ? undefined : isoTime(session.startedAt),
    endedAt: session.endedAt === null ? undefined : isoTime(session.endedAt),
    endReason: session.endReason ?? undefined,
    usage: { seconds: session.seconds },
  };
}

/**
 * What the token of a session says: `SessionClaims` as JSON. Written out, because that takes a sixth of the time, for each mint and each
 * replay; ids, numbers and truth values have nothing in them to escape.
 */
export function claimsJson(session: Session): string {
  const { id, given, expiresAt } = session;
  const { issuer, issuedAt } = given.token;
  return (
    `{"iss":${JSON.stringify(issuer)},"aud":"${tokenAudience}","sub":"${id}","jti":"${id}",` +
    `"iat":${issuedAt},"exp":${expiresAt.getTime() / 1000},"projectId":"${session.projectId}",` +
    `"experienceId":"${session.experienceId}","revision":${session.revision},"livemode":${session.livemode}` +
    `${given.origin === undefined ? '' : `,"origin":${JSON.stringify(given.origin)}`}}`
  );
}
