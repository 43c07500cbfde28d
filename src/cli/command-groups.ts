/** Where the commands are. Only what a typed word needs is loaded: all commands take 0.6 s of CPU, a partner's 0.05 s. */
import type { Command } from './command.ts';

export interface CommandGroup {
  /** First words of its commands. */
  words: readonly string[];
  load: () => Promise<readonly Command[]>;
}

/** In the order of the help text. */
export const commandGroups: readonly CommandGroup[] = [
  { words: ['serve'], load: async () => [(await import('./serve-command.ts')).serveCommand] },
  { words: ['account', 'key'], load: async () => (await import('./operator/account-commands.ts')).accountCommands },
  { words: ['task'], load: async () => (await import('./operator/task-commands.ts')).taskCommands },
  {
    words: ['backup', 'restore', 'export', 'import'],
    load: async () => (await import('./operator/backup-commands.ts')).backupCommands,
  },
  { words: ['audit'], load: async () => (await import('./operator/audit-commands.ts')).auditCommands },
  { words: ['engine'], load: async () => (await import('./operator/engine-commands.ts')).engineCommands },
  { words: ['evaluate'], load: async () => [(await import('./operator/evaluate-command.ts')).evaluateCommand] },
  { words: ['usage'], load: async () => (await import('./operator/usage-commands.ts')).usageCommands },
  { words: ['console'], load: async () => (await import('./operator/console-commands.ts')).consoleCommands },
  { words: ['doctor'], load: async () => [(await import('./operator/doctor.ts')).doctorCommand] },
  { words: ['translate'], load: async () => [(await import('./partner/translate-command.ts')).translateCommand] },
  {
    words: ['estimate', 'inspect', 'glossary'],
    load: async () => (await import('./partner/analysis-commands.ts')).analysisCommands,
  },
  {
    words: ['tasks', 'cancel', 'download', 'read'],
    load: async () => (await import('./partner/task-commands.ts')).partnerTaskCommands,
  },
  {
    words: ['series'],
    load: async () => await forBoth((await import('./partner/series-commands.ts')).partnerSeriesCommands),
  },
  {
    words: ['webhook'],
    load: async () => await forBoth((await import('./partner/webhook-commands.ts')).partnerWebhookCommands),
  },
];

async function forBoth(commands: readonly Command[]): Promise<Command[]> {
  return commands.map((await import('./operator/partner-commands.ts')).forOperatorsToo);
}

/** Help lists everything, and a word that no command begins with is an error that knows them all. */
export async function loadCommands(word: string | undefined): Promise<Command[]> {
  const meant = commandGroups.filter(({ words }) => words.includes(word ?? ''));
  const loaded = await Promise.all((meant.length > 0 ? meant : commandGroups).map(({ load }) => load()));
  return loaded.flat();
}
