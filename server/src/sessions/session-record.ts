import type { Session } from './store.ts';

/** What a session shows to its owner: safe to log, without any credential. */
export interface SessionRecord {
  sessionId: string;
  projectId: string;
  experienceId: string;
  revision: number;
  status: 'created' | 'ended';
  livemode: boolean;
  source: 'server' | 'browser' | 'public';
  origin?: string;
  userId?: string;
  processorId?: string;
  mode: string;
  speechInputMode: string;
  speechOnly: boolean;
  locale: string;
  secondaryLocale?: string;
  createdAt: string;
  endedAt?: string;
  usage: { seconds: number };
}

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
    mode: session.mode,
    speechInputMode: session.speechInputMode,
    speechOnly: session.speechOnly,
    locale: session.locale,
    ...(session.secondaryLocale === null ? {} : { secondaryLocale: session.secondaryLocale }),
    createdAt: session.createdAt.toISOString(),
    ...(session.endedAt === null ? {} : { endedAt: session.endedAt.toISOString() }),
    // Metering does not exist yet; the contract reports zero until it does.
    usage: { seconds: 0 },
  };
}
