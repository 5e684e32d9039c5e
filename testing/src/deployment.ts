import { setTimeout as sleep } from 'node:timers/promises';
import { inject } from 'vitest';
import { checkAdminContract, checkContract } from './contract.ts';
import { type Answer, type Call, send, sendWith } from './http.ts';
import type { Target } from './target.ts';
import { timeoutFactor } from './tiers.ts';

/** The URLs of a service and its admin and runtime tokens. */
export interface Deployment {
  url: string;
  adminUrl: string;
  adminToken: string;
  runtimeToken: string;
}

/** Returns a client for a running service. Every response is validated against the contract of its listener. */
export function targetAt({ url, adminUrl, adminToken, runtimeToken }: Deployment): Target {
  return {
    url,
    adminUrl,
    call: async (call) => {
      const answer = await send(url, call);
      checkContract(call, answer);
      return answer;
    },
    admin: checked(sendWith(adminToken, adminUrl)),
    runtime: checked(sendWith(runtimeToken, adminUrl)),
  };
}

function checked(sends: (call: Call) => Promise<Answer>): (call: Call) => Promise<Answer> {
  return async (call) => {
    const answer = await sends(call);
    checkAdminContract(call, answer);
    return answer;
  };
}

/** The service that the acceptance tests of this worker use. Each worker has its own, unless only one service is configured. */
export function deployedService(): Target & Deployment {
  const deployments = inject('deployments');
  const deployment = deployments[(Number(process.env.VITEST_POOL_ID) - 1) % deployments.length];
  if (deployment === undefined) throw new Error('no service runs for the acceptance tests');
  const { call, admin, runtime, ...urls } = targetAt(deployment);
  return {
    ...deployment,
    ...urls,
    // Not the other public requests: a mint without a key could be executed twice.
    call: (one) => ((one.method ?? 'GET') === 'GET' ? repeated(call)(one) : call(one)),
    admin: repeated(admin),
    runtime: repeated(runtime),
  };
}

/** How often a request to a busy service is repeated. */
const maxRepeats = 20 * timeoutFactor;

/** Repeats requests that a service on a busy machine answers with 503, as its clients do. */
function repeated(sends: (call: Call) => Promise<Answer>): (call: Call) => Promise<Answer> {
  return async (call) => {
    let answer = await sends(call);
    for (let n = 0; isBusy(answer) && n < maxRepeats; n++) {
      await sleep(1000 * Number(answer.headers['retry-after'] ?? 1));
      answer = await sends(call);
    }
    return answer;
  };
}

function isBusy({ status, text }: Answer): boolean {
  return status === 503 && text.includes('"UNAVAILABLE"');
}

declare module 'vitest' {
  export interface ProvidedContext {
    /** One per worker, or one for all workers. */
    deployments: Deployment[];
  }
}
