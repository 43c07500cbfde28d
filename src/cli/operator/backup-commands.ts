import type { Command } from '../command.ts';

const work = () => import('./backup-work.ts');

const backupCommand: Command = {
  name: 'backup',
  positionals: ['DIR'],
  options: {},
  summary: 'Copy database, files and secret into the new folder DIR, beside the running service.',
  examples: ['backup /backups/2026-11-18'],
  async run({ positionals: [path = ''], json }) {
    await (await work()).backup(path, json, 'Backup');
  },
};

const restoreCommand: Command = {
  name: 'restore',
  positionals: ['DIR'],
  options: { check: { type: 'boolean', about: 'only prove that the backup is whole' } },
  summary: 'Fill the empty data directory from the backup in DIR.',
  examples: ['restore /backups/2026-11-18 --check', 'restore /backups/2026-11-18'],
  async run({ positionals: [path = ''], options, json }) {
    await (await work()).restore(path, { json, onlyCheck: options.check === true });
  },
};

const exportCommand: Command = {
  name: 'export',
  positionals: ['DIR'],
  options: {},
  summary: 'Before a move, the same as backup: "npx toledo import" loads DIR into another database and storage.',
  examples: ['export /backups/move'],
  async run({ positionals: [path = ''], json }) {
    await (await work()).backup(path, json, 'Export');
  },
};

const importCommand: Command = {
  name: 'import',
  positionals: ['DIR'],
  options: {},
  summary: 'Load the export or backup in DIR into the empty database and storage that the settings name.',
  examples: ['import /backups/move'],
  async run({ positionals: [path = ''], json }) {
    await (await work()).importInto(path, json);
  },
};

export const backupCommands: Command[] = [backupCommand, restoreCommand, exportCommand, importCommand];
