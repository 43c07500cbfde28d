import { access, constants, mkdir, statfs } from 'node:fs/promises';
import { countAccounts } from '../../accounts/account-store.ts';
import { loadConfig } from '../../config.ts';
import { checkEngines } from '../../engines/check-engines.ts';
import { configuredEngines, openEngines } from '../../engines/open-engines.ts';
import { createMetrics } from '../../platform/metrics.ts';
import { serverVersion } from '../../platform/migrate.ts';
import type { Command } from '../command.ts';
import { describeEngines } from '../describe-engines.ts';
import { printJson, printTable } from '../output.ts';
import { withOperatorSession } from './operator-session.ts';

interface Finding {
  check: string;
  ok: boolean;
  finding: string;
}

const minimumFreeBytes = 1024 ** 3;

/** Checks everything that a start needs and reports all problems, instead of failing on the first one. */
export const doctorCommand: Command = {
  name: 'doctor',
  positionals: [],
  options: { engines: { type: 'boolean' } },
  summary:
    'Check settings, data directory, database, schema, secret and engines; --engines calls each one. Exit code 1 when something is wrong.',
  async run(args) {
    const findings: Finding[] = [];
    const look = async (check: string, find: () => Promise<string>) => {
      try {
        findings.push({ check, ok: true, finding: await find() });
      } catch (error) {
        findings.push({ check, ok: false, finding: (error as Error).message });
      }
    };
    await look('node', async () => `${process.version} on ${process.platform}-${process.arch}`);
    await look('settings', async () => {
      loadConfig();
      return 'valid';
    });
    await look('data directory', dataDirectory);
    await look('database', database);
    await look('engines', async () => enginesInWords());
    if (args.options.engines === true) {
      const configs = await Promise.resolve()
        .then(() => configuredEngines(loadConfig()))
        .catch(() => []);
      for (const { engine, ok, finding } of await checkEngines(configs))
        findings.push({ check: `engine ${engine}`, ok, finding });
    }
    if (args.json) printJson({ ok: findings.every((finding) => finding.ok), findings });
    else
      printTable(
        ['CHECK', 'RESULT', 'FINDING'],
        findings.map((finding) => [finding.check, finding.ok ? 'ok' : 'WRONG', finding.finding]),
      );
    if (findings.some((finding) => !finding.ok)) process.exitCode = 1;
  },
};

/** @throws EngineChoiceError, or an Error when one of them cannot work on this machine */
function enginesInWords(): string {
  const catalog = openEngines(loadConfig(), createMetrics());
  const words = describeEngines(catalog).join('; ');
  if (catalog.engines().some(({ problem }) => problem !== undefined)) throw new Error(words);
  return words;
}

async function dataDirectory(): Promise<string> {
  const { dataDir } = loadConfig();
  await mkdir(dataDir, { recursive: true });
  await access(dataDir, constants.R_OK | constants.W_OK);
  const { bavail, bsize } = await statfs(dataDir);
  const freeBytes = bavail * bsize;
  const free = `${dataDir}, ${(freeBytes / 1024 ** 3).toFixed(1)} GiB free`;
  if (freeBytes < minimumFreeBytes) throw new Error(`${free}: less than 1 GiB`);
  return free;
}

async function database(): Promise<string> {
  return await withOperatorSession(async ({ config, db }) => {
    const [version, { accounts, liveKeys }] = [await serverVersion(db), await countAccounts(db)];
    const kind = config.databaseUrl ? 'external' : 'embedded';
    return `PostgreSQL ${version} (${kind}), schema up to date, secret matches, ${accounts} accounts, ${liveKeys} live keys`;
  });
}
