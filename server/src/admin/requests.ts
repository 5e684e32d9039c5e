import type { KeyRequest } from '@session-launch/contract/admin/keys';
import type { SessionQuery } from '@session-launch/contract/admin/sessions';
import { invalidRequest } from '../primitives/errors.ts';
import { canonicalLocale } from '../primitives/locale.ts';
import type { SessionFilter } from '../sessions/listing.ts';

const maxPage = 500;

/** When a new key expires; `undefined` for never. */
export function expiryOf({ expiresAt }: KeyRequest): Date | undefined {
  if (expiresAt === undefined) return undefined;
  const at = new Date(expiresAt);
  if (at <= new Date()) throw invalidRequest([{ path: 'expiresAt', message: 'must be in the future' }]);
  return at;
}

/** The number of rows of a page. */
export function limitOf(limit = '100'): number {
  if (Number(limit) > maxPage)
    throw invalidRequest([{ path: 'limit', message: `must be a whole number from 1 to ${maxPage}` }]);
  return Number(limit);
}

export function pageAndFilter(query: SessionQuery): SessionFilter & { limit: number; cursor?: string } {
  const { limit, livemode, locale, from, to, ...filter } = query;
  for (const path of ['userId', 'origin'] as const) {
    if (filter[path]?.includes('\0'))
      throw invalidRequest([{ path, message: 'must not contain the NUL character' }]);
  }
  return {
    ...filter,
    ...(livemode === undefined ? {} : { livemode: livemode === 'true' }),
    ...(locale === undefined ? {} : { locale: canonicalLocale(locale) ?? locale }),
    ...(from === undefined ? {} : { from: new Date(from) }),
    ...(to === undefined ? {} : { to: new Date(to) }),
    limit: limitOf(limit),
  };
}
