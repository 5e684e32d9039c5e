import type { Database, Statement, Transaction } from '../store/database.ts';
import { type Cell, rowArray } from '../store/row-text.ts';

/** The claim of an Idempotency-Key: hex digests of its scope with its value, and of the request body. */
export interface Claim {
  hash: string;
  fingerprint: string;
}

/** A session as the SQL statement expects it: a row of type `launch_to_record`, and a JSON document. */
export interface RowToRecord {
  id: string;
  cells: readonly Cell[];
  given: string;
}

export interface MintToRecord {
  claim?: Claim | undefined;
  /** Absent if a new mint is already known to be refused: then only an existing launch under the claim can be returned. */
  session?: RowToRecord | undefined;
  /** The project whose daily quota this mint counts against, if any. */
  quota?: { projectId: string; day: string } | undefined;
}

export type Recorded =
  | { outcome: 'recorded'; quota?: QuotaState }
  | { outcome: 'replayed'; prior: PriorRow; quota?: QuotaState }
  | { outcome: 'conflict' | 'in_progress' | 'absent' }
  | { outcome: 'quota_exceeded'; quota: QuotaState };

/** A row of the table `sessions` as JSON; `sessions/session-row.ts` parses it. */
type PriorRow = object;

/** Sessions counted today and the daily limit (`null`: unlimited). */
export interface QuotaState {
  used: number;
  limit: number | null;
}

export const record: Statement = {
  name: 'record_launches',
  text: 'SELECT outcome, n, used, quota, prior FROM record_launches($1, $2, $3, $4, $5)',
};

/** A batch, encoded as parameters of the SQL function. */
export interface EncodedBatch {
  /** Maps each encoded mint to its index in the submitted batch. */
  order: number[];
  tallies: Tally[];
  values: [fresh: string, givens: string, claims: string | null, tallies: string | null];
}

interface Tally {
  projectId: string;
  day: string;
  members: number[];
}

export function encodeBatch(mints: readonly MintToRecord[]): EncodedBatch {
  // Mints with a session come first, so that an array index identifies the session.
  const order = [...mints.keys()].filter((i) => mints[i]?.session !== undefined);
  const fresh = order.map((i) => mints[i]!.session!);
  order.push(...[...mints.keys()].filter((i) => mints[i]?.session === undefined));
  const claims: Cell[][] = [];
  const tallies = new Map<string, Tally>();
  for (const [n, i] of order.entries()) {
    const { claim, session, quota } = mints[i]!;
    if (claim) claims.push(toClaim(n, claim, session, quota));
    if (quota && session) {
      const name = `${quota.projectId} ${quota.day}`;
      const tally = tallies.get(name);
      if (tally) tally.members.push(n);
      else tallies.set(name, { ...quota, members: [n] });
    }
  }
  // All processes lock in the same order, so that batches cannot deadlock.
  const inOrder = [...tallies].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, tally]) => tally);
  return {
    order,
    tallies: inOrder,
    values: [
      rowArray(fresh.map(({ cells }) => cells)),
      `[${fresh.map(({ given }) => given).join(',')}]`,
      claims.length === 0 ? null : rowArray(claims),
      inOrder.length === 0 ? null : JSON.stringify(inOrder),
    ],
  };
}

/**
 * Sends a batch and returns the outcome of each mint in submission order. `undefined` means: send that mint again, because the SQL
 * function found keys that are pending in another process, and has recorded nothing.
 */
export async function sendBatch(
  database: Database,
  batch: EncodedBatch,
  retrying: boolean,
): Promise<(Recorded | undefined)[]> {
  const rows = await database.query<Row>('recording', record, [...batch.values, retrying]);
  const otherwise: Recorded | undefined = rows.some((row) => row.outcome === 'in_progress')
    ? undefined
    : { outcome: 'recorded' };
  const byNumber = new Map<number, Recorded>();
  for (const row of rows) if (row.outcome !== 'tally') byNumber.set(row.n, toRecorded(row));
  for (const row of rows) {
    if (row.outcome !== 'tally') continue;
    let used = row.used ?? 0;
    for (const n of batch.tallies[row.n]?.members ?? []) {
      if (byNumber.has(n)) continue;
      used++;
      byNumber.set(n, { outcome: 'recorded', quota: { used, limit: row.quota } });
    }
  }
  const results: (Recorded | undefined)[] = [];
  for (const [n, i] of batch.order.entries()) results[i] = byNumber.get(n) ?? otherwise;
  return results;
}

/** Records a session without claim and quota, in an open transaction. */
export async function recordIn(tx: Transaction, session: RowToRecord): Promise<void> {
  await tx.query(record, [...encodeBatch([{ session }]).values, false]);
}

export const known: Statement = { name: 'known_claims', text: 'SELECT n FROM known_claims($1)' };

/** Whether a launch exists under each claim. Reads no session row, so it never blocks on one. */
export async function areKnown(database: Database, claims: Claim[]): Promise<boolean[]> {
  const asked = JSON.stringify(claims.map((claim, n) => ({ n, hash: `\\x${claim.hash}` })));
  const found = new Set((await database.query<{ n: number }>('probing', known, [asked])).map((row) => row.n));
  return claims.map((_, n) => found.has(n));
}

export const launches: Statement = {
  name: 'launches_under',
  text: 'SELECT outcome, n, used, quota, prior FROM launches_under($1)',
};

/** The outcome for each claim from an existing launch (a replay or a conflict); `undefined` where none exists. */
export async function findLaunches(
  database: Database,
  mints: MintToRecord[],
): Promise<(Recorded | undefined)[]> {
  const asked = rowArray(mints.map(({ claim, quota }, n) => toClaim(n, claim!, undefined, quota)));
  const results = new Array<Recorded | undefined>(mints.length);
  for (const row of await database.query<Row>('everyday', launches, [asked]))
    results[row.n] = toRecorded(row);
  return results;
}

/** Reads `pg_locks` instead of trying the lock: taking it, even briefly, could fail the mint that needs it. */
export const held: Statement = {
  name: 'held_claims',
  text: `SELECT i.n FROM json_to_recordset($1) AS i(n integer, lock bigint)
          WHERE i.lock IN (SELECT (l.classid::bigint << 32) | l.objid::bigint FROM pg_locks l
                             JOIN pg_database d ON d.oid = l.database AND d.datname = current_database()
                            WHERE l.locktype = 'advisory' AND l.objsubid = 1 AND l.granted)
            AND i.n NOT IN (SELECT k.n FROM known_claims($1) k)`,
};

/** The indexes of the claims whose first mint is in flight in any process. */
export async function areHeld(database: Database, claims: Claim[]): Promise<number[]> {
  const asked = JSON.stringify(
    claims.map((claim, n) => ({ n, hash: `\\x${claim.hash}`, lock: lockOf(claim) })),
  );
  return (await database.query<{ n: number }>('probing', held, [asked])).map(({ n }) => n);
}

/** The advisory lock key of a claim, held while a mint with that claim is in flight. */
function lockOf(claim: Claim): string {
  return BigInt.asIntN(64, BigInt(`0x${claim.hash.slice(0, 16)}`)).toString();
}

interface Row {
  outcome: Recorded['outcome'] | 'tally';
  n: number;
  used: number | null;
  quota: number | null;
  prior: PriorRow | null;
}

function toRecorded(row: Row): Recorded {
  const quota = row.used === null ? {} : { quota: { used: row.used, limit: row.quota } };
  switch (row.outcome) {
    case 'replayed':
      return { outcome: 'replayed', prior: row.prior!, ...quota };
    case 'quota_exceeded':
      return { outcome: 'quota_exceeded', quota: { used: row.used ?? 0, limit: row.quota } };
    case 'conflict':
    case 'in_progress':
    case 'absent':
      return { outcome: row.outcome };
    default:
      throw new Error(`record_launches answered ${row.outcome}`);
  }
}

/** Encodes a claim as a row of type `claim_to_record`. */
function toClaim(
  n: number,
  claim: Claim,
  session: RowToRecord | undefined,
  quota: MintToRecord['quota'],
): Cell[] {
  return [
    n,
    { hex: claim.hash },
    lockOf(claim),
    { hex: claim.fingerprint },
    session?.id ?? null,
    quota?.projectId ?? null,
    quota?.day ?? null,
  ];
}
