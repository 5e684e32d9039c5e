import type { Answer, Call } from './http.ts';

/** A running service as a test meets it: over HTTP, wherever it runs. */
export interface Target {
  url: string;
  adminUrl: string;
  call(call: Call): Promise<Answer>;
  /** The same on the admin listener, with its token. */
  admin(call: Call): Promise<Answer>;
  /** The same as a runtime, with the token of runtimes. */
  runtime(call: Call): Promise<Answer>;
}

/** The tokens of every service that a test starts. */
export const adminToken = 'an-admin-token-for-tests';
export const runtimeToken = 'a-runtime-token-for-tests';
