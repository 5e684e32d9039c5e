import {
  endSessionOperation,
  forgetUserOperation,
  getSessionOperation,
  listSessionsOperation,
} from '@session-launch/contract/admin/sessions';
import type { FastifyInstance } from 'fastify';
import { type Actor, sees } from '../audit/actor.ts';
import { latestActor } from '../audit/read.ts';
import { ApiError, invalidRequest } from '../primitives/errors.ts';
import { isId } from '../primitives/ids.ts';
import { findSession } from '../sessions/find.ts';
import { forgetBatch, sessionsOfUser, userDigest } from '../sessions/forget.ts';
import { endSessionIn, noteEnd } from '../sessions/lifecycle.ts';
import { listSessions } from '../sessions/listing.ts';
import { type Session, sessionRecord } from '../sessions/session.ts';
import { timelineOf } from '../sessions/timeline.ts';
import type { Database } from '../store/database.ts';
import type { AdminDeps } from './deps.ts';
import { knownProject } from './known-project.ts';
import { mount } from './mount.ts';
import { pageAndFilter } from './requests.ts';

/** Milliseconds that forgetting a user with very many sessions may take. */
const forgetTimeout = 600_000;

export async function sessionAdminRoutes(app: FastifyInstance, deps: AdminDeps): Promise<void> {
  const { database, commit, lifecycle } = deps;
  mount(app, listSessionsOperation, async ({ params, query }) => {
    const projectId = await knownProject(database, params.projectId);
    const { limit, cursor, ...filter } = pageAndFilter(query);
    const at = new Date();
    const { sessions, ...more } = await listSessions(database, projectId, filter, { limit, cursor, at });
    return { sessions: sessions.map((session) => sessionRecord(session, at)), ...more };
  });
  mount(app, getSessionOperation, async ({ params, actor }) => {
    const at = new Date();
    const session = await knownSession(database, actor, params.sessionId);
    const endedBy = await latestActor(database, session.id, endSessionOperation.action);
    return { session: sessionRecord(session, at), timeline: timelineOf(session, endedBy, at) };
  });
  mount(app, endSessionOperation, async (call) => {
    const { id, projectId } = await knownSession(database, call.actor, call.params.sessionId);
    const ended = await commit(call, async (tx, write) => {
      const ended = await endSessionIn(tx, projectId, id);
      if (ended.isNew) {
        write.changed({ kind: 'session', id, projectId });
        write.audit({ projectId, target: id, changes: [{ path: 'status', after: 'ended' }] });
      }
      return ended;
    });
    noteEnd(lifecycle, ended, call.request.id);
    return { session: sessionRecord(ended.session) };
  });
  mount(app, forgetUserOperation, async (call) => {
    const { userId } = call.params;
    if (userId.includes('\0'))
      throw invalidRequest([{ path: 'userId', message: 'must not contain the NUL character' }]);
    const projectId = await knownProject(database, call.params.projectId);
    const target = userDigest(userId);
    call.request.raw.setTimeout(forgetTimeout);
    let sessions = 0;
    for (;;) {
      const batch = await commit(call, async (tx, write) => {
        // One entry for the whole request, in the transaction of its first change.
        if (sessions === 0) {
          const named = await sessionsOfUser(tx, projectId, userId);
          if (named > 0) write.audit({ projectId, target, changes: [{ path: 'sessions', before: named }] });
        }
        const batch = await forgetBatch(tx, projectId, userId);
        if (batch.sessions > 0) write.changed({ kind: 'user', id: target, projectId });
        return batch;
      });
      for (const { sessionId, added } of batch.ended) {
        lifecycle.counts.metered(added);
        lifecycle.onStatus?.(sessionId, 'ended', projectId);
      }
      if (batch.sessions === 0) return { sessions };
      sessions += batch.sessions;
    }
  });
}

/** Returns a session that this operator sees; throws 404 if there is none. */
async function knownSession(database: Database, actor: Actor, sessionId: string): Promise<Session> {
  const session = isId('ses', sessionId) ? await findSession(database, sessionId) : undefined;
  if (session === undefined || !sees(actor, session.projectId)) throw new ApiError('SESSION_NOT_FOUND');
  return session;
}
