import type { Answer, Call } from './http.ts';

/** A running service that tests access over HTTP. */
export interface Target {
  url: string;
  adminUrl: string;
  call(call: Call): Promise<Answer>;
  /** Sends a request to the admin listener with the admin token. */
  admin(call: Call): Promise<Answer>;
  /** Sends a request to the admin listener with the runtime token. */
  runtime(call: Call): Promise<Answer>;
}

/** The tokens of every service that the tests start. */
export const adminToken = 'an-admin-token-for-tests';
export const runtimeToken = 'a-runtime-token-for-tests';
