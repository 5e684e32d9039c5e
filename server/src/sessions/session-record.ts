import type { SessionRecord } from './schemas.ts';
import type { Session } from './store.ts';

/** A session as its owner sees it, from its row. */
export function sessionRecord(session: Session): SessionRecord {
  return {
    sessionId: session.id,
    projectId: session.projectId,
    experienceId: session.experienceId,
    revision: session.revision,
    status: session.endedAt === null ? 'created' : 'ended',
    livemode: session.livemode,
    source: session.source,
    ...(session.origin === null ? {} : { origin: session.origin }),
    ...(session.userId === null ? {} : { userId: session.userId }),
    ...(session.processorId === null ? {} : { processorId: session.processorId }),
    // Stored as text: a row comes from a request or a revision, and both were validated.
    mode: session.mode as SessionRecord['mode'],
    speechInputMode: session.speechInputMode as SessionRecord['speechInputMode'],
    speechOnly: session.speechOnly,
    locale: session.locale,
    ...(session.secondaryLocale === null ? {} : { secondaryLocale: session.secondaryLocale }),
    createdAt: session.createdAt.toISOString(),
    ...(session.endedAt === null ? {} : { endedAt: session.endedAt.toISOString() }),
    // Metering does not exist yet; the contract reports zero until it does.
    usage: { seconds: 0 },
  };
}
