/** Shared by the partner commands: the client, and how its errors are reported. */
import { access, readFile } from 'node:fs/promises';
import { ApiError, type Glossary, Toledo, ToledoError } from '../../../client/src/index.ts';
import { partnerSettings } from '../../config.ts';
import { type Command, type CommandArguments, optionalText, UsageError, wholeNumber } from '../command.ts';
import { terminal } from '../terminal.ts';

const connectionOptions: Command['options'] = {
  'base-url': { type: 'string', value: 'URL', about: 'address of the API; otherwise TOLEDO_BASE_URL', isCommon: true },
  'api-key': { type: 'string', value: 'KEY', about: 'your key; otherwise TOLEDO_API_KEY', isCommon: true },
};

type PartnerRun = (args: CommandArguments, toledo: Toledo) => Promise<void>;

/** A command that calls the service and reports a refusal in one sentence. */
export function partnerCommand(command: Omit<Command, 'run'> & { run: PartnerRun }): Command {
  return {
    ...command,
    options: { ...command.options, ...connectionOptions },
    async run(args) {
      try {
        await command.run(args, connect(args));
      } catch (error) {
        throw told(error);
      }
    },
  };
}

function connect(args: CommandArguments): Toledo {
  const settings = partnerSettings(terminal().env);
  const apiKey = optionalText(args, 'api-key') ?? settings.apiKey;
  if (apiKey === undefined) throw new UsageError('Give your API key with --api-key or in TOLEDO_API_KEY.');
  try {
    return new Toledo({ apiKey, baseUrl: optionalText(args, 'base-url') ?? settings.baseUrl });
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
export const charLimitOption: Command['options'] = {
  'char-limit': { type: 'string', value: 'N', about: 'only the first N characters' },
};

export function optionalCount(args: CommandArguments, name: string): number | undefined {
  const value = optionalText(args, name);
  if (value === undefined) return undefined;
  const count = wholeNumber(value, `--${name}`);
  if (count < 1) throw new UsageError(`--${name} must be at least 1.`);
  return count;
}

/** @throws UsageError */
export async function readGlossary(path: string | undefined): Promise<Glossary | undefined> {
  if (path === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(await readFile(await readableFile(path), 'utf8'));
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Glossary;
  } catch (error) {
    if (error instanceof UsageError) throw error;
  }
  throw new UsageError(`The glossary "${path}" is not a JSON object of source terms and translations.`);
}

/** @throws UsageError */
export async function readContext(path: string | undefined): Promise<string | undefined> {
  return path === undefined ? undefined : await readFile(await readableFile(path), 'utf8');
}

export function number(value: number): string {
  return value.toLocaleString('en');
}
