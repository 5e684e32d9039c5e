import { signal } from '@preact/signals';
import type { Me } from '@session-launch/contract/admin/me';
import { isPermitted, type Permission } from '@session-launch/contract/roles';
import { request } from '../api/client.ts';
import { signedInAs } from '../api/sign-in.ts';

/** Who is signed in, and the service that the console talks to. */
export const me = signal<Me | undefined>(undefined);

/** Reads who is signed in. Rejects and reloads the page if it is another operator than before. */
export async function loadMe(): Promise<void> {
  const found = await request('GET /admin/me');
  signedInAs(found.operator.operatorId);
  me.value = found;
}

/** Whether the operator has this permission. The service checks it, too. */
export function may(permission: Permission): boolean {
  return me.value !== undefined && isPermitted(me.value.operator.role, permission);
}

/** Whether the operator may create projects: an operator limited to projects would not see a new one. */
export function mayCreateProjects(): boolean {
  return may('manage-projects') && me.value?.operator.projectIds === null;
}
