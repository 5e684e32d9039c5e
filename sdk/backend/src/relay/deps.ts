import type { SessionLaunch } from '../client.ts';
import type { CatalogEntry } from '../contract.ts';
import type { Rules } from './options.ts';

export interface RelayDeps {
  client: SessionLaunch;
  rules: Rules;
  /** For the developer, never for the page. */
  report(event: { event: string; [fact: string]: unknown }): void;
  /** Once: requests show no address here, so visitors without a limitKey share one budget. */
  tellOfSharedBudget(): void;
  catalog(): Promise<CatalogEntry[]>;
  /** The session of a token of the service, expired or not. */
  sessionOf(token: string): Promise<string | undefined>;
}
