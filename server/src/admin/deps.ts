import type { KeyRing } from '../keys/authenticate.ts';
import type { Changes } from '../store/changes.ts';
import type { Database } from '../store/database.ts';

/** What the routes of the admin API need. */
export interface AdminDeps {
  token: string;
  database: Database;
  changes: Changes;
  keyRing: KeyRing;
  apiKeyPrefix: string;
  version: string;
  publicUrl: string;
}
