import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { type CheckedBackup, checkBackup } from '../../backup/check-backup.ts';
import { type BackupTarget, type LoadedBackup, loadBackup } from '../../backup/load-backup.ts';
import { BackupFault, type Manifest } from '../../backup/manifest.ts';
import { restoreBackup } from '../../backup/restore-backup.ts';
import { takeBackup } from '../../backup/take-backup.ts';
import { type Config, loadConfig } from '../../config.ts';
import { noteBackup } from '../../operators/system-checks.ts';
import { borrowDatabaseServer } from '../../platform/database-server.ts';
import { createLog, type Log } from '../../platform/log.ts';
import { openDatabase } from '../../platform/postgres.ts';
import { deriveSecrets, readSecretFile, writeSecretFile } from '../../platform/secrets.ts';
import { openStorage } from '../../platform/storage/open-storage.ts';
import { type CommandArguments, commands, flag } from '../command.ts';
import { printAnswer } from '../output.ts';
import { terminal } from '../terminal.ts';

export const backupCommands = commands({
  'backup DIR': {
    summary: 'Copy database, files and secret into the new folder DIR, beside the running service.',
    examples: ['backup /backups/2026-11-18'],
    run: (args) => backup(args, 'Backup'),
  },
  'restore DIR': {
    options: { check: flag('only prove that the backup is whole') },
    summary: 'Fill the empty data directory from the backup in DIR.',
    examples: ['restore /backups/2026-11-18 --check', 'restore /backups/2026-11-18'],
    run: restore,
  },
  'export DIR': {
    summary: 'Before a move, the same as backup: "npx toledo import" loads DIR into another database and storage.',
    examples: ['export /backups/move'],
    run: (args) => backup(args, 'Export'),
  },
  'import DIR': {
    summary: 'Load the export or backup in DIR into the empty database and storage that the settings name.',
    examples: ['import /backups/move'],
    run: importInto,
  },
});

async function backup(args: CommandArguments, what: 'Backup' | 'Export'): Promise<void> {
  const [path = ''] = args.positionals;
  const config = loadConfig(terminal().env);
  await interruptible(async (signal) => {
    const started = performance.now();
    await requireInstallation(config);
    const secret = await secretInUse(config);
    const manifest = await withInstallation(config, ({ pool, storage }) =>
      takeBackup({ pool, storage, secret }, path, signal),
    );
    await noteBackup(config.dataDir, path).catch(() => {});
    const words = [`${what} in ${path}: ${inWords(manifest)}, in ${seconds(started)} s.`];
    if (!manifest.secret.included) words.push('TOLEDO_SECRET is not part of it; keep it somewhere else.');
    printAnswer(args, { path, ...summaryOf(manifest) }, words.join('\n'));
    warn(manifest);
  });
}

async function restore(args: CommandArguments): Promise<void> {
  const config = loadConfig(terminal().env);
  await interruptible(async (signal) => {
    const started = performance.now();
    const backup = await checkBackup(args.positionals[0] ?? '', signal);
    const { path, manifest } = backup;
    if (args.flags.check)
      return printAnswer(
        args,
        { ok: true, ...summaryOf(manifest) },
        `The backup in ${path} is whole: ${inWords(manifest)}.`,
      );
    if (config.databaseUrl)
      throw new BackupFault(
        'TOLEDO_DATABASE_URL is set, and "restore" makes the embedded database; use "npx toledo import" for your own.',
      );
    if (config.storage !== 'file')
      throw new BackupFault(
        'TOLEDO_STORAGE is not "file", and "restore" puts files into the data directory; use "npx toledo import".',
      );
    requireConfiguredSecret(config, backup);
    const log = commandLog(config);
    const loaded = await restoreBackup(backup, { dataDir: config.dataDir, log, signal });
    tellLoaded(args, `Restored into ${config.dataDir}`, backup, loaded, started);
  });
}

async function importInto(args: CommandArguments): Promise<void> {
  const config = loadConfig(terminal().env);
  await interruptible(async (signal) => {
    const started = performance.now();
    const backup = await checkBackup(args.positionals[0] ?? '', signal);
    const newSecret = await secretToInstall(config, backup);
    const loaded = await withInstallation(config, (installation) => loadBackup(installation, backup, signal));
    if (newSecret !== undefined) await writeSecretFile(config.dataDir, newSecret);
    tellLoaded(args, 'Imported', backup, loaded, started);
  });
}

/** Opens what the settings name, without migrating the schema: a backup comes before an update. */
async function withInstallation<T>(config: Config, use: (installation: BackupTarget) => Promise<T>): Promise<T> {
  const log = commandLog(config);
  await using opened = new AsyncDisposableStack();
  const server = await borrowDatabaseServer(config, log);
  opened.defer(() => server.stop());
  const { url } = server;
  const { pool, close } = openDatabase({
    url,
    poolSize: 3,
    log,
    applicationName: 'toledo backup',
    statementTimeoutMs: 0,
  });
  opened.defer(close);
  const storage = await openStorage(config);
  opened.defer(() => storage.close());
  return await use({ pool, databaseUrl: url, storage, log });
}

/** Other commands create an embedded database where there is none; a backup of that would be empty. */
async function requireInstallation(config: Config): Promise<void> {
  if (config.databaseUrl) return;
  const cluster = join(config.dataDir, 'postgres', 'cluster');
  const hasCluster = await access(cluster).then(
    () => true,
    (error) => error.code !== 'ENOENT',
  );
  if (!hasCluster) throw new BackupFault(`There is nothing to back up: ${config.dataDir} has no database.`);
}

async function secretInUse(config: Config): Promise<{ value: string; configured: boolean }> {
  if (config.secret) return { value: config.secret.reveal(), configured: true };
  const value = await readSecretFile(config.dataDir);
  if (value === undefined)
    throw new BackupFault(
      `${config.dataDir} holds no secret and TOLEDO_SECRET is not set; use the service's settings.`,
    );
  return { value, configured: false };
}

function requireConfiguredSecret(config: Config, { manifest, path }: CheckedBackup): void {
  if (config.secret && deriveSecrets(config.secret.reveal()).fingerprint !== manifest.secret.fingerprint)
    throw new BackupFault(
      manifest.secret.included
        ? `TOLEDO_SECRET is not the secret of the backup; unset it, or set it to the content of ${join(path, 'secret')}.`
        : 'TOLEDO_SECRET is not the secret that the backup was made with; set it to that one.',
    );
  if (!config.secret && !manifest.secret.included)
    throw new BackupFault(
      'The backup was made with TOLEDO_SECRET set, which it does not hold; set it to the same value.',
    );
}

/** The backup's own, when this machine has none yet; undefined when the right one is in place. */
async function secretToInstall(config: Config, backup: CheckedBackup): Promise<string | undefined> {
  const present = config.secret ? undefined : await readSecretFile(config.dataDir);
  if (present === undefined) {
    requireConfiguredSecret(config, backup);
    return config.secret ? undefined : backup.secret;
  }
  if (deriveSecrets(present).fingerprint !== backup.manifest.secret.fingerprint)
    throw new BackupFault(
      `${config.dataDir} holds another secret than the backup; set TOLEDO_SECRET to the backup's, or use an empty data directory.`,
    );
  return undefined;
}

function summaryOf(manifest: Manifest) {
  const { tables, schema, ...rest } = manifest;
  return {
    ...rest,
    schema: schema.at(-1),
    rows: tables.reduce((sum, table) => sum + table.rows, 0),
  };
}

function inWords({ tasks, files, taken_at }: Manifest): string {
  const megabytes = (files.size_bytes / 1e6).toLocaleString('en', { maximumFractionDigits: 1 });
  return `${tasks.total.toLocaleString('en')} tasks (${tasks.unfinished} unfinished) as of ${taken_at}, ${files.count.toLocaleString('en')} files of ${megabytes} MB`;
}

function tellLoaded(
  args: CommandArguments,
  done: string,
  { manifest }: CheckedBackup,
  loaded: LoadedBackup | undefined,
  started: number,
): void {
  const words = [`${done}: ${inWords(manifest)}, in ${seconds(started)} s.`];
  if (loaded)
    words.push(
      `Compared: ${loaded.rows.toLocaleString('en')} rows and ${loaded.files.toLocaleString('en')} files by checksum; audit.sql found ${loaded.auditFaults} faults. ${loaded.requeued} unfinished tasks go on at the next start.`,
    );
  const compared = loaded && { rows: loaded.rows, requeued: loaded.requeued };
  printAnswer(args, { ...summaryOf(manifest), ...compared }, words.join('\n'));
  warn(manifest);
}

/** On standard error, so that it is visible with `--json` too. */
function warn({ lost_files, audit_faults }: Manifest): void {
  const [first] = lost_files;
  if (first)
    terminal().stderr.write(
      `toledo: ${lost_files.length} files were missing or damaged in the installation itself, such as ${first.key} (${first.reason}); manifest.json names them all.\n`,
    );
  if (audit_faults)
    terminal().stderr.write(`toledo: the books had ${audit_faults} faults when the backup was taken; run audit.sql.\n`);
}

/** Ctrl-C and SIGTERM end the work cleanly: nothing half-made is left behind. */
async function interruptible(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const controller = new AbortController();
  const stop = (signal: string) => controller.abort(new BackupFault(`Interrupted by ${signal}; nothing was changed.`));
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  try {
    await work(controller.signal);
  } catch (error) {
    throw controller.signal.aborted ? controller.signal.reason : error;
  } finally {
    process.off('SIGINT', stop);
    process.off('SIGTERM', stop);
  }
}

function commandLog(config: Config): Log {
  return createLog(config.logLevel === 'debug' ? 'debug' : 'silent');
}

function seconds(started: number): string {
  return ((performance.now() - started) / 1000).toFixed(1);
}
