/** From the words on the command line to the command that does them. */
import { readEnvFile } from '../config.ts';
import { softwareVersion } from '../platform/software-version.ts';
import { type Command, parseCommand, program, UsageError } from './command.ts';
import { helpOf, helpOfAll } from './help.ts';
import { printLine } from './output.ts';
import { onTerminal, type Terminal, terminal } from './terminal.ts';

/** Returns the exit code. @param given where it reads and writes, instead of the process */
export async function runCommand(commands: readonly Command[], argv: string[], given?: Terminal): Promise<number> {
  return await onTerminal(given, () => runOnTerminal(commands, argv));
}

async function runOnTerminal(commands: readonly Command[], argv: string[]): Promise<number> {
  try {
    const isHelp = ['help', '--help', '-h'].includes(argv[0] ?? 'help');
    if (isHelp && argv.length <= 1) {
      printLine(helpOfAll(commands));
      return argv.length === 0 ? 2 : 0;
    }
    if (argv[0] === '--version' || argv[0] === '-v') {
      printLine(softwareVersion());
      return 0;
    }
    const group = isHelp ? commands.filter(({ name }) => name.startsWith(`${argv.slice(1).join(' ')} `)) : [];
    if (group.length > 0 && !commands.some(({ name }) => name === argv[1])) {
      printLine(helpOfAll(group));
      return 0;
    }
    const { command, rest } = findCommand(commands, isHelp ? argv.slice(1) : argv);
    if (isHelp || rest.includes('--help') || rest.includes('-h')) {
      printLine(helpOf(command));
      return 0;
    }
    const parsed = parseCommand(command, rest);
    readEnvFile(terminal().env);
    await command.run(parsed);
    return 0;
  } catch (error) {
    return reportError(error);
  }
}

function findCommand(commands: readonly Command[], argv: string[]): { command: Command; rest: string[] } {
  for (const words of [2, 1]) {
    const command = commands.find((candidate) => candidate.name === argv.slice(0, words).join(' '));
    if (command) return { command, rest: argv.slice(words) };
  }
  const group = commands
    .filter((candidate) => candidate.name.startsWith(`${argv[0]} `))
    .map((candidate) => candidate.name);
  if (group.length > 0)
    throw new UsageError(`"${argv.slice(0, 2).join(' ')}" is not a command; there are ${group.join(', ')}.`);
  throw new UsageError(`"${argv[0]}" is not a command; see "${program} help".`);
}

/** One clear sentence on standard error; exit code 2 for a mistyped command, 1 for everything else. */
export function reportError(error: unknown): number {
  if (error instanceof UsageError) {
    terminal().stderr.write(`toledo: ${error.message}\n`);
    return 2;
  }
  terminal().stderr.write(`toledo: ${inWords(error)}\n`);
  return 1;
}

/** The system's bare codes say nothing to somebody who has just typed a command. */
function inWords(error: unknown): string {
  const { code, port, address, syscall } = (error ?? {}) as NodeJS.ErrnoException & { port?: number; address?: string };
  if (code === 'EADDRINUSE')
    return `port ${port} of ${address} is in use: another Toledo or another program listens there. Stop it, or set TOLEDO_PORT.`;
  if (code === 'EACCES' && syscall === 'listen')
    return `port ${port} needs special rights; set TOLEDO_PORT to one above 1023.`;
  if (code === 'ECONNREFUSED')
    return `nothing answers at ${address ?? 'the address'}${port === undefined ? '' : `:${port}`}. Is it running, and is the address right (TOLEDO_DATABASE_URL, --base-url)?`;
  const message = error instanceof Error ? error.message : String(error);
  return message === '' && code !== undefined ? `the system says ${code}` : message;
}
