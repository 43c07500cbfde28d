/**
 * A database cloned from a template that `run-tests.ts` migrated once. Nobody drops it: it goes with its server, which is the
 * embedded PostgreSQL, or the one that `npm test -- --postgres BIN_DIR` starts.
 */
import { randomBytes } from 'node:crypto';
import pg from 'pg';

export const serverUrlVariable = 'TEST_DATABASE_SERVER_URL';
export const templateName = 'toledo_template';

export async function createTestDatabase(): Promise<{ url: string }> {
  const serverUrl = process.env[serverUrlVariable];
  if (!serverUrl)
    throw new Error(
      'Run tests through "npm test" or "node test/support/run-tests.ts FILE": they need its database server.',
    );
  const name = `test_${randomBytes(6).toString('hex')}`;
  await administer(serverUrl, `create database ${name} template ${templateName}`);
  return { url: databaseUrl(serverUrl, name) };
}

export function databaseUrl(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}

export async function administer(serverUrl: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  try {
    // Two files that clone at once collide on the template for a moment; the server reports it, and we wait and retry.
    for (let attempt = 0; ; attempt++) {
      try {
        return void (await client.query(statement));
      } catch (error) {
        if ((error as { code?: string }).code !== '55006' || attempt >= 100) throw error;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
  } finally {
    await client.end();
  }
}
