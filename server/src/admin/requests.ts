import type { KeyRequest } from '@session-launch/contract/admin/keys';
import type { SessionQuery } from '@session-launch/contract/admin/sessions';
import { invalidRequest } from '../primitives/errors.ts';
import type { SessionFilter } from '../sessions/store.ts';

const maxPage = 500;

/** When a new key expires; `undefined` for never. */
export function expiryOf({ expiresAt }: KeyRequest): Date | undefined {
  if (expiresAt === undefined) return undefined;
  const at = new Date(expiresAt);
  if (at <= new Date()) throw invalidRequest([{ path: 'expiresAt', message: 'must be in the future' }]);
  return at;
}

export function pageAndFilter({
  limit = '100',
  ...filter
}: SessionQuery): SessionFilter & { limit: number; cursor?: string } {
  if (Number(limit) > maxPage)
    throw invalidRequest([{ path: 'limit', message: `must be a whole number from 1 to ${maxPage}` }]);
  if (filter.userId?.includes('\0'))
    throw invalidRequest([{ path: 'userId', message: 'must not contain the NUL character' }]);
  return { ...filter, limit: Number(limit) };
}
