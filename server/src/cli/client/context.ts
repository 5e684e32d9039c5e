import type { Io } from '../terminal/io.ts';
import type { AdminClient } from './admin-client.ts';

/** Dependencies of every command. */
export interface Context {
  io: Io;
  /** Reads the configuration on the first call, so that `--help` works without one. */
  admin: () => AdminClient;
}
