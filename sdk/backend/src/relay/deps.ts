import type { SessionLaunch } from '../client.ts';
import type { CatalogEntry } from '../contract.ts';
import type { Rules } from './options.ts';

export interface RelayDeps {
  client: SessionLaunch;
  rules: Rules;
  /** Logs an event on the server. Events are never sent to the page. */
  report(event: { event: string; [fact: string]: unknown }): void;
  /** Logs once that requests have no client address here, so that visitors without limitKey and userId share one rate limit. */
  tellOfSharedBudget(): void;
  catalog(): Promise<CatalogEntry[]>;
  /** Session id of a token that the service signed, expired or not; undefined for other tokens. */
  sessionOf(token: string): Promise<string | undefined>;
}
