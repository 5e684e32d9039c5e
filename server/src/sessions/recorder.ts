import { ApiError } from '../errors.ts';
import type { Database, Statement } from '../store/database.ts';
import { isOutage, isRolledBack } from '../store/outage.ts';
import type { Session } from './store.ts';

/** The claim of an Idempotency-Key: its scope and value, and the body it came with, as hashes. */
export interface Claim {
  hash: Buffer;
  fingerprint: Buffer;
}

export interface MintToRecord {
  claim?: Claim;
  /** Absent when a fresh mint is refused already: then only an earlier launch under the claim can answer. */
  session?: Session;
  /** Whether the project's daily quota counts it, and whose. */
  quota?: { projectId: string; day: string };
}

export type Recorded =
  | { outcome: 'recorded'; quota?: QuotaState }
  | { outcome: 'replayed'; session: Session; quota?: QuotaState }
  | { outcome: 'conflict' | 'in_progress' | 'absent' }
  | { outcome: 'quota_exceeded'; quota: QuotaState };

/** Sessions of the day so far, and the most there may be (null: no limit). */
export interface QuotaState {
  used: number;
  limit: number | null;
}

export interface RecorderOptions {
  queueLimit?: number;
  batchLimit?: number;
  /** How long a keyed mint may wait in the queue before other processes are asked about its key. */
  probeAfterMs?: number;
  /** How long a batch whose connection was lost is tried again before its mints are refused. */
  retryForMs?: number;
  onBatch?: (size: number) => void;
}

const replayableFor = 24 * 60 * 60 * 1000;

const record: Statement = {
  name: 'record_mints',
  text: 'SELECT n, outcome, used, quota, prior FROM record_mints($1, $2)',
};
const probe: Statement = {
  name: 'probe_claims',
  text: `SELECT c.n::integer AS n FROM unnest($1::bigint[]) WITH ORDINALITY AS c(lock, n)
          WHERE NOT pg_try_advisory_xact_lock(c.lock)`,
};

interface Waiting {
  mint: MintToRecord;
  resolve: (recorded: Recorded) => void;
  reject: (error: unknown) => void;
}

/**
 * Records mints, each exactly once. What arrives while a write is under way goes out together in the next
 * one, so a lone mint is never delayed and a crowd shares its commits. A claim is pending while its mint is in here:
 * in this process that is the set below, across processes a lock that the database drops with the transaction.
 */
export class Recorder {
  readonly #database: Database;
  readonly #options: Required<Omit<RecorderOptions, 'onBatch'>>;
  readonly #onBatch: (size: number) => void;
  readonly #pending = new Set<string>();
  #queue: Waiting[] = [];
  #writing: Promise<void> | undefined;
  #probeTimer: NodeJS.Timeout | undefined;

  constructor(database: Database, options: RecorderOptions = {}) {
    this.#database = database;
    this.#onBatch = options.onBatch ?? (() => undefined);
    this.#options = {
      queueLimit: options.queueLimit ?? 4_096,
      batchLimit: options.batchLimit ?? 256,
      probeAfterMs: options.probeAfterMs ?? 100,
      retryForMs: options.retryForMs ?? 2_000,
    };
  }

  get queueLength(): number {
    return this.#queue.length;
  }

  async record(mint: MintToRecord): Promise<Recorded> {
    const pendingKey = mint.claim?.hash.toString('latin1');
    if (pendingKey !== undefined && this.#pending.has(pendingKey)) return { outcome: 'in_progress' };
    if (this.#queue.length >= this.#options.queueLimit) throw unavailable();
    if (pendingKey !== undefined) this.#pending.add(pendingKey);
    try {
      return await new Promise<Recorded>((resolve, reject) => {
        this.#queue.push({ mint, resolve, reject });
        if (this.#writing === undefined) this.#write();
        else if (pendingKey !== undefined) this.#scheduleProbe();
      });
    } finally {
      if (pendingKey !== undefined) this.#pending.delete(pendingKey);
    }
  }

  /** Resolves when everything that was handed in is answered. */
  async drain(): Promise<void> {
    while (this.#writing !== undefined) await this.#writing;
  }

  #write(): void {
    if (this.#queue.length === 0) {
      this.#writing = undefined;
      return;
    }
    const batch = this.#queue.splice(0, this.#options.batchLimit);
    this.#onBatch(batch.length);
    this.#writing = this.#recordBatch(batch).finally(() => this.#write());
  }

  async #recordBatch(batch: Waiting[]): Promise<void> {
    try {
      const rows = await this.#send(batch);
      for (const row of rows) batch[row.n]?.resolve(read(row));
      // A row for every mint is the function's promise; a mint without one must not wait for ever.
      for (const waiting of batch) waiting.reject(new Error('record_mints left a mint unanswered'));
    } catch (error) {
      if (batch.length > 1 && isRolledBack(error) && !isOutage(error)) await this.#recordOneByOne(batch);
      else for (const waiting of batch) waiting.reject(isOutage(error) ? unavailable(error) : error);
    }
  }

  /** One mint that the database cannot take must not fail its neighbours. */
  async #recordOneByOne(batch: Waiting[]): Promise<void> {
    for (const waiting of batch) await this.#recordBatch([waiting]);
  }

  /**
   * One round trip. When the connection is lost under way, nobody knows whether the batch was committed: it is
   * sent again with the same session ids, and the function then knows its own earlier work.
   */
  async #send(batch: Waiting[]): Promise<Row[]> {
    const items = JSON.stringify(batch.map(({ mint }, n) => item(mint, n)));
    const deadline = performance.now() + this.#options.retryForMs;
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.#database.query<Row>('recording', record, [items, attempt > 0]);
      } catch (error) {
        const isOwnEarlierWork = attempt > 0 && isUniqueViolation(error);
        if ((isRolledBack(error) && !isOwnEarlierWork) || !(isOutage(error) || isOwnEarlierWork)) throw error;
        if (performance.now() > deadline) throw error;
        await new Promise((resolve) => setTimeout(resolve, 50 * 2 ** Math.min(attempt, 3)));
      }
    }
  }

  /**
   * While a write is stuck behind somebody's lock, a mint whose key is pending in another process must still be
   * told so at once. The probe asks on a connection of its own and takes only locks that nobody holds.
   */
  #scheduleProbe(): void {
    if (this.#database.engine === 'embedded' || this.#probeTimer !== undefined) return;
    this.#probeTimer = setTimeout(() => {
      this.#probeTimer = undefined;
      void this.#probeQueue();
    }, this.#options.probeAfterMs);
  }

  async #probeQueue(): Promise<void> {
    const keyed = this.#queue.filter(({ mint }) => mint.claim !== undefined).slice(0, 1_000);
    if (keyed.length === 0) return;
    try {
      const locks = keyed.map(({ mint }) => lockOf(mint.claim!));
      const busy = await this.#database.query<{ n: number }>('probing', probe, [locks]);
      for (const { n } of busy) {
        const waiting = keyed[n - 1]!;
        const place = this.#queue.indexOf(waiting);
        // Out of the queue meanwhile: its own write answers it.
        if (place === -1) continue;
        this.#queue.splice(place, 1);
        waiting.resolve({ outcome: 'in_progress' });
      }
    } catch {
      // The probe only speeds an answer up; the write that follows gives it in any case.
    }
  }
}

interface Row {
  n: number;
  outcome: Recorded['outcome'];
  used: number | null;
  quota: number | null;
  prior: Record<string, unknown> | null;
}

function read(row: Row): Recorded {
  const quota = row.used === null ? {} : { quota: { used: row.used, limit: row.quota } };
  switch (row.outcome) {
    case 'replayed':
      return { outcome: 'replayed', session: fromColumns(row.prior!), ...quota };
    case 'recorded':
      return { outcome: 'recorded', ...quota };
    case 'quota_exceeded':
      return { outcome: 'quota_exceeded', quota: { used: row.used ?? 0, limit: row.quota } };
    default:
      return { outcome: row.outcome };
  }
}

function item({ claim, session, quota }: MintToRecord, n: number): object {
  return {
    n,
    ...(claim && {
      claim: `\\x${claim.hash.toString('hex')}`,
      lock: lockOf(claim),
      fingerprint: `\\x${claim.fingerprint.toString('hex')}`,
    }),
    ...(session && {
      sessionId: session.id,
      session: toColumns(session),
      expiresAt: new Date(session.createdAt.getTime() + replayableFor),
    }),
    ...(quota && { counted: true, projectId: quota.projectId, day: quota.day }),
  };
}

function lockOf(claim: Claim): string {
  return claim.hash.readBigInt64BE(0).toString();
}

function toColumns(session: Session): object {
  return {
    id: session.id,
    project_id: session.projectId,
    experience_id: session.experienceId,
    revision: session.revision,
    livemode: session.livemode,
    source: session.source,
    origin: session.origin,
    user_id: session.userId,
    processor_id: session.processorId,
    mode: session.mode,
    speech_input_mode: session.speechInputMode,
    speech_only: session.speechOnly,
    locale: session.locale,
    secondary_locale: session.secondaryLocale,
    player: session.player,
    created_at: session.createdAt,
    token_issued_at: session.tokenIssuedAt,
    token_expires_at: session.tokenExpiresAt,
    token_issuer: session.tokenIssuer,
    token_key_id: session.tokenKeyId,
  };
}

/** The session as it was minted: a replay does not show that it has ended since. */
function fromColumns(row: Record<string, unknown>): Session {
  return {
    id: row.id as string,
    projectId: row.project_id as string,
    experienceId: row.experience_id as string,
    revision: row.revision as number,
    livemode: row.livemode as boolean,
    source: row.source as Session['source'],
    origin: row.origin as string | null,
    userId: row.user_id as string | null,
    processorId: row.processor_id as string | null,
    mode: row.mode as string,
    speechInputMode: row.speech_input_mode as string,
    speechOnly: row.speech_only as boolean,
    locale: row.locale as string,
    secondaryLocale: row.secondary_locale as string | null,
    player: row.player as Record<string, unknown> | null,
    createdAt: new Date(row.created_at as string),
    endedAt: null,
    tokenIssuedAt: row.token_issued_at as number,
    tokenExpiresAt: row.token_expires_at as number,
    tokenIssuer: row.token_issuer as string,
    tokenKeyId: row.token_key_id as string,
  };
}

function isUniqueViolation(error: unknown): boolean {
  return (error as { code?: unknown }).code === '23505';
}

function unavailable(cause?: unknown): ApiError {
  return new ApiError('UNAVAILABLE', { headers: { 'Retry-After': '1' }, cause });
}
