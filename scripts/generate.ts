/** `npm run generate`: writes openapi.json, the SDK's wire types, migrations/schema.sql, the types of the tables and docs/api/errors.md. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApplication } from '../src/app.ts';
import { loadConfig } from '../src/config.ts';
import { startEmbeddedPostgres } from '../src/platform/embedded-postgres.ts';
import { createLog } from '../src/platform/log.ts';
import { generatedFiles } from './generated-files.ts';

const dataDir = await mkdtemp(join(tmpdir(), 'toledo-generate-'));
const postgres = await startEmbeddedPostgres({ dataDir, log: () => {} });
const config = loadConfig({ TOLEDO_DATA_DIR: dataDir });
const application = await createApplication({ config, databaseUrl: postgres.url, role: 'api', log: createLog('warn') });
try {
  for (const [path, text] of Object.entries(await generatedFiles(application.server, application.database.db))) {
    const target = new URL(`../${path}`, import.meta.url);
    await mkdir(new URL('.', target), { recursive: true });
    await writeFile(target, text);
    process.stdout.write(`${path}\n`);
  }
} finally {
  await application.stop();
  await postgres.stop();
  await rm(dataDir, { recursive: true, force: true });
}
