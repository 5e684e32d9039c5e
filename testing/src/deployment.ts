import { inject } from 'vitest';
import { checkContract } from './contract.ts';
import { send } from './http.ts';
import type { Target } from './target.ts';

/** Where a service listens, and what opens the two parts of its admin listener. */
export interface Deployment {
  url: string;
  adminUrl: string;
  adminToken: string;
  runtimeToken: string;
}

/** A running service to call; every public answer is held to the contract. */
export function targetAt({ url, adminUrl, adminToken, runtimeToken }: Deployment): Target {
  return {
    url,
    adminUrl,
    call: async (call) => {
      const answer = await send(url, call);
      checkContract(call, answer);
      return answer;
    },
    admin: (call) =>
      send(adminUrl, { ...call, headers: { Authorization: `Bearer ${adminToken}`, ...call.headers } }),
    runtime: (call) =>
      send(adminUrl, { ...call, headers: { Authorization: `Bearer ${runtimeToken}`, ...call.headers } }),
  };
}

/** The service that acceptance tests of this worker talk to: each worker has its own, unless there is only one. */
export function deployedService(): Target & Deployment {
  const deployments = inject('deployments');
  const deployment = deployments[(Number(process.env.VITEST_POOL_ID) - 1) % deployments.length];
  if (deployment === undefined) throw new Error('no service runs for the acceptance tests');
  return { ...deployment, ...targetAt(deployment) };
}

declare module 'vitest' {
  export interface ProvidedContext {
    /** One for each worker, or one for all. */
    deployments: Deployment[];
  }
}
