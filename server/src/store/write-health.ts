import { isRefusedWrite } from './database-errors.ts';

/** The database answers, but nothing can be recorded in it. */
export class TakesNoWrites extends Error {
  constructor(cause: Error) {
    super(`the database takes no writes: ${cause.message}`, { cause });
    this.name = 'TakesNoWrites';
  }
}

type Run = (text: string) => Promise<unknown[]>;

const state = `SELECT current_setting('transaction_read_only') = 'on' AS read_only`;

/** A rehearsal that went well ends with this, so that nothing of it stays. */
const wentWell = 'SLW01';

/** Records a session as a mint does, and takes it back: a copy of the newest one, whatever columns a session has. */
const rehearsal = `
DO $$ BEGIN
  INSERT INTO sessions
    SELECT (jsonb_populate_record(s, '{"id": "ses_rehearsal"}')).* FROM sessions s ORDER BY s.id DESC LIMIT 1;
  RAISE EXCEPTION USING ERRCODE = '${wentWell}', MESSAGE = 'a session could be recorded';
END $$`;

/**
 * Whether mints can be recorded, on either engine. A database may answer every question and still be read-only, or full. A write
 * that it refused for such a reason counts until a rehearsal goes well: while nobody is sent here, nobody else would find out.
 */
export class WriteHealth {
  #refusal: unknown;

  /** Notes what becomes of a write. */
  async note<T>(write: Promise<T>): Promise<T> {
    try {
      return await write;
    } catch (error) {
      if (isRefusedWrite(error)) this.#refusal = error;
      throw error;
    }
  }

  /** Rejects while nothing can be recorded. `run` sends a statement where mints are written. */
  async check(run: Run): Promise<void> {
    const [row] = (await run(state)) as { read_only: boolean }[];
    if (row?.read_only)
      throw new TakesNoWrites(Object.assign(new Error('it is read-only'), { code: '25006' }));
    if (this.#refusal === undefined) return;
    await run(rehearsal).catch((error) => {
      if (error.code !== wentWell) throw isRefusedWrite(error) ? new TakesNoWrites(error) : error;
    });
    this.#refusal = undefined;
  }
}
