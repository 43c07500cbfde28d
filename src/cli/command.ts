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

export interface Command {
  /** As typed, such as `account create`. */
  name: string;
  /** Positional arguments, in order; a trailing `?` marks an optional one. */
  positionals: readonly string[];
  options: Record<string, CommandOption>;
  summary: string;
  /** As typed behind the name of the program. */
  examples: readonly string[];
  run(args: CommandArguments): Promise<void>;
}

export interface CommandArguments {
  positionals: string[];
  options: Record<string, string | boolean | undefined>;
  json: boolean;
}

/** A usage error: one sentence, exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export function parseCommand(command: Command, argv: string[]): CommandArguments {
  let parsed: { values: Record<string, unknown>; positionals: string[] };
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
  const required = command.positionals.filter((name) => !name.endsWith('?'));
  if (parsed.positionals.length < required.length)
    throw new UsageError(`${required[parsed.positionals.length]} is missing. Usage: ${usage(command)}`);
  if (parsed.positionals.length > command.positionals.length) {
    throw new UsageError(
      `"${parsed.positionals[command.positionals.length]}" is one argument too many. Usage: ${usage(command)}`,
    );
  }
  const options = parsed.values as CommandArguments['options'];
  return { positionals: parsed.positionals, options, json: options.json === true };
}

/** How the program is called where it is not installed for the whole machine; it works there, too. */
export const program = 'npx toledo';

export const everyCommand: Command['options'] = {
  json: { type: 'boolean', about: 'print one JSON document and nothing else', isCommon: true },
};

export function usage({ name, positionals, options }: Command): string {
  return [
    program,
    name,
    ...positionals.map(shownPositional),
    ...(Object.keys(options).length > 0 ? ['[options]'] : []),
  ].join(' ');
}

/** As usage shows it. */
export function shownPositional(name: string): string {
  return name.endsWith('?') ? `[${name.slice(0, -1)}]` : name;
}

/** @throws UsageError */
export function wholeNumber(value: string, name: string): number {
  const number = wholeNumberOf(value);
  if (number === undefined) throw new UsageError(`${name} must be a whole number, not "${value}".`);
  return number;
}

export function optionalText(args: CommandArguments, name: string): string | undefined {
  const value = args.options[name];
  return typeof value === 'string' ? value : undefined;
}

/** @throws UsageError with an example of what is missing */
export function requiredText(args: CommandArguments, name: string, example: string): string {
  const value = optionalText(args, name);
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
export const limitOption: Command['options'] = {
  limit: { type: 'string', value: 'N', about: 'at most so many, 20 by default' },
};

/** @throws UsageError */
export function listLimit(args: CommandArguments): number {
  const limit = wholeNumber(optionalText(args, 'limit') ?? '20', '--limit');
  if (limit < 1 || limit > 1000) throw new UsageError('--limit is a number from 1 to 1000.');
  return limit;
}
