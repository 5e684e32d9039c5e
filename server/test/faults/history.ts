/** What became of one request, as its sender saw it. */
export type Outcome =
  | { kind: 'acknowledged'; sessionId: string }
  | { kind: 'refused'; status: number; code: string; retryAfter?: string }
  /** The connection broke: the launch may have been recorded or not. */
  | { kind: 'unknown'; why: string };

interface Attempt {
  sentAt: number;
  answeredAt: number;
  outcome: Outcome;
}

/** One launch that somebody wants: one request without a key, or all the requests that carry one key. */
export interface Operation {
  /** Sent in the body and stored with the session, so that a session tells which operation made it. */
  tag: string;
  keyed: boolean;
  attempts: Attempt[];
}

/** What the database holds in the end. */
export interface Stored {
  sessions: { id: string; tag: string | null; source: string }[];
  /** Idempotency records. */
  claims: number;
  /** The counters of the daily quota, added up. */
  used: number;
}

/** Everything that was asked for and answered, and when something was broken on purpose. */
export class History {
  readonly operations: Operation[] = [];
  readonly #breaks: { from: number; to: number }[] = [];

  begin(keyed: boolean): Operation {
    const operation: Operation = { tag: `op-${this.operations.length}`, keyed, attempts: [] };
    this.operations.push(operation);
    return operation;
  }

  /** What is under way while this runs may end in a refusal although it was recorded. */
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

  /** How many requests ended in each way: `acknowledged`, `unknown` or a status. */
  tally(): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const { outcome } of this.attempts) {
      const name = outcome.kind === 'refused' ? String(outcome.status) : outcome.kind;
      counts[name] = (counts[name] ?? 0) + 1;
    }
    return counts;
  }

  /** Everything in which the database and the answers disagree; nothing when each launch exists exactly once. */
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

  /** Whether nothing can have been recorded: only a 503 while something was being broken leaves that open. */
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

/** Sending the same again would be refused again. */
export function refusesForGood(outcome: Outcome): boolean {
  return outcome.kind === 'refused' && outcome.status < 500 && outcome.status !== 409;
}

/** Only these refusals may ever be seen, and a caller must learn when to come back. */
function faultsOfRefusal(tag: string, { status, code, retryAfter }: Outcome & { kind: 'refused' }): string[] {
  const comesBack = code === 'UNAVAILABLE' || code === 'IDEMPOTENCY_IN_PROGRESS';
  if ((status >= 500 || status === 409) && !comesBack) return [`${tag} was answered ${status} ${code}`];
  if (comesBack && !/^[1-9]\d*$/.test(retryAfter ?? ''))
    return [`${tag} was answered ${code} without Retry-After`];
  return [];
}
