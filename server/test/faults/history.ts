/** The outcome of one request as the client saw it. */
export type Outcome =
  | { kind: 'acknowledged'; sessionId: string }
  | { kind: 'refused'; status: number; code: string; retryAfter?: string }
  /** The connection was lost: the launch may or may not have been recorded. */
  | { kind: 'unknown'; why: string };

interface Attempt {
  sentAt: number;
  answeredAt: number;
  outcome: Outcome;
}

/** One intended launch: one request without a key, or all requests with the same key. */
export interface Operation {
  /** Sent in the body and stored with the session, so that each session identifies its operation. */
  tag: string;
  keyed: boolean;
  attempts: Attempt[];
}

/** The final content of the database. */
export interface Stored {
  sessions: { id: string; tag: string | null; source: string }[];
  /** Number of idempotency records. */
  claims: number;
  /** Sum of the daily quota counters. */
  used: number;
}

/** Records all requests, their outcomes, and the periods in which a fault was injected. */
export class History {
  readonly operations: Operation[] = [];
  readonly #breaks: { from: number; to: number }[] = [];

  begin(keyed: boolean): Operation {
    const operation: Operation = { tag: `op-${this.operations.length}`, keyed, attempts: [] };
    this.operations.push(operation);
    return operation;
  }

  /** Requests in flight while `work` runs may be rejected although they were recorded. */
  async breaking<T>(work: () => Promise<T>): Promise<T> {
    const span = { from: performance.now(), to: Number.POSITIVE_INFINITY };
    this.#breaks.push(span);
    const result = await work();
    span.to = performance.now();
    return result;
  }

  get attempts(): Attempt[] {
    return this.operations.flatMap((operation) => operation.attempts);
  }

  /** Number of requests by outcome: `acknowledged`, `unknown` or a status. */
  tally(): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const { outcome } of this.attempts) {
      const name = outcome.kind === 'refused' ? String(outcome.status) : outcome.kind;
      counts[name] = (counts[name] ?? 0) + 1;
    }
    return counts;
  }

  /** Lists the contradictions between the database and the responses; empty if each launch exists exactly once. */
  problems(stored: Stored): string[] {
    const made = byTag(stored);
    const found = this.operations.flatMap((one) => this.#problemsOf(one, made.get(one.tag) ?? []));
    const asked = new Set<string | null>(this.operations.map(({ tag }) => tag));
    for (const { id, tag } of stored.sessions) {
      if (!asked.has(tag)) found.push(`session ${id} was never asked for`);
    }
    const claimed = this.operations.filter(({ tag, keyed }) => keyed && made.has(tag)).length;
    if (claimed !== stored.claims) {
      found.push(`${claimed} keys have a session, but ${stored.claims} are remembered`);
    }
    const counted = stored.sessions.filter(({ source }) => source !== 'server').length;
    if (counted !== stored.used) {
      found.push(`the quota counts ${stored.used} sessions of browsers, but there are ${counted}`);
    }
    return found;
  }

  #problemsOf(operation: Operation, made: string[]): string[] {
    const { tag, keyed, attempts } = operation;
    const acknowledged = new Set<string>();
    const found: string[] = [];
    for (const { outcome } of attempts) {
      if (outcome.kind === 'acknowledged') acknowledged.add(outcome.sessionId);
      if (outcome.kind === 'refused') found.push(...faultsOfRefusal(tag, outcome));
    }
    if (acknowledged.size > 1) found.push(`${tag} was acknowledged as ${[...acknowledged].join(' and ')}`);
    if (made.length > 1) found.push(`${tag} was doubled: ${made.join(' and ')}`);
    for (const id of acknowledged) if (!made.includes(id)) found.push(`${tag} was lost: ${id}`);
    const refused = attempts.length > 0 && attempts.every((attempt) => this.#isDefiniteRefusal(attempt));
    if (refused && made.length > 0) found.push(`${tag} was refused, yet there is ${made.join(' and ')}`);
    const isSettled = acknowledged.size > 0 || attempts.some(({ outcome }) => refusesForGood(outcome));
    if (keyed && !isSettled) found.push(`${tag} was never settled: ${JSON.stringify(attempts.at(-1))}`);
    return found;
  }

  /** Whether the launch cannot have been recorded: only a 503 during a fault leaves that open. */
  #isDefiniteRefusal({ outcome, sentAt, answeredAt }: Attempt): boolean {
    if (refusesForGood(outcome)) return true;
    if (outcome.kind !== 'refused' || outcome.status !== 503) return false;
    return !this.#breaks.some(({ from, to }) => sentAt <= to && answeredAt >= from);
  }
}

function byTag({ sessions }: Stored): Map<string | null, string[]> {
  const ids = new Map<string | null, string[]>();
  for (const { id, tag } of sessions) ids.set(tag, [...(ids.get(tag) ?? []), id]);
  return ids;
}

/** Whether the same request would be rejected again. */
export function refusesForGood(outcome: Outcome): boolean {
  return outcome.kind === 'refused' && outcome.status < 500 && outcome.status !== 409;
}

/** Only these rejections are allowed, and temporary ones must have a Retry-After. */
function faultsOfRefusal(tag: string, { status, code, retryAfter }: Outcome & { kind: 'refused' }): string[] {
  const comesBack = code === 'UNAVAILABLE' || code === 'IDEMPOTENCY_IN_PROGRESS';
  if ((status >= 500 || status === 409) && !comesBack) return [`${tag} was answered ${status} ${code}`];
  if (comesBack && !/^[1-9]\d*$/.test(retryAfter ?? ''))
    return [`${tag} was answered ${code} without Retry-After`];
  return [];
}
