import type { Command } from './command.ts';
import { accountCommands } from './operator/account-commands.ts';
import { auditCommands } from './operator/audit-commands.ts';
import { backupCommands } from './operator/backup-commands.ts';
import { consoleCommands } from './operator/console-commands.ts';
import { doctorCommand } from './operator/doctor.ts';
import { engineCommands } from './operator/engine-commands.ts';
import { keyCommands } from './operator/key-commands.ts';
import { taskCommands } from './operator/task-commands.ts';
import { usageCommands } from './operator/usage-commands.ts';
import { forOperatorsToo } from './operator/webhook-commands.ts';
import { analysisCommands } from './partner/analysis-commands.ts';
import { partnerTaskCommands } from './partner/task-commands.ts';
import { translateCommand } from './partner/translate-command.ts';
import { partnerWebhookCommands } from './partner/webhook-commands.ts';
import { runCommand } from './run-command.ts';
import { serveCommand } from './serve-command.ts';

const commands: Command[] = [
  serveCommand,
  ...accountCommands,
  ...keyCommands,
  ...taskCommands,
  ...backupCommands,
  ...auditCommands,
  ...engineCommands,
  ...usageCommands,
  ...consoleCommands,
  doctorCommand,
  translateCommand,
  ...analysisCommands,
  ...partnerTaskCommands,
  ...partnerWebhookCommands.map(forOperatorsToo),
];

process.exitCode = await runCommand(commands, process.argv.slice(2));
