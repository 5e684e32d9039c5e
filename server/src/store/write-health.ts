import { isRefusedWrite } from './database-errors.ts';

/** Thrown when the database answers but accepts no writes. */
export class TakesNoWrites extends Error {
  constructor(cause: Error) {
    super(`the database takes no writes: ${cause.message}`, { cause });
    this.name = 'TakesNoWrites';
  }
}

type Run = (text: string) => Promise<unknown[]>;

const state = `SELECT current_setting('transaction_read_only') = 'on' AS read_only`;

/** Thrown at the end of a successful trial write, so that its transaction is rolled back. */
const succeeded = 'SLW01';

/** The trial write: inserts a copy of the newest session, as a mint would, and rolls it back. */
const trialWrite = `
DO $$ BEGIN
  INSERT INTO sessions
    SELECT (jsonb_populate_record(s, '{"id": "ses_trial"}')).* FROM sessions s ORDER BY s.id DESC LIMIT 1;
  RAISE EXCEPTION USING ERRCODE = '${succeeded}', MESSAGE = 'a session could be recorded';
END $$`;

/**
 * Tracks whether mints can be recorded. A database may answer queries and still be read-only or full. After a write fails for such a
 * reason, the service is not ready until a trial write succeeds: without traffic, no other write would detect the recovery.
 */
export class WriteHealth {
  #refusal: unknown;

  /** Observes the outcome of a write. */
  async note<T>(write: Promise<T>): Promise<T> {
    try {
      return await write;
    } catch (error) {
      if (isRefusedWrite(error)) this.#refusal = error;
      throw error;
    }
  }

  /** Rejects while writes fail. `run` sends a statement on the connection that mints use. */
  async check(run: Run): Promise<void> {
    const [row] = (await run(state)) as { read_only: boolean }[];
    if (row?.read_only)
      throw new TakesNoWrites(Object.assign(new Error('it is read-only'), { code: '25006' }));
    if (this.#refusal === undefined) return;
    await run(trialWrite).catch((error) => {
      if (error.code !== succeeded) throw isRefusedWrite(error) ? new TakesNoWrites(error) : error;
    });
    this.#refusal = undefined;
  }
}
