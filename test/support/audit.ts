import { strict as assert } from 'node:assert';
import { readFile } from 'node:fs/promises';
import pg from 'pg';

/** Runs `migrations/audit.sql`: the accounts must balance after every test file. */
export async function assertBooksBalance(databaseUrl: string): Promise<void> {
  const statement = await readFile(new URL('../../migrations/audit.sql', import.meta.url), 'utf8');
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query(statement);
    assert.deepEqual(rows, [], 'audit.sql found faults');
  } finally {
    await client.end();
  }
}
