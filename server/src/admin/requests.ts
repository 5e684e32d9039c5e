import { keyRequestSchema } from '@session-launch/contract/admin/keys';
import { sessionQuerySchema } from '@session-launch/contract/admin/sessions';
import type { NewKey } from '../keys/create.ts';
import { invalidRequest } from '../primitives/errors.ts';
import type { SessionFilter } from '../sessions/store.ts';
import { reader } from '../validation/validator.ts';

const readKey = reader(keyRequestSchema);
const readQuery = reader(sessionQuerySchema);
const maxPage = 500;

export function readNewKey(body: unknown): NewKey {
  const { expiresAt, ...key } = readKey(body);
  if (expiresAt === undefined) return key;
  const at = new Date(expiresAt);
  if (at <= new Date()) throw invalidRequest([{ path: 'expiresAt', message: 'must lie in the future' }]);
  return { ...key, expiresAt: at };
}

export function readSessionQuery(query: unknown): SessionFilter & { limit: number; cursor?: string } {
  const { limit: asked, ...filter } = readQuery(query);
  const limit = Number(asked ?? 100);
  if (limit > maxPage)
    throw invalidRequest([{ path: 'limit', message: `must be a whole number from 1 to ${maxPage}` }]);
  if (filter.userId?.includes('\0'))
    throw invalidRequest([{ path: 'userId', message: 'must not contain the NUL character' }]);
  return { ...filter, limit };
}
