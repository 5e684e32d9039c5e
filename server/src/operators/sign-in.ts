import type { Actor } from '../audit/actor.ts';
import type { Commit, Write } from '../audit/commit.ts';
import { newId } from '../primitives/ids.ts';
import { sha256 } from '../primitives/sha256.ts';
import type { Database, Transaction } from '../store/database.ts';
import { loginMs } from './authenticate.ts';
import type { FailedLogins } from './failed-logins.ts';
import { deleteLogin, insertCode, insertLogin, type SigningIn } from './logins.ts';
import { bootstrap, type KnownOperator } from './operators.ts';
import { newCode, newCookie, tokenTag } from './secrets.ts';

const codeMs = 10 * 60_000;
/** Stored characters of the User-Agent. */
const maxAgentLength = 300;

export interface SignInDeps {
  commit: Commit;
  /** ADMIN_TOKEN. */
  token: string;
  failedLogins: FailedLogins;
}

/** A request to sign in. */
export interface SignInRequest {
  via: 'console' | 'oidc';
  /** The login of the browser, which is replaced. */
  replaces: string | undefined;
  network: string;
  address: string;
  agent: string;
  requestId: string;
}

/** Returns the operator to sign in, in the transaction of the new login; `undefined` if the sign-in fails. */
export type FindOperator = (tx: Transaction, write: Write) => Promise<SigningIn | undefined>;

/**
 * Signs in an operator. `verify` checks the credentials outside of the transaction, and returns `undefined` if they are not valid. Returns
 * the cookie, or `undefined` after recording that the sign-in failed.
 */
export async function signIn(
  deps: SignInDeps,
  request: SignInRequest,
  verify: () => Promise<FindOperator | undefined>,
): Promise<string | undefined> {
  return deps.failedLogins.attempt(request.network, async () => {
    const find = await verify();
    const cookie = find && (await createLogin(deps, request, find));
    if (cookie === undefined) await recordFailure(deps, request);
    return cookie;
  });
}

async function createLogin(
  { commit, token }: SignInDeps,
  request: SignInRequest,
  find: FindOperator,
): Promise<string | undefined> {
  const { via, replaces, address, agent } = request;
  // The audit entry names the operator, who is known only inside the transaction.
  const actor = actorOf(request, stranger);
  return commit({ actor, action: 'login.create' }, async (tx, write) => {
    const found = await find(tx, write);
    if (found === undefined) return undefined;
    const { operator, latestEnd } = found;
    Object.assign(actor, actorOf(request, operator));
    const isBootstrap = operator.operatorId === bootstrap.operatorId;
    const cookie = newCookie();
    const loginId = newId('lgn');
    const createdAt = new Date();
    await insertLogin(tx, {
      loginId,
      hash: sha256(cookie),
      operatorId: isBootstrap ? null : operator.operatorId,
      via,
      createdAt,
      expiresAt: earlier(new Date(createdAt.getTime() + loginMs), latestEnd),
      address,
      agent: agent.slice(0, maxAgentLength),
      tokenTag: isBootstrap ? tokenTag(cookie, token) : null,
    });
    write.changed({ kind: 'login', id: loginId });
    write.audit({ target: loginId });
    if (replaces !== undefined && (await deleteLogin(tx, replaces))) {
      write.changed({ kind: 'login', id: replaces });
      write.audit({ action: 'login.end', target: replaces });
    }
    return cookie;
  });
}

/** Whom the audit names for a sign-in that failed. */
const stranger: KnownOperator = { operatorId: 'unknown', name: 'unknown', role: 'viewer', projectIds: [] };

async function recordFailure({ commit, failedLogins }: SignInDeps, request: SignInRequest): Promise<void> {
  await commit({ actor: actorOf(request, stranger), action: 'login.failed' }, async (tx, write) => {
    await failedLogins.count(tx, request.network);
    write.audit({ target: 'console' });
  });
}

function actorOf({ via, address, requestId }: SignInRequest, operator: KnownOperator): Actor {
  return { ...operator, via, address, requestId };
}

/**
 * A code that signs in an operator once. That of the holder of ADMIN_TOKEN is valid only for this token. `latestEnd` limits the code and the
 * login that it creates.
 */
export async function createCode(
  run: Transaction['query'],
  operatorId: string,
  adminToken: string,
  latestEnd?: Date,
): Promise<{ code: string; expiresAt: Date }> {
  const code = newCode();
  const expiresAt = earlier(new Date(Date.now() + codeMs), latestEnd);
  const stored =
    operatorId === bootstrap.operatorId ? [tokenTag(code, adminToken), null] : [sha256(code), operatorId];
  await run(insertCode, [...stored, expiresAt, latestEnd ?? null]);
  return { code, expiresAt };
}

function earlier(one: Date, other: Date = one): Date {
  return one < other ? one : other;
}

/** The address that signs in the first browser that opens it. The code is in the fragment, which browsers send to no server. */
export function linkOf(base: string, code: string): string {
  return `${base}/console/#code=${code}`;
}

/** The sign-in link of the holder of ADMIN_TOKEN that a start prints. */
export async function createStartLink(database: Database, base: string, adminToken: string): Promise<string> {
  const run: Transaction['query'] = (statement, values) => database.query('admin', statement, values);
  const { code } = await createCode(run, bootstrap.operatorId, adminToken);
  return linkOf(base, code);
}
