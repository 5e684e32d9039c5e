import { isoWriter } from '../iso-time.ts';
import type { SessionRecord } from './schemas.ts';
import type { Session } from './store.ts';

const isoTime = isoWriter();

/** Fields that are undefined have no place in JSON. */
type Written<T> = { [K in keyof T]: T[K] | undefined };

/** A session as its owner sees it, from its row. */
export function sessionRecord(session: Session): Written<SessionRecord> {
  return {
    sessionId: session.id,
    projectId: session.projectId,
    experienceId: session.experienceId,
    revision: session.revision,
    status: session.endedAt === null ? 'created' : 'ended',
    livemode: session.livemode,
    source: session.source,
    origin: session.origin ?? undefined,
    userId: session.userId ?? undefined,
    processorId: session.processorId ?? undefined,
    // Stored as text: a row comes from a request or a revision, and both were validated.
    mode: session.mode as SessionRecord['mode'],
    speechInputMode: session.speechInputMode as SessionRecord['speechInputMode'],
    speechOnly: session.speechOnly,
    locale: session.locale,
    secondaryLocale: session.secondaryLocale ?? undefined,
    createdAt: isoTime(session.createdAt.getTime()),
    endedAt: session.endedAt?.toISOString(),
    // Metering does not exist yet; the contract reports zero until it does.
    usage: { seconds: 0 },
  };
}
