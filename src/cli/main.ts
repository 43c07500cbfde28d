import { loadCommands } from './command-groups.ts';
import { runCommand } from './run-command.ts';

const argv = process.argv.slice(2);
process.exitCode = await runCommand(await loadCommands(argv[0]), argv);
