import { setTimeout as sleep } from 'node:timers/promises';
import { send } from '@session-launch/testing/http.ts';
import { parseMetrics } from '@session-launch/testing/metrics.ts';
import { adminToken, type Contestant } from './contestant.ts';
import { Latencies } from './soak-latencies.ts';
import { Ledger } from './soak-ledger.ts';
import type { SoakOptions } from './soak-options.ts';
import { choose, type Kind, kindsOf } from './soak-traffic.ts';
import { SoakWorld } from './soak-world.ts';

/** The measurements of one interval of a run. */
export interface Stretch {
  /** End of the interval, in seconds since the start of the traffic. */
  at: number;
  seconds: number;
  residentMegabytes: number;
  heapMegabytes: number;
  /** Event loop delay in milliseconds beyond the sampling interval of 10 ms. */
  loopP99: number;
  loopMax: number;
  latencies: Map<string, Latencies>;
}

export interface SoakResult {
  stretches: Stretch[];
  seconds: number;
  acknowledged: Ledger;
  /** Mints without a definite response: each may have stored a launch. */
  inDoubt: number;
  /** Number of occurrences of each unexpected response. */
  unexpected: Map<string, number>;
}

const changeEveryMs = 5_000;

/** Sends traffic to a service until the time has passed, `stop` is aborted, or the service stops responding. */
export async function soak(
  contestant: Contestant,
  options: SoakOptions,
  stop: AbortSignal,
  progress: (stretch: Stretch, result: SoakResult) => void,
): Promise<SoakResult> {
  const world = await SoakWorld.provisioned(contestant);
  const result: SoakResult = {
    stretches: [],
    seconds: 0,
    acknowledged: new Ledger(),
    inDoubt: 0,
    unexpected: new Map(),
  };
  const kinds = kindsOf(world, result.acknowledged);
  const surprise = (what: string) => result.unexpected.set(what, (result.unexpected.get(what) ?? 0) + 1);
  let latencies = new Map<string, Latencies>();
  const time = (kind: string, began: number) => {
    const found = latencies.get(kind) ?? new Latencies();
    latencies.set(kind, found);
    found.add(performance.now() - began);
  };

  const began = performance.now();
  const elapsed = () => (performance.now() - began) / 1000;
  const over = new AbortController();
  const ended = over.signal;
  const timer = setTimeout(() => over.abort(), options.minutes * 60_000);
  stop.addEventListener('abort', () => over.abort());
  if (stop.aborted) over.abort();
  const pause = (ms: number) => sleep(Math.max(ms, 0), undefined, { signal: ended }).catch(() => undefined);

  async function ask(kind: Kind): Promise<void> {
    const { call, problem } = kind.attempt();
    const sent = performance.now();
    try {
      const answer = await send(contestant.url, call);
      time(kind.name, sent);
      const wrong = problem(answer);
      if (wrong !== undefined) surprise(`${kind.name}: ${wrong}`);
      if (wrong !== undefined && kind.mints && answer.status >= 500) result.inDoubt++;
    } catch (error) {
      surprise(
        `${kind.name}: no answer (${(error as NodeJS.ErrnoException).code ?? (error as Error).message})`,
      );
      if (kind.mints) result.inDoubt++;
      await pause(100);
    }
  }

  async function client(n: number): Promise<void> {
    const everyMs = options.rate === undefined ? 0 : (1_000 * options.connections) / options.rate;
    for (let asked = 0; !ended.aborted; asked++) {
      // A late client skips the missed requests, which would otherwise form a burst.
      if (everyMs > 0)
        await pause(everyMs - ((performance.now() - began + (n / options.connections) * everyMs) % everyMs));
      // Starts with every kind once, so that even the shortest run covers all of them.
      const kind = asked < kinds.length ? kinds[(asked + n) % kinds.length]! : choose(kinds);
      if (!ended.aborted) await ask(kind);
    }
  }

  /** Alternates between publishing and rotating the key, as an operator does while traffic continues. */
  async function operator(): Promise<void> {
    const everyMs = Math.min(changeEveryMs, (options.minutes * 60_000) / 6);
    for (let turn = 0; ; turn++) {
      await pause(everyMs);
      if (ended.aborted) return;
      const sent = performance.now();
      const what = turn % 2 === 0 ? 'publish' : 'key rotation';
      try {
        if (what === 'publish') await world.publish();
        else await expectRefused(await world.rotateKey());
        time(what, sent);
      } catch (error) {
        surprise(`${what}: ${(error as Error).message}`);
      }
    }
  }

  async function expectRefused(key: string | undefined): Promise<void> {
    if (key === undefined) return;
    const headers = { Authorization: `Bearer ${key}` };
    const { status } = await send(contestant.url, { path: '/v1/sessions/ses_nobody', headers });
    if (status !== 401) throw new Error(`a revoked key got ${status}`);
  }

  let last = 0;
  async function observe(): Promise<void> {
    try {
      const measured = await look(contestant);
      const at = elapsed();
      const stretch = { at, seconds: at - last, ...measured, latencies };
      latencies = new Map();
      last = at;
      result.stretches.push(stretch);
      progress(stretch, result);
    } catch (error) {
      surprise(`metrics: ${(error as Error).message}`);
      over.abort();
    }
  }

  async function observer(): Promise<void> {
    const everyMs = Math.min(Math.max((options.minutes * 60_000) / 240, 500), 15_000);
    await pause(everyMs);
    while (!ended.aborted) {
      await observe();
      await pause(everyMs);
    }
  }

  await Promise.all([
    ...Array.from({ length: options.connections }, (_, n) => client(n)),
    operator(),
    observer(),
  ]);
  // Records the last interval, with the requests that were in flight at the end.
  await observe();
  clearTimeout(timer);
  result.seconds = elapsed();
  if (world.isOverLimit(result.seconds)) surprise('more launches than the limit allows');
  return result;
}

async function look({ adminUrl }: Contestant) {
  const headers = { Authorization: `Bearer ${adminToken}` };
  const answer = await send(adminUrl, { path: '/metrics', headers });
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`);
  const { total } = parseMetrics(answer.text);
  const delay = (name: string) => Math.max(total(name) * 1000 - 10, 0);
  return {
    residentMegabytes: total('process_resident_memory_bytes') / 2 ** 20,
    heapMegabytes: total('nodejs_heap_size_used_bytes') / 2 ** 20,
    loopP99: delay('nodejs_eventloop_lag_p99_seconds'),
    loopMax: delay('nodejs_eventloop_lag_max_seconds'),
  };
}
