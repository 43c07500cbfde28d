import { countAccounts } from '../../accounts/account-store.ts';
import { loadConfig } from '../../config.ts';
import { examineEngines } from '../../engines/check-engines.ts';
import { engineChoice, openEngines } from '../../engines/open-engines.ts';
import { readEngineMemories } from '../../operators/engine-actions.ts';
import {
  checkCatalog,
  checkDataDirectory,
  type Finding,
  look as lookAt,
  nodeInWords,
} from '../../operators/system-checks.ts';
import { createMetrics } from '../../platform/metrics.ts';
import { serverVersion } from '../../platform/migrate.ts';
import { command, flag } from '../command.ts';
import { printAnswer, table } from '../output.ts';
import { endInFailure, terminal } from '../terminal.ts';
import { operatorSession } from './operator-session.ts';

/** Checks everything that a start needs and reports all problems, instead of failing on the first one. */
export const doctorCommand = command('doctor', {
  options: { engines: flag('also make real calls to each engine and tell what it can do') },
  summary: 'Check settings, data directory, database, schema, secret and engines. Exit code 1 when something is wrong.',
  examples: ['doctor', 'doctor --engines'],
  async run(args) {
    const findings: Finding[] = [];
    const look = async (check: string, find: () => Promise<string>) => findings.push(await lookAt(check, find));
    await look('node', async () => nodeInWords());
    await look('settings', async () => {
      loadConfig(terminal().env);
      return 'valid';
    });
    await look('data directory', () => checkDataDirectory(loadConfig(terminal().env).dataDir));
    await look('database', database);
    await look('engines', async () => checkCatalog(await openEngines(loadConfig(terminal().env), createMetrics())));
    findings.push(...(await memories()));
    if (args.flags.engines) {
      const configs = await Promise.try(() => engineChoice(loadConfig(terminal().env), 'needed').engines).catch(
        () => [],
      );
      for (const { engine, lines } of await examineEngines(configs))
        for (const { trait, ok, finding } of lines)
          findings.push({ check: trait === 'answers' ? `engine ${engine}` : `engine ${engine} ${trait}`, ok, finding });
    }
    const ok = findings.every((finding) => finding.ok);
    const rows = findings.map((each) => [each.check, each.ok ? 'ok' : 'WRONG', each.finding]);
    printAnswer(args, { ok, findings }, table(['CHECK', 'RESULT', 'FINDING'], rows));
    if (!ok) endInFailure();
  },
});

async function database(): Promise<string> {
  await using session = await operatorSession();
  const { config, db } = session;
  const [version, { accounts, liveKeys }] = [await serverVersion(db), await countAccounts(db)];
  const kind = config.databaseUrl ? 'external' : 'embedded';
  return `PostgreSQL ${version} (${kind}), schema up to date, secret matches, ${accounts} accounts, ${liveKeys} live keys`;
}

/** What workers have learned about the engines of these settings. A database or settings that are wrong are told elsewhere. */
async function memories(): Promise<Finding[]> {
  try {
    await using session = await operatorSession();
    const catalog = await openEngines(session.config, createMetrics(), { keys: 'elsewhere' });
    const known = await readEngineMemories(session.db, catalog);
    catalog.close();
    return known.map(({ engine, words, learnedAt }) => ({
      check: `learned of ${engine}`,
      ok: true,
      finding: `${words.join('; ')} (since ${learnedAt.toISOString().slice(0, 16).replace('T', ' ')}, for a day)`,
    }));
  } catch {
    return [];
  }
}
