import type { BlockList } from 'node:net';
import type { Commit } from '../audit/commit.ts';
import type { Finding } from '../doctor/finding.ts';
import type { DocumentThread } from '../documents/document-thread.ts';
import type { EventHub } from '../events/hub.ts';
import type { KeyRing } from '../keys/authenticate.ts';
import type { availabilityAt } from '../minting/availability.ts';
import type { Authenticator } from '../operators/authenticate.ts';
import type { ConsoleSite } from '../operators/console-site.ts';
import type { FailedLogins } from '../operators/failed-logins.ts';
import type { IdentityProvider } from '../operators/oidc.ts';
import type { OutboundRules } from '../outbound/target.ts';
import type { LifecycleDeps } from '../sessions/lifecycle.ts';
import type { Changes } from '../store/changes.ts';
import type { Database } from '../store/database.ts';
import type { SigningKeys } from '../tokens/signing-keys.ts';
import type { ToolCalls } from '../tools/tool-calls.ts';
import type { AttemptDeps } from '../webhooks/attempt.ts';
import type { AdminAdmission } from './admission.ts';

/** What the routes of the admin API need. */
export interface AdminDeps {
  /** ADMIN_TOKEN. */
  token: string;
  database: Database;
  changes: Changes;
  /** Runs the transactions of the admin API. */
  commit: Commit;
  admission: AdminAdmission;
  documents: DocumentThread;
  keyRing: KeyRing;
  lifecycle: LifecycleDeps;
  events: EventHub;
  signingKeys: SigningKeys;
  toolCalls: ToolCalls;
  /** Runs the checks of the doctor. */
  examine(): Promise<Finding[]>;
  /** What sends to webhooks, and where it may send. */
  webhooks: AttemptDeps & { rules: OutboundRules };
  apiKeyPrefix: string;
  version: string;
  publicUrl: string;
  /** The folder that contains `avatars/` and `locations/`. */
  assetsDir: string;
  /** Whether an origin is that of the service itself and the project is the demo. */
  isOwnPage(projectId: string, origin: string): boolean;
  /** What visitors of pages at an origin would get now. */
  availabilityAt(experienceId: string, origin: string): ReturnType<typeof availabilityAt>;
  trustProxy: BlockList | undefined;
  authenticator: Authenticator;
  failedLogins: FailedLogins;
  site: ConsoleSite;
  identityProvider: IdentityProvider | undefined;
  /** The base of sign-in links: ADMIN_URL, or localhost with the port of the admin listener. */
  consoleBase(): string;
}
