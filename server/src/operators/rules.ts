import { isPermitted, type Permission, permissions, type Role } from '@session-launch/contract/roles';
import { type Actor, sees, unauthenticated } from '../audit/actor.ts';
import { ApiError, invalidRequest } from '../primitives/errors.ts';
import { isId } from '../primitives/ids.ts';
import type { Transaction } from '../store/database.ts';
import { lockLogin } from './logins.ts';
import {
  bootstrap,
  existingProjects,
  fullOwners,
  type KnownOperator,
  keepOperator,
  type LockedOperator,
  lockOperator,
  lockTokenHolder,
} from './operators.ts';

/** Whether the actor may see and change an operator. The actor must see all projects of the operator. */
export function reaches(actor: Actor, { projectIds }: Pick<KnownOperator, 'projectIds'>): boolean {
  if (actor.projectIds === null) return true;
  return projectIds !== null && projectIds.length > 0 && projectIds.every((id) => sees(actor, id));
}

/** Reads and locks an operator. Throws 404 for one whom the actor may not change. */
async function lockReachable(tx: Transaction, actor: Actor, operatorId: string): Promise<LockedOperator> {
  const found = isId('opr', operatorId) ? await lockOperator(tx, operatorId) : undefined;
  if (found === undefined || !reaches(actor, found)) throw new ApiError('OPERATOR_NOT_FOUND');
  return found;
}

/**
 * Reads and locks an operator whom the actor changes or creates a credential for. Throws 404 for one whom the actor may not change, and
 * 401 if the token or the login of the request is no longer valid.
 */
export async function lockForChange(
  tx: Transaction,
  actor: Actor,
  operatorId: string,
): Promise<LockedOperator> {
  // In the order of all changes of operators, which would otherwise deadlock: the owners of all projects, then others by id.
  if (isFullOwner(actor) && actor.operatorId !== bootstrap.operatorId) await fullOwners(tx);
  const isActorFirst = actor.operatorId < operatorId;
  if (isActorFirst) await requireCredentials(tx, actor);
  const found = await lockReachable(tx, actor, operatorId);
  if (!isActorFirst) await requireCredentials(tx, actor);
  return found;
}

/**
 * Throws 401 unless the token or the login of the request is still valid. Locks the operator until the transaction ends. Needed where a
 * request creates another credential or changes an operator, which would survive the replacement of the token or the end of the login.
 */
export async function requireCredentials(tx: Transaction, actor: Actor): Promise<void> {
  if (!(await holdsCredentials(tx, actor))) throw unauthenticated();
}

async function holdsCredentials(tx: Transaction, { operatorId, tokenHash, login }: Actor): Promise<boolean> {
  if (tokenHash !== undefined) return (await lockTokenHolder(tx, tokenHash)) !== undefined;
  if (login === undefined) return true;
  // In the order of a change of the operator, which then deletes the logins: the other order would deadlock.
  await keepOperator(tx, operatorId);
  return (await lockLogin(tx, login.loginId)) !== undefined;
}

/**
 * Throws if the actor would grant more than they have: 403 for a role that theirs does not include or for all projects,
 * 400 for a project that does not exist or that they do not see.
 */
export async function requireGrantable(
  tx: Transaction,
  actor: Actor,
  { role, projectIds }: Pick<KnownOperator, 'role' | 'projectIds'>,
): Promise<void> {
  if (!includes(actor.role, role))
    throw new ApiError('ROLE_FORBIDDEN', {
      message: `Your role, ${actor.role}, does not include the role ${role}.`,
      details: { role: actor.role },
    });
  if (projectIds === null) {
    if (actor.projectIds === null) return;
    throw new ApiError('ROLE_FORBIDDEN', {
      message:
        'You are limited to projects, so the operator must be limited to some of them: send projectIds.',
      details: { projectIds: actor.projectIds },
    });
  }
  const known = await existingProjects(tx, projectIds);
  const problems = projectIds.flatMap((id, i) =>
    known.has(id) && sees(actor, id)
      ? []
      : [{ path: `projectIds[${i}]`, message: 'is not the id of a project' }],
  );
  if (problems.length > 0) throw invalidRequest(problems);
}

/** Whether one role allows everything that another one allows. */
function includes(role: Role, other: Role): boolean {
  return (Object.keys(permissions) as Permission[]).every(
    (permission) => !isPermitted(other, permission) || isPermitted(role, permission),
  );
}

export function isFullOwner({ role, projectIds }: Pick<KnownOperator, 'role' | 'projectIds'>): boolean {
  return role === 'owner' && projectIds === null;
}

/**
 * Throws 409 if operators would be left without an owner of all projects. The holder of ADMIN_TOKEN, who can create another one, may do
 * that. Locks the owners, so that two of them cannot remove each other at the same time; call it before locking another operator.
 */
export async function requireAnotherOwner(tx: Transaction, actor: Actor, operatorId: string): Promise<void> {
  if (operatorId === bootstrap.operatorId)
    throw new ApiError('LAST_OWNER', {
      message: 'The holder of ADMIN_TOKEN cannot be changed or removed.',
      details: { operatorId },
    });
  const owners = await fullOwners(tx);
  const isLast = owners.length === 1 && owners[0] === operatorId;
  if (isLast && actor.operatorId !== bootstrap.operatorId) throw new ApiError('LAST_OWNER');
}
