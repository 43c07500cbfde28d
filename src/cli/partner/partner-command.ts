/** Shared by the partner commands: the client, and how its errors are reported. */
import { access, readFile } from 'node:fs/promises';
import { ApiError, type Glossary, Toledo, ToledoError } from '../../../client/src/index.ts';
import { partnerSettings } from '../../config.ts';
import {
  type Command,
  type CommandArguments,
  type CommandEntry,
  type CommandOptions,
  command,
  option,
  UsageError,
  wholeNumber,
} from '../command.ts';
import { terminal } from '../terminal.ts';

const connectionOptions: CommandOptions = {
  'base-url': { ...option('URL', 'address of the API; otherwise TOLEDO_BASE_URL'), isCommon: true },
  'api-key': { ...option('KEY', 'your key; otherwise TOLEDO_API_KEY'), isCommon: true },
};

type PartnerEntry = CommandEntry<(args: CommandArguments, toledo: Toledo) => Promise<void>>;

/** A command that calls the service and reports a refusal in one sentence. */
export function partnerCommand(typed: string, entry: PartnerEntry): Command {
  return command(typed, {
    ...entry,
    options: { ...entry.options, ...connectionOptions },
    async run(args) {
      try {
        await entry.run(args, connect(args));
      } catch (error) {
        throw told(error);
      }
    },
  });
}

/** @param table what a command is, by how it is typed */
export function partnerCommands(table: Record<string, PartnerEntry>): Command[] {
  return Object.entries(table).map(([typed, entry]) => partnerCommand(typed, entry));
}

function connect({ options }: CommandArguments): Toledo {
  const settings = partnerSettings(terminal().env);
  const apiKey = options['api-key'] ?? settings.apiKey;
  if (apiKey === undefined) throw new UsageError('Give your API key with --api-key or in TOLEDO_API_KEY.');
  try {
    return new Toledo({ apiKey, baseUrl: options['base-url'] ?? settings.baseUrl });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

/** The code to match on and the request id to quote, behind the sentence. */
function told(error: unknown): unknown {
  if (!(error instanceof ToledoError)) return error;
  const cause = error.cause instanceof ToledoError ? error.cause : error;
  const request = cause instanceof ApiError && cause.requestId ? `, request ${cause.requestId}` : '';
  return new Error(`${error.message} (${cause.code}${request})`);
}

/** Checked before anything is sent. @throws UsageError when there is no such file */
export async function readableFile(path: string): Promise<string> {
  await access(path).catch(() => {
    throw new UsageError(`There is no readable file "${path}".`);
  });
  return path;
}

/** `optionalCount` reads it. */
export const charLimitOption: CommandOptions = { 'char-limit': option('N', 'only the first N characters') };

export function optionalCount(args: CommandArguments, name: string): number | undefined {
  const value = args.options[name];
  if (value === undefined) return undefined;
  const count = wholeNumber(value, `--${name}`);
  if (count < 1) throw new UsageError(`--${name} must be at least 1.`);
  return count;
}

/** @throws UsageError */
export async function readGlossary(path: string | undefined): Promise<Glossary | undefined> {
  if (path === undefined) return undefined;
  const value = fromJson(await readText(path));
  if (isObject(value) && !Array.isArray(value)) return value as Glossary;
  throw new UsageError(`The glossary "${path}" is not a JSON object of source terms and translations.`);
}

/** Tools on Windows write UTF-16. @throws UsageError when there is no such file */
export async function readText(path: string): Promise<string> {
  const bytes = await readFile(path).catch(() => {
    throw new UsageError(`There is no readable file "${path}".`);
  });
  const encoding = bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : bytes[0] === 0xfe ? 'utf-16be' : 'utf-8';
  return new TextDecoder(encoding).decode(bytes);
}

/** Undefined when it is not JSON. */
export function fromJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

export function number(value: number): string {
  return value.toLocaleString('en');
}
