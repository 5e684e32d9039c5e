import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer } from '@session-launch/testing/http.ts';
import { connect, type Launch, report } from '@session-launch/testing/lifecycle.ts';
import type { ServiceProcess } from '@session-launch/testing/process.ts';
import { mintFromServer, type World } from '@session-launch/testing/world.ts';
import pino from 'pino';
import { expect } from 'vitest';
import { lookEveryMs, SilenceWatch } from '../../src/sessions/silence.ts';
import type { Database } from '../../src/store/database.ts';

/** What a client and a runtime observed of one session. */
export interface Seen {
  sessionId: string;
  /** Number of acknowledged connects. */
  connects: number;
  /** Metered seconds, in the order in which they were read. */
  seconds: number[];
  /** The record after the end of the session, once per read. */
  over: string[];
}

export interface LiveLoadOptions {
  world: World;
  /** Resolves with the current process as soon as it is running. */
  target: () => Promise<ServiceProcess>;
  workers: number;
  /** Milliseconds that a worker pauses after each request, for tests that need duration rather than concurrency. */
  pauseMs?: number;
}

/**
 * Starts, reports, reads and ends sessions until it is stopped, regardless of faults. Requests without a response are retried, as
 * runtimes do.
 */
export class LiveLoad {
  readonly seen: Seen[] = [];
  /** Number of requests that failed or got a 5xx status. */
  broken = 0;
  steps = 0;
  readonly #options: LiveLoadOptions;
  readonly #workers: Promise<void>[];
  #running = true;

  constructor(options: LiveLoadOptions) {
    this.#options = options;
    this.#workers = Array.from({ length: options.workers }, (_, n) => this.#work(n));
  }

  async stop(): Promise<void> {
    this.#running = false;
    await Promise.all(this.#workers);
  }

  async #work(n: number): Promise<void> {
    while (this.#running) await this.#live(n);
  }

  async #live(n: number): Promise<void> {
    const { world } = this.#options;
    const minted = await this.#ask((service) =>
      mintFromServer(service, world.key, { experienceId: world.experienceId }),
    );
    if (minted?.status !== 201) return;
    const launch: Launch = minted.json.launch;
    const { sessionId } = launch;
    const seen: Seen = { sessionId, connects: 0, seconds: [], over: [] };
    this.seen.push(seen);
    // A connect without a response may have succeeded; then all further ones are rejected.
    const tries = 1 + (n % 3);
    for (let attempt = 0; attempt < tries; attempt++) {
      const answer = await this.#ask((service) => connect(service, launch, `rt_${n}`));
      if (answer?.status === 200) seen.connects++;
    }
    for (let turn = 0; turn < 4 && this.#running; turn++) {
      // More than the elapsed time: the service must limit it.
      await this.#ask((service) => report(service, [{ sessionId, seconds: 1e6 }], `rt_${n}`));
      await this.#look(seen);
    }
    if (n % 4 === 0) return;
    const headers = { Authorization: `Bearer ${world.key}` };
    const path = `/v1/sessions/${sessionId}/end`;
    const last = [{ sessionId, seconds: 1e6, ended: 'client_ended' }];
    await this.#ask((service) =>
      n % 2 === 0 ? service.call({ method: 'POST', path, headers }) : report(service, last, `rt_${n}`),
    );
    for (let again = 0; again < 2; again++) await this.#look(seen);
  }

  async #look(seen: Seen): Promise<void> {
    const headers = { Authorization: `Bearer ${this.#options.world.key}` };
    const answer = await this.#ask((service) =>
      service.call({ path: `/v1/sessions/${seen.sessionId}`, headers }),
    );
    if (answer?.status !== 200) return;
    seen.seconds.push(answer.json.usage.seconds);
    if (answer.json.status === 'ended') seen.over.push(answer.text);
  }

  /** Retries until there is a response; returns `undefined` if the load is stopped before that. */
  async #ask(request: (service: ServiceProcess) => Promise<Answer>): Promise<Answer | undefined> {
    for (;;) {
      const service = await this.#options.target();
      const answer = await request(service).catch(() => undefined);
      this.steps++;
      const { pauseMs = 0 } = this.#options;
      if (pauseMs > 0 && this.#running) await sleep(pauseMs);
      if (answer !== undefined && answer.status < 500) return answer;
      this.broken++;
      if (!this.#running) return undefined;
      await sleep(20);
    }
  }
}

/** Checks the invariants of sessions; also expects that some ran for a while and some were read after their end. */
export function expectLived(all: readonly Seen[]): void {
  const problems = all.flatMap(({ sessionId, connects, seconds, over }) => [
    ...(connects > 1 ? [`${sessionId} was begun ${connects} times`] : []),
    ...(seconds.some((value, i) => value < (seconds[i - 1] ?? 0)) ? [`${sessionId} shrank: ${seconds}`] : []),
    ...(new Set(over).size > 1 ? [`${sessionId} changed after its end: ${over.join(' ')}`] : []),
  ]);
  expect(problems).toEqual([]);
  expect(all.some(({ seconds }) => Math.max(...seconds) > 0)).toBe(true);
  expect(all.some(({ over }) => over.length > 1)).toBe(true);
}

/** Finds active sessions without a row in `active_sessions`, rows without an active session, and wrong counts. */
export const wrong = `
  SELECT s.id FROM sessions s FULL JOIN active_sessions a ON a.session_id = s.id
   WHERE (s.started_at IS NOT NULL AND s.ended_at IS NULL) IS DISTINCT FROM (a.session_id IS NOT NULL)
  UNION ALL
  SELECT c.project_id FROM active_counts c
   WHERE c.active <> (SELECT count(*) FROM active_sessions a WHERE a.project_id = c.project_id)`;
export const stillActive = 'SELECT session_id FROM active_sessions';

/** Runs the watch for silent runtimes for one minute by its own clock. Returns the number of sessions that were ended. */
export async function watchForAMinute(database: Database): Promise<number> {
  let lost = 0;
  let now = 0;
  const counts = {
    connected: () => undefined,
    metered: () => undefined,
    lost: (sessions: number) => {
      lost += sessions;
    },
  };
  const watch = new SilenceWatch({ database, log: pino({ level: 'silent' }), counts }, () => now);
  for (; now <= 60_000; now += lookEveryMs) await watch.look();
  return lost;
}
