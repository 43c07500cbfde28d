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
    // Thousands of faults are one fault of the test; comparing them all would take minutes.
    assert.deepEqual(rows.slice(0, 20), [], `audit.sql found ${rows.length} faults`);
  } finally {
    await client.end();
  }
}
