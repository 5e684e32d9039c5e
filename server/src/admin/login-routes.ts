import { createLoginLinkOperation, meOperation } from '@session-launch/contract/admin/me';
import {
  endLoginOperation,
  type LoginRecord,
  listLoginsOperation,
  loginSchema,
  logoutOperation,
} from '@session-launch/contract/admin/sign-in';
import { isPermitted } from '@session-launch/contract/roles';
import type { FastifyInstance } from 'fastify';
import { type Actor, requirePermission } from '../audit/actor.ts';
import { idleSince } from '../operators/authenticate.ts';
import { deleteLogin, type Login, listLogins, lockLogin } from '../operators/logins.ts';
import { bootstrap } from '../operators/operators.ts';
import { lockForChange, reaches, requireCredentials } from '../operators/rules.ts';
import { createCode, linkOf } from '../operators/sign-in.ts';
import { ApiError } from '../primitives/errors.ts';
import { isId } from '../primitives/ids.ts';
import { giveCookie } from './browser-login.ts';
import type { AdminDeps } from './deps.ts';
import { mount } from './mount.ts';
import { recordOf } from './record.ts';
import { limitOf } from './requests.ts';

/** Who is calling, who is signed in, and sign-in links. */
export async function loginRoutes(app: FastifyInstance, deps: AdminDeps): Promise<void> {
  const { database, commit, authenticator, site } = deps;

  mount(app, meOperation, ({ actor: { operatorId, name, role, projectIds, login } }) => ({
    operator: { operatorId, name, role, projectIds: projectIds === null ? null : [...projectIds] },
    ...(login === undefined
      ? {}
      : {
          login: {
            loginId: login.loginId,
            createdAt: login.createdAt.toISOString(),
            expiresAt: login.expiresAt.toISOString(),
          },
        }),
    version: deps.version,
    engine: database.engine,
    publicUrl: deps.publicUrl,
  }));

  mount(app, logoutOperation, async (call) => {
    const { actor, request, reply } = call;
    if (actor.login === undefined) return undefined;
    const { loginId } = actor.login;
    await commit(call, async (tx, write) => {
      if (!(await deleteLogin(tx, loginId))) return;
      write.changed({ kind: 'login', id: loginId });
      write.audit({ target: loginId });
    });
    giveCookie(reply, site.access(request.raw), undefined);
    return undefined;
  });

  mount(app, createLoginLinkOperation, async (call) => {
    const { actor } = call;
    const operatorId = call.body.operatorId ?? actor.operatorId;
    const isOwn = operatorId === actor.operatorId;
    if (!isOwn) requirePermission(actor, 'manage-service');
    const { code, expiresAt } = await commit(call, async (tx, write) => {
      if (isOwn) await requireCredentials(tx, actor);
      else await lockForChange(tx, actor, operatorId);
      write.audit({ target: operatorId });
      // A login cannot extend itself: a login by its own link ends with it.
      const latestEnd = isOwn ? actor.login?.expiresAt : undefined;
      return createCode(tx.query.bind(tx), operatorId, deps.token, latestEnd);
    });
    return { url: linkOf(deps.consoleBase(), code), expiresAt: expiresAt.toISOString() };
  });

  mount(app, listLoginsOperation, async ({ actor, query }) => {
    const limit = limitOf(query.limit);
    await authenticator.flush();
    const now = new Date();
    const visible = {
      own: actor.operatorId === bootstrap.operatorId ? null : actor.operatorId,
      others: isPermitted(actor.role, 'manage-service'),
      projectIds: actor.projectIds,
    };
    const page = { limit: limit + 1, cursor: query.cursor };
    const found = await listLogins(database, visible, { now, idleSince: idleSince(now) }, page);
    const logins = found.slice(0, limit).map((login) => record(actor, login));
    return { logins, ...(found.length > limit ? { nextCursor: logins.at(-1)!.loginId } : {}) };
  });

  mount(app, endLoginOperation, async (call) => {
    const { actor } = call;
    const { loginId } = call.params;
    if (!isId('lgn', loginId)) throw new ApiError('LOGIN_NOT_FOUND');
    await commit(call, async (tx, write) => {
      const login = await lockLogin(tx, loginId);
      if (login === undefined || !isVisible(actor, login)) throw new ApiError('LOGIN_NOT_FOUND');
      await deleteLogin(tx, loginId);
      write.changed({ kind: 'login', id: loginId });
      write.audit({ target: loginId });
    });
    return undefined;
  });
}

function isVisible(actor: Actor, { operator }: Login): boolean {
  const { operatorId, projectIds } = operator ?? bootstrap;
  return (
    operatorId === actor.operatorId ||
    (isPermitted(actor.role, 'manage-service') && reaches(actor, { projectIds }))
  );
}

function record(actor: Actor, login: Login): LoginRecord {
  const { operatorId } = login.operator ?? bootstrap;
  return recordOf(loginSchema, { ...login, operatorId, current: login.loginId === actor.login?.loginId });
}
