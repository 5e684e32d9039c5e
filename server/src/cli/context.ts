import type { AdminClient } from './admin-client.ts';
import type { Io } from './io.ts';

/** What every command is built with. */
export interface Context {
  io: Io;
  /** Reads the configuration when a command needs the admin API, not before: `--help` works without one. */
  admin: () => AdminClient;
}
