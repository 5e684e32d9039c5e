import type { ServerMintRequest } from '../contract.ts';

/** The permissions of a visitor, returned by `authorize`. */
export interface Grant {
  /** User id of the session. */
  userId?: string;
  /** Key of the rate limit. Default: the client address, or `userId` if the address is not known. */
  limitKey?: string;
  /** Fields of the mint request. They override those of the page. */
  fields?: Partial<ServerMintRequest>;
}

/** Names of the mint request's fields that a page may set. */
export const mintFields = [
  'locale',
  'secondaryLocale',
  'learningLocale',
  'mode',
  'speechInputMode',
  'speechOnly',
  'language',
] as const satisfies (keyof ServerMintRequest)[];

/** Fields of the mint request that a page may set. */
export type MintFields = Pick<ServerMintRequest, (typeof mintFields)[number]>;
