/** What a command is, and how usage errors are reported. */
import { parseArgs } from 'node:util';
import { isOneOf, wholeNumberOf } from '../written-values.ts';

export interface CommandOption {
  type: 'string' | 'boolean';
  /** What stands behind it, such as `N` or `FILE`. */
  value?: string;
  /** What it does, in one line. */
  about: string;
  /** Told once for all commands that have it. */
  isCommon?: true;
}

export type CommandOptions = Record<string, CommandOption>;

export interface Command {
  /** As usage shows it, such as `engine test [ENGINE]`. */
  typed: string;
  /** Its words, such as `engine test`. */
  name: string;
  options: CommandOptions;
  summary: string;
  /** As typed behind the name of the program. */
  examples: readonly string[];
  run(args: CommandArguments): Promise<void>;
}

/** What a command is besides its words. */
export type CommandEntry<Run = Command['run']> = Pick<Command, 'summary' | 'examples'> & {
  options?: CommandOptions;
  run: Run;
};

export interface CommandArguments {
  positionals: string[];
  /** Values of options. */
  options: Record<string, string | undefined>;
  /** Options without a value that were given. */
  flags: Record<string, boolean | undefined>;
  json: boolean;
}

export function command(typed: string, entry: CommandEntry): Command {
  return { options: {}, ...entry, typed, name: typed.replace(/ \[?[A-Z].*$/, '') };
}

/** @param table what a command is, by how it is typed */
export function commands(table: Record<string, CommandEntry>): Command[] {
  return Object.entries(table).map(([typed, entry]) => command(typed, entry));
}

/** An option with a value behind it. */
export function option(value: string, about: string): CommandOption {
  return { type: 'string', value, about };
}

export function flag(about: string): CommandOption {
  return { type: 'boolean', about };
}

/** A usage error: one sentence, exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export function parseCommand(command: Command, argv: string[]): CommandArguments {
  let parsed: { values: Record<string, string | boolean | undefined | (string | boolean)[]>; positionals: string[] };
  try {
    parsed = parseArgs({
      args: argv,
      options: { ...command.options, ...everyCommand },
      allowPositionals: true,
      strict: true,
    });
  } catch (error) {
    // Node's messages run to several sentences; the first one names the option.
    throw new UsageError(
      `${(error as Error).message.split(/\. |\n/)[0]?.replace(/\.$/, '')}. Usage: ${usage(command)}`,
    );
  }
  const positionals = command.typed.slice(command.name.length).split(' ').slice(1);
  const given = parsed.positionals.length;
  const missing = positionals[given];
  if (missing !== undefined && !missing.startsWith('['))
    throw new UsageError(`${missing} is missing. Usage: ${usage(command)}`);
  if (given > positionals.length)
    throw new UsageError(
      `"${parsed.positionals[positionals.length]}" is one argument too many. Usage: ${usage(command)}`,
    );
  const options: CommandArguments['options'] = {};
  const flags: CommandArguments['flags'] = {};
  for (const [name, value] of Object.entries(parsed.values)) {
    if (typeof value === 'string') options[name] = value;
    else flags[name] = true;
  }
  return { positionals: parsed.positionals, options, flags, json: flags.json === true };
}

/** How the program is called where it is not installed for the whole machine; it works there, too. */
export const program = 'npx toledo';

export const everyCommand: CommandOptions = {
  json: { type: 'boolean', about: 'print one JSON document and nothing else', isCommon: true },
};

export function usage({ typed, options }: Command): string {
  return [program, typed, ...(Object.keys(options).length > 0 ? ['[options]'] : [])].join(' ');
}

/** @throws UsageError */
export function wholeNumber(value: string, name: string): number {
  const number = wholeNumberOf(value);
  if (number === undefined) throw new UsageError(`${name} must be a whole number, not "${value}".`);
  return number;
}

/** @throws UsageError with an example of what is missing */
export function requiredText(args: CommandArguments, name: string, example: string): string {
  const value = args.options[name];
  if (value === undefined) throw new UsageError(`--${name} is missing, such as --${name} ${example}.`);
  return value;
}

/** @throws UsageError */
export function oneOf<const T extends string>(
  value: string | undefined,
  name: string,
  allowed: readonly T[],
): T | undefined {
  if (value === undefined || isOneOf(value, allowed)) return value;
  throw new UsageError(`--${name} is one of ${allowed.join(', ')}, not "${value}".`);
}

/** The option of a list; `listLimit` reads it. */
export const limitOption: CommandOptions = { limit: option('N', 'at most so many, 20 by default') };

/** @throws UsageError */
export function listLimit(args: CommandArguments): number {
  const limit = wholeNumber(args.options.limit ?? '20', '--limit');
  if (limit < 1 || limit > 1000) throw new UsageError('--limit is a number from 1 to 1000.');
  return limit;
}
