/** The commands for partners alone: what the package of the command line contains. */
import { runCommand } from '../run-command.ts';
import { analysisCommands } from './analysis-commands.ts';
import { partnerSeriesCommands } from './series-commands.ts';
import { partnerTaskCommands, usageCommand } from './task-commands.ts';
import { translateCommand } from './translate-command.ts';
import { partnerWebhookCommands } from './webhook-commands.ts';

const commands = [
  translateCommand,
  ...analysisCommands,
  usageCommand,
  ...partnerTaskCommands,
  ...partnerSeriesCommands,
  ...partnerWebhookCommands,
];

process.exitCode = await runCommand(commands, process.argv.slice(2));
