import type { Database, Statement, Transaction, Workload } from './database.ts';

/** A function that sends one statement, with the statement for tests. */
export type Query<On, Args extends unknown[], Result> = ((on: On, ...args: Args) => Promise<Result>) & {
  statement: Statement;
};

/** Converts the arguments of a query to the values of its statement. Absent: they are the values. */
type ValuesOf<Args extends unknown[]> = (...args: Args) => unknown[];

/** Makes queries by what becomes of their rows. The arguments come first: `one<[keyId: string], ApiKey>(statement)`. */
interface Queries<On> {
  many<Args extends unknown[], Row>(s: Statement, valuesOf?: ValuesOf<Args>): Query<On, Args, Row[]>;
  /** The first row. */
  one<Args extends unknown[], Row>(s: Statement, valuesOf?: ValuesOf<Args>): Query<On, Args, Row | undefined>;
  /** Whether there is a row. */
  any<Args extends unknown[]>(s: Statement, valuesOf?: ValuesOf<Args>): Query<On, Args, boolean>;
  /** No rows. */
  run<Args extends unknown[]>(s: Statement, valuesOf?: ValuesOf<Args>): Query<On, Args, void>;
}

function queriesOn<On>(
  send: (on: On, statement: Statement, values: unknown[]) => Promise<unknown[]>,
): Queries<On> {
  const giving =
    (resultOf: (rows: unknown[]) => unknown) =>
    (statement: Statement, valuesOf = (...args: unknown[]) => args) => {
      const query = async (on: On, ...args: unknown[]) =>
        resultOf(await send(on, statement, valuesOf(...args)));
      return Object.assign(query, { statement });
    };
  return {
    many: giving((rows) => rows),
    one: giving(([row]) => row),
    any: giving(({ length }) => length > 0),
    run: giving(() => undefined),
  } as Queries<On>;
}

/** Queries of a transaction. */
export const inTransaction = queriesOn<Transaction>((tx, statement, values) => tx.query(statement, values));

/** Queries outside of transactions. */
export const onPool = (workload: Workload) =>
  queriesOn<Database>((database, statement, values) => database.query(workload, statement, values));
