/** The short form of `npm run test:database-faults`. */
import { test } from 'node:test';
import { proveDatabaseFaults } from '../support/database-faults.ts';

test('broken lines to the database: nothing but 2xx and 503 with Retry-After, no connection leaked, no task stuck', async () => {
  await proveDatabaseFaults({ faults: 4, intervalMs: 100, clients: 2, seed: 3 });
});
