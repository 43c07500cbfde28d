/** What a command is, and how usage errors are reported. */
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';

export interface Command {
  /** As typed, such as `account create`. */
  name: string;
  /** Positional arguments, in order; a trailing `?` marks an optional one. */
  positionals: readonly string[];
  options: ParseArgsOptionsConfig;
  summary: string;
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
      options: { ...command.options, json: { type: 'boolean' } },
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

export function usage(command: Command): string {
  const positionals = command.positionals.map((name) => (name.endsWith('?') ? `[${name.slice(0, -1)}]` : name));
  const options = Object.entries(command.options).map(([name, option]) =>
    option.type === 'boolean' ? `[--${name}]` : `[--${name} ${name.toUpperCase().replaceAll('-', '_')}]`,
  );
  return ['toledo', command.name, ...positionals, ...options, '[--json]'].join(' ');
}

/** Digits only, so that `1e6` or `10_000` is an error and not a surprise. */
export function wholeNumber(value: string, name: string): number {
  if (!/^\d{1,15}$/.test(value)) throw new UsageError(`${name} must be a whole number, not "${value}".`);
  return Number(value);
}

export function optionalText(args: CommandArguments, name: string): string | undefined {
  const value = args.options[name];
  return typeof value === 'string' ? value : undefined;
}
