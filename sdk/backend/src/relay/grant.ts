import type { ServerMintRequest } from '../contract.ts';

/** What a visitor may do. */
export interface Grant {
  /** Whose session it will be. */
  userId?: string;
  /** Whose budget it is taken from; the address unless given. */
  limitKey?: string;
  /** What the mint has beside the page's wishes. It wins over them. */
  fields?: Partial<ServerMintRequest>;
}

/** What a page may wish for. */
export type MintFields = Pick<
  ServerMintRequest,
  'locale' | 'secondaryLocale' | 'learningLocale' | 'mode' | 'speechInputMode' | 'speechOnly' | 'language'
>;

export const mintFields: readonly (keyof MintFields)[] = [
  'locale',
  'secondaryLocale',
  'learningLocale',
  'mode',
  'speechInputMode',
  'speechOnly',
  'language',
];
