/** What an application stores: rows of every table, and files. For proofs that nothing is left behind. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestApp } from './test-app.ts';

type Where = Pick<TestApp, 'application' | 'dataDir'>;

/** Rows per table of our own schema, and of the queue's jobs; not what requests and house-keeping note of their own times. */
export async function countRows({ application }: Where): Promise<Record<string, number>> {
  const { pool } = application.database;
  const counts: Record<string, number> = {};
  for (const table of await tables(pool, "nspname = 'public' and relname not in ('rate_limits', 'chores')")) {
    counts[table] = Number((await pool.query(`select count(*) as n from ${table}`)).rows[0].n);
  }
  counts.jobs = Number((await pool.query("select count(*) as n from pgboss.job where state < 'completed'")).rows[0].n);
  return counts;
}

/** Every file below the data directory, as paths from there. */
export async function listFiles({ dataDir }: Pick<TestApp, 'dataDir'>): Promise<string[]> {
  const found = await readdir(dataDir, { recursive: true, withFileTypes: true });
  return found
    .filter((entry) => entry.isFile() && entry.name !== 'secret')
    .map((entry) => join(entry.parentPath, entry.name).slice(dataDir.length + 1))
    .sort();
}

/** Tables and files in which the text occurs; the queue's tables are searched too. */
export async function placesOf(where: Where, needle: string): Promise<string[]> {
  const { pool } = where.application.database;
  const places: string[] = [];
  for (const table of await tables(pool, "nspname in ('public', 'pgboss')")) {
    const { rows } = await pool.query(`select count(*)::int as n from ${table} t where strpos(t::text, $1) > 0`, [
      needle,
    ]);
    if (rows[0].n > 0) places.push(table);
  }
  for (const path of await listFiles(where)) {
    // A file may disappear while we search; then it contains nothing.
    const content = await readFile(join(where.dataDir, path)).catch(() => Buffer.alloc(0));
    if (content.includes(needle)) places.push(path);
  }
  return places;
}

async function tables(pool: TestApp['application']['database']['pool'], condition: string): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(
    `select format('%I.%I', nspname, relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where relkind in ('r', 'p') and not relispartition and ${condition} order by 1`,
  );
  return rows.map((row) => row.name);
}
