import { setTimeout as sleep } from 'node:timers/promises';
import { adminToken, type Contestant } from '../contestant.ts';

/** Milliseconds for which a scripted operator looks at what a read has returned. */
const pauseMs = 100;

/** Reads a path of the admin API, and returns the milliseconds until the whole response has arrived. Throws for an error. */
export async function read({ adminUrl }: Contestant, path: string): Promise<number> {
  const began = performance.now();
  const response = await fetch(`${adminUrl}${path}`, { headers: { Authorization: `Bearer ${adminToken}` } });
  const body = await response.text();
  const ms = performance.now() - began;
  if (!response.ok) throw new Error(`${path}: ${response.status} ${body.slice(0, 200)}`);
  return ms;
}

/** Starts operators who read all screens, each from another place in the list, until they are stopped. */
export function startOperators(
  service: Contestant,
  paths: readonly string[],
  count: number,
): { stop(): Promise<{ reads: number }> } {
  const stopped = new AbortController();
  let reads = 0;
  const running = Array.from({ length: count }, async (_, operator) => {
    for (let n = Math.floor((operator * paths.length) / count); !stopped.signal.aborted; n++) {
      await read(service, paths[n % paths.length]!);
      reads++;
      await sleep(pauseMs, undefined, { signal: stopped.signal }).catch(() => undefined);
    }
  });
  const all = Promise.all(running);
  // Reported by stop.
  all.catch(() => undefined);
  return {
    stop: async () => {
      stopped.abort();
      await all;
      return { reads };
    },
  };
}
