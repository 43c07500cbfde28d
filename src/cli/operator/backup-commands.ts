import type { Command } from '../command.ts';

const work = () => import('./backup-work.ts');

const backupCommand: Command = {
  name: 'backup',
  positionals: ['DIR'],
  options: {},
  summary: 'Copy database, files and secret into the new folder DIR, beside the running service.',
  async run({ positionals: [path = ''], json }) {
    await (await work()).backup(path, json, 'Backup');
  },
};

const restoreCommand: Command = {
  name: 'restore',
  positionals: ['DIR'],
  options: { check: { type: 'boolean' } },
  summary: 'Fill the empty data directory from the backup in DIR. --check only proves that the backup is whole.',
  async run({ positionals: [path = ''], options, json }) {
    await (await work()).restore(path, { json, onlyCheck: options.check === true });
  },
};

const exportCommand: Command = {
  name: 'export',
  positionals: ['DIR'],
  options: {},
  summary: 'Before a move, the same as backup: "toledo import" loads DIR into another database and storage.',
  async run({ positionals: [path = ''], json }) {
    await (await work()).backup(path, json, 'Export');
  },
};

const importCommand: Command = {
  name: 'import',
  positionals: ['DIR'],
  options: {},
  summary: 'Load the export or backup in DIR into the empty database and storage that the settings name.',
  async run({ positionals: [path = ''], json }) {
    await (await work()).importInto(path, json);
  },
};

export const backupCommands: Command[] = [backupCommand, restoreCommand, exportCommand, importCommand];
