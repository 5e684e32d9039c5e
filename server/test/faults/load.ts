import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, type Call, send } from '@session-launch/testing/http.ts';
import { pageOrigin, type World } from '@session-launch/testing/world.ts';
import type { Random } from '../harness/random.ts';
import { type History, type Operation, type Outcome, refusesForGood } from './history.ts';

/** Milliseconds for which a key is retried before its outcome is recorded as unknown. A start can take a minute on a loaded machine. */
const patienceMs = 180_000;

export interface LoadOptions {
  random: Random;
  world: World;
  /** The URL for the next request; resolves when a service is available. */
  target: () => Promise<string> | string;
  workers?: number;
  /** Milliseconds that a worker pauses after each request, for tests that need duration rather than concurrency. */
  pauseMs?: number;
}

/**
 * Mints at both endpoints, with and without keys, including invalid requests, until it is stopped; records all outcomes. Requests with a key
 * are retried until the outcome is known, sometimes by two concurrent requests.
 */
export class Load {
  readonly #history: History;
  readonly #options: Required<LoadOptions>;
  readonly #workers: Promise<void>[];
  /** Uses the connection that was idle longest, so that all connections stay in use. */
  readonly #agent = new Agent({ keepAlive: true, scheduling: 'fifo' });
  #running = true;
  #acknowledged = 0;

  constructor(history: History, options: LoadOptions) {
    this.#history = history;
    this.#options = { workers: 16, pauseMs: 0, ...options };
    this.#workers = Array.from({ length: this.#options.workers }, () => this.#work());
  }

  get acknowledged(): number {
    return this.#acknowledged;
  }

  /** Resolves when every request has a response and the outcome of every key is known. */
  async stop(): Promise<void> {
    this.#running = false;
    await Promise.all(this.#workers);
    this.#agent.destroy();
  }

  async #work(): Promise<void> {
    const { pauseMs } = this.#options;
    while (this.#running) {
      await this.#operate();
      if (pauseMs > 0) await sleep(pauseMs);
    }
  }

  async #operate(): Promise<void> {
    const { random } = this.#options;
    const keyed = random() < 0.5;
    const operation = this.#history.begin(keyed);
    const call = this.#callOf(operation);
    if (!keyed) {
      await this.#attempt(operation, call);
      return;
    }
    if (random() < 0.2) await Promise.all([this.#attempt(operation, call), this.#attempt(operation, call)]);
    const deadline = performance.now() + patienceMs;
    while (!isSettled(operation) && performance.now() < deadline) {
      await this.#attempt(operation, call);
      if (!isSettled(operation)) await sleep(20);
    }
  }

  #callOf({ tag, keyed }: Operation): Call {
    const { random, world } = this.#options;
    const fromServer = random() < 0.5;
    const isInvalid = random() < 0.05;
    return {
      method: 'POST',
      path: fromServer ? '/v1/sessions' : '/v1/browser-sessions',
      headers: {
        ...(fromServer ? { Authorization: `Bearer ${world.key}` } : { Origin: pageOrigin }),
        ...(keyed ? { 'Idempotency-Key': tag } : {}),
      },
      body: {
        experienceId: world.experienceId,
        startButton: { tag },
        ...(isInvalid ? { mode: 'nonsense' } : {}),
      },
    };
  }

  async #attempt(operation: Operation, call: Call): Promise<void> {
    const url = await this.#options.target();
    const sentAt = performance.now();
    const outcome = await send(url, { ...call, agent: this.#agent }).then(
      outcomeOf,
      (error: NodeJS.ErrnoException) => ({
        kind: 'unknown' as const,
        why: error.code ?? error.message,
      }),
    );
    operation.attempts.push({ sentAt, answeredAt: performance.now(), outcome });
    if (outcome.kind === 'acknowledged') this.#acknowledged++;
    // No service is running: wait briefly for the next one.
    if (outcome.kind === 'unknown') await sleep(5);
  }
}

function isSettled({ attempts }: Operation): boolean {
  return attempts.some(({ outcome }) => outcome.kind === 'acknowledged' || refusesForGood(outcome));
}

function outcomeOf(answer: Answer): Outcome {
  if (answer.status === 201) return { kind: 'acknowledged', sessionId: answer.json.session.sessionId };
  const retryAfter = answer.headers['retry-after'];
  return {
    kind: 'refused',
    status: answer.status,
    code: answer.json.error.code,
    ...(retryAfter === undefined ? {} : { retryAfter }),
  };
}
