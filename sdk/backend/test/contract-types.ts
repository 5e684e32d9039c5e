// Type checks only: `npm run typecheck` fails if the types of the package and those of the contract differ.
import type { CatalogEntry as ContractEntry } from '@session-launch/contract/catalog-entry';
import type { SessionManifest as ContractManifest } from '@session-launch/contract/manifest';
import type { ServerMintRequest as ContractRequest } from '@session-launch/contract/mint-requests';
import type { SessionRecord } from '@session-launch/contract/session';
import type { SessionClaims as ContractClaims } from '@session-launch/contract/verification';
import type { CatalogEntry, ServerMintRequest, Session, SessionManifest } from '../src/index.ts';
import type { SessionClaims } from '../src/verify.ts';

/** True if each of the two types is assignable to the other. */
type Same<A, B> = [A, B] extends [B, A] ? true : never;

export const sameTypes: [
  Same<Session, SessionRecord>,
  Same<SessionManifest, ContractManifest>,
  Same<ServerMintRequest, ContractRequest>,
  Same<CatalogEntry, ContractEntry>,
  Same<SessionClaims, ContractClaims>,
] = [true, true, true, true, true];
