import type { SessionManifest } from '@session-launch/contract/manifest';
import type { Sent } from '@session-launch/contract/sent';
import type {
  EndReason,
  SessionMode,
  SessionRecord,
  Source,
  SpeechInputMode,
  Status,
} from '@session-launch/contract/session';
import { tokenAudience } from '@session-launch/contract/verification';
import { isoTime } from '../primitives/iso-time.ts';

/** A stored session: columns that queries filter by, and all other inputs of its launch. */
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
  /** A client must connect before this time. */
  expiresAt: Date;
  /** When a client connected. */
  startedAt: Date | null;
  /** Whole seconds that a client was connected, as reported by the runtime. */
  seconds: number;
  endedAt: Date | null;
  endReason: EndReason | null;
}

/** The immutable inputs of a launch, in one JSON column: a new optional field needs no migration. */
export interface Given {
  /** The page's origin, for browser and public sessions. */
  origin?: string | undefined;
  processorId?: string | undefined;
  mode: SessionMode;
  speechInputMode: SpeechInputMode;
  speechOnly: boolean;
  locale: string;
  /** Dual experiences only. */
  secondaryLocale?: string | undefined;
  /** Player settings as sent, in the caller's field order. */
  player?: Player | undefined;
  /** The caller's metadata; never part of the manifest. */
  metadata?: Record<string, string> | undefined;
  /** The runtime URL, if the revision does not specify one. */
  address?: string | undefined;
  /** The values needed to sign the same token again; the token itself is never stored. */
  token: { issuer: string; issuedAt: number; keyId: string };
}

export type Player = Pick<SessionManifest['player'], 'startButton' | 'closeButton' | 'returnUrl'>;

/** The state at a given time. `expired` is computed from the clock and never written. */
function statusOf({ startedAt, endedAt, expiresAt }: Session, at: Date): Status {
  if (endedAt !== null) return 'ended';
  if (startedAt !== null) return 'active';
  return expiresAt > at ? 'created' : 'expired';
}

/** The session record as returned by the API. */
export function sessionRecord(session: Session, at = new Date()): Sent<SessionRecord> {
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
 * The claims of the session's token (`SessionClaims`) as JSON. Their order is fixed, so that a replay signs the same bytes. Written by hand,
 * which takes a quarter of the time of `JSON.stringify`. Ids, numbers and booleans need no escaping.
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
