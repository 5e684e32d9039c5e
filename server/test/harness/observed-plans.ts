import pg from 'pg';
import type { Database } from '../../src/store/database.ts';

/** The plan of a statement that was executed, also inside a function. */
export interface ExecutedPlan {
  statement: string;
  /** PostgreSQL compiles a plan just in time if this is above `jit_above_cost` (100,000). */
  cost: number;
  isCompiled: boolean;
  /** Rows that the node with the most rows has read. */
  rows: number;
}

interface Node {
  'Total Cost': number;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: Node[];
}

interface Explained {
  'Query Text': string;
  Plan: Node;
  JIT?: object;
}

/** The extension auto_explain sends the plan of every statement, also of those in functions, as a notice. */
const explainAll = `
  LOAD 'auto_explain';
  SET auto_explain.log_min_duration = 0;
  SET auto_explain.log_nested_statements = on;
  SET auto_explain.log_analyze = on;
  SET auto_explain.log_timing = off;
  SET auto_explain.log_format = json;
  SET auto_explain.log_level = notice;
  SET timezone = 'UTC'`;

/**
 * A database whose connections have no setting of the service, so that just-in-time compilation is on where the server has it on. `plans`
 * receives the plan of each executed statement.
 */
export function observedDatabase(url: string, plans: ExecutedPlan[]): Database {
  const pool = new pg.Pool({
    connectionString: url,
    max: 2,
    onConnect: async (client) => {
      client.on('notice', ({ message = '' }) => {
        const [, json] = /^duration: .*? plan:\n(.+)$/s.exec(message) ?? [];
        if (json !== undefined) plans.push(planOf(JSON.parse(json) as Explained));
      });
      await client.query(explainAll);
    },
  });
  return {
    engine: 'postgres',
    query: async (_, statement, values = []) => (await pool.query({ ...statement, values })).rows,
    transaction: async (work) => {
      const client = await pool.connect();
      try {
        await client.query('BEGIN');
        const result = await work({
          query: async (statement, values = []) => (await client.query({ ...statement, values })).rows,
        });
        await client.query('COMMIT');
        return result;
      } catch (error) {
        await client.query('ROLLBACK');
        throw error;
      } finally {
        client.release();
      }
    },
    listen: async () => undefined,
    ping: async () => undefined,
    pools: () => ({}),
    close: () => pool.end(),
  };
}

function planOf({ 'Query Text': statement, Plan, JIT }: Explained): ExecutedPlan {
  return {
    statement: statement.replace(/\s+/g, ' ').trim(),
    cost: Plan['Total Cost'],
    isCompiled: JIT !== undefined,
    rows: mostRows(Plan),
  };
}

function mostRows({ Plans = [], ...node }: Node): number {
  const perLoop = node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0);
  return Math.max(perLoop * node['Actual Loops'], ...Plans.map(mostRows));
}
