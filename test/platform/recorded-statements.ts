/** Every statement that the processes of this test send to PostgreSQL, and what the planner makes of it. */
import pg from 'pg';

export interface Statement {
  text: string;
  values: unknown[];
}

/** Records from now on; the returned function ends it and gives each distinct statement once. */
export function recordStatements(): () => Statement[] {
  const found = new Map<string, Statement>();
  const original = pg.Client.prototype.query;
  pg.Client.prototype.query = function record(this: pg.Client, ...args: unknown[]) {
    const [first, second] = args;
    const text = typeof first === 'string' ? first : (first as { text?: string } | undefined)?.text;
    const values = Array.isArray(second) ? second : ((first as { values?: unknown[] } | undefined)?.values ?? []);
    if (text !== undefined && !found.has(text)) found.set(text, { text, values });
    return Reflect.apply(original, this, args);
  } as typeof original;
  return () => {
    pg.Client.prototype.query = original;
    return [...found.values()];
  };
}

export interface TableScan {
  table: string;
  node: string;
  /** Undefined when the whole table or the whole index is read. */
  condition: string | undefined;
}

/** How a statement reads its tables, by EXPLAIN; it is not executed. */
export async function scansOf(client: pg.Client, { text, values }: Statement): Promise<TableScan[]> {
  const { rows } = await client.query(`explain (format json) ${text}`, values);
  const scans: TableScan[] = [];
  collect(rows[0]['QUERY PLAN'][0].Plan, scans);
  return scans;
}

interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Cond'?: string;
  'Recheck Cond'?: string;
  Plans?: PlanNode[];
}

function collect(node: PlanNode, scans: TableScan[]): void {
  const table = node['Relation Name'];
  if (table !== undefined && node['Node Type'] !== 'ModifyTable')
    scans.push({ table, node: node['Node Type'], condition: node['Index Cond'] ?? node['Recheck Cond'] });
  for (const child of node.Plans ?? []) collect(child, scans);
}
