import { commands, flag } from '../command.ts';

const work = () => import('./backup-work.ts');

export const backupCommands = commands({
  'backup DIR': {
    summary: 'Copy database, files and secret into the new folder DIR, beside the running service.',
    examples: ['backup /backups/2026-11-18'],
    run: async (args) => (await work()).backup(args, 'Backup'),
  },
  'restore DIR': {
    options: { check: flag('only prove that the backup is whole') },
    summary: 'Fill the empty data directory from the backup in DIR.',
    examples: ['restore /backups/2026-11-18 --check', 'restore /backups/2026-11-18'],
    run: async (args) => (await work()).restore(args),
  },
  'export DIR': {
    summary: 'Before a move, the same as backup: "npx toledo import" loads DIR into another database and storage.',
    examples: ['export /backups/move'],
    run: async (args) => (await work()).backup(args, 'Export'),
  },
  'import DIR': {
    summary: 'Load the export or backup in DIR into the empty database and storage that the settings name.',
    examples: ['import /backups/move'],
    run: async (args) => (await work()).importInto(args),
  },
});
