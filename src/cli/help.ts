/** What `help` prints: all commands with a line each, or one of them with its options and examples. */
import { type Command, type CommandOption, everyCommand, program, usage } from './command.ts';

export function helpOfAll(commands: readonly Command[]): string {
  return [
    'toledo — translation of long-form novels',
    '',
    ...table(commands.map(({ typed, summary }) => [typed, summary])),
    '',
    'Common options:',
    ...optionLines(commonOptions(commands)),
    '',
    `"${program} help COMMAND" tells the options of one command and shows examples.`,
    'Settings come from the environment and from .env in the working directory; see .env.example.',
  ].join('\n');
}

export function helpOf(command: Command): string {
  const options = Object.entries(command.options).filter(([, { isCommon }]) => isCommon !== true);
  return [
    usage(command),
    command.summary,
    ...(options.length > 0 ? ['', 'Options:', ...optionLines(options)] : []),
    '',
    'Common options:',
    ...optionLines(commonOptions([command])),
    '',
    'Examples:',
    ...command.examples.map((example) => `  ${program} ${example}`),
  ].join('\n');
}

type NamedOption = [name: string, option: CommandOption];

function commonOptions(commands: readonly Command[]): NamedOption[] {
  const all = [everyCommand, ...commands.map(({ options }) => options)].flatMap((options) => Object.entries(options));
  return [...new Map(all.filter(([, { isCommon }]) => isCommon === true))];
}

function optionLines(options: readonly NamedOption[]): string[] {
  return table(
    options.map(([name, { value, about }]) => [`--${name}${value === undefined ? '' : ` ${value}`}`, about]),
  );
}

/** One line each: what it is called, then what it is. */
function table(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, text]) => `  ${name.padEnd(width)}  ${text}`);
}
