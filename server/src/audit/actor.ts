import type { Permission, Role } from '@session-launch/contract/roles';
import { isPermitted, permissions } from '@session-launch/contract/roles';
import type { FastifyRequest } from 'fastify';
import { ApiError } from '../primitives/errors.ts';

/** How an operator authenticated; `file` marks the changes of an applied project file. */
export type Via = 'token' | 'console' | 'oidc' | 'file';

/** Who sends a request to the admin API. */
export interface Actor {
  /** `bootstrap` for the holder of ADMIN_TOKEN. */
  operatorId: string;
  name: string;
  role: Role;
  /** The projects that this operator sees; null for all. */
  projectIds: readonly string[] | null;
  via: Via;
  /** The login of the cookie. Absent: the request has a token. */
  login?: { loginId: string; createdAt: Date; expiresAt: Date };
  /** SHA-256 of the token of an operator. Absent: the request has a cookie or ADMIN_TOKEN. */
  tokenHash?: Buffer;
  /** The client address. */
  address: string;
  requestId: string;
}

const actors = new WeakMap<FastifyRequest, Actor>();

/** Called by the guard of the admin API, before any other check of a request. */
export function setActor(request: FastifyRequest, actor: Actor): void {
  actors.set(request, actor);
}

export function actorOf(request: FastifyRequest): Actor {
  const actor = actors.get(request);
  if (actor === undefined) throw new Error('a route for operators is not guarded');
  return actor;
}

/** 401 for a request without the credentials of an operator. */
export function unauthenticated(): ApiError {
  return new ApiError('ADMIN_TOKEN_INVALID', { headers: { 'WWW-Authenticate': 'Bearer' } });
}

/** Throws 403 unless the role of this operator has the permission. */
export function requirePermission({ role }: Actor, permission: Permission): void {
  if (isPermitted(role, permission)) return;
  const allowed = permissions[permission];
  throw new ApiError('ROLE_FORBIDDEN', {
    message: `Your role, ${role}, does not allow this. It needs the role ${allowed.join(' or ')}.`,
    details: { role, allowed },
  });
}

/** Throws 403 if this operator is limited to projects. */
export function requireAllProjects({ role, projectIds }: Actor): void {
  if (projectIds === null) return;
  throw new ApiError('ROLE_FORBIDDEN', {
    message: 'You are limited to projects. This needs an operator who sees all projects.',
    details: { role, projectIds },
  });
}

/** Whether this operator sees a project. Other projects get the same response as projects that do not exist. */
export function sees({ projectIds }: Actor, projectId: string): boolean {
  return projectIds === null || projectIds.includes(projectId);
}
