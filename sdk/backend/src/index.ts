export {
  type FastifyLikeReply,
  type FastifyLikeRequest,
  incomingOf,
  type NodeRequest,
  type NodeResponse,
  toExpress,
  toFastify,
  toNode,
} from './adapters.ts';
export {
  type Catalog,
  type Experiences,
  type Minted,
  SessionLaunch,
  type Sessions,
} from './client.ts';
export type {
  CatalogEntry,
  ServerMintRequest,
  Session,
  SessionLaunchResponse,
  SessionManifest,
} from './contract.ts';
export {
  AbortedError,
  AuthenticationError,
  ConnectionError,
  type Failure,
  IdempotencyError,
  InvalidRequestError,
  isLaunchError,
  LaunchError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  ServiceError,
  TimeoutError,
} from './errors.ts';
export type { Grant, MintFields } from './relay/grant.ts';
export type { Limit } from './relay/limit.ts';
export type { RelayOptions } from './relay/options.ts';
export { createRelay, type Handler, type Relay } from './relay/relay.ts';
export type { RequestOptions } from './send.ts';
export type { SessionLaunchOptions } from './settings.ts';
