export * from './adapters.ts';
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
export * from './errors.ts';
export type { Grant, MintFields } from './relay/grant.ts';
export type { Limit } from './relay/limit.ts';
export type { RelayOptions } from './relay/options.ts';
export { createRelay, type Handler, type Relay } from './relay/relay.ts';
export type { RequestOptions } from './send.ts';
export type { SessionLaunchOptions } from './settings.ts';
export {
  type VerifiedWebhook,
  verifyWebhook,
  WebhookError,
  type WebhookErrorCode,
  type WebhookEvent,
  type WebhookRequest,
} from './webhook.ts';
