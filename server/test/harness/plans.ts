import type { Database, Statement } from '../../src/store/database.ts';

/** A node of an executed plan. Rows are an average of the loops. */
export interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  Plans?: PlanNode[];
}

/** Executes a statement and returns every node of its plan. */
export async function planOf(
  database: Database,
  { text }: Statement,
  values: unknown[],
): Promise<PlanNode[]> {
  const explain = { text: `EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) ${text}` };
  const [row] = await database.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>('admin', explain, values);
  return flat(row!['QUERY PLAN'][0].Plan);
}

function flat(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(flat)];
}
