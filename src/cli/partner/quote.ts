/** What a run will cost, shown and confirmed before anything is paid for. */
import { stat } from 'node:fs/promises';
import { createInterface } from 'node:readline/promises';
import type { Task, Toledo } from '../../../client/src/index.ts';
import { type CommandArguments, UsageError } from '../command.ts';
import { number } from './partner-command.ts';

export interface Quote {
  characters: number;
  credits: number;
  balance_credits: number;
}

/** Free: a token_estimate counts the source the way a paid run will. Its first answer has the count already. */
export async function quote(
  toledo: Toledo,
  path: string,
  charLimit: number | undefined,
  targetLang: string,
): Promise<Quote> {
  const [estimate, usage] = await Promise.all([createEstimate(toledo, path, charLimit, targetLang), toledo.usage()]);
  const credits = estimate.estimated_credits ?? estimate.char_count;
  return { characters: estimate.char_count, credits, balance_credits: usage.balance_credits };
}

export async function createEstimate(
  toledo: Toledo,
  path: string,
  charLimit: number | undefined,
  targetLang?: string,
): Promise<Task> {
  const target = targetLang === undefined ? {} : { target_lang: targetLang };
  return await toledo.createTask({
    action: 'token_estimate',
    file: path,
    ...target,
    ...(await sizing(path, charLimit)),
  });
}

/** Free actions reserve nothing, so for them the size in bytes is guess enough. */
export async function sizing(path: string, charLimit: number | undefined) {
  if (charLimit !== undefined) return { char_limit: charLimit };
  return { estimated_chars: Math.max(1, (await stat(path)).size) };
}

/** @throws UsageError when the command would have to ask but there is no terminal */
export function mayAsk(args: CommandArguments): void {
  if (args.options.yes !== true && (args.json || !process.stdin.isTTY || !process.stderr.isTTY))
    throw new UsageError('This costs credits and there is nobody to ask: agree with --yes.');
}

/**
 * Shows the quote and asks. False when the answer is no.
 * @throws Error when the balance does not suffice
 */
export async function agree(args: CommandArguments, { characters, credits, balance_credits }: Quote): Promise<boolean> {
  if (credits > balance_credits) {
    throw new Error(
      `This takes ${number(credits)} credits and the balance is ${number(balance_credits)}; top up, or take a part with --char-limit (PAYMENT_REQUIRED).`,
    );
  }
  if (!args.json) {
    process.stderr.write(`Characters   ${number(characters)}\n`);
    process.stderr.write(`Price        ${number(credits)} credits, of ${number(balance_credits)} in the balance\n`);
  }
  if (args.options.yes === true) return true;
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await terminal.question('Go ahead? [y/N] ');
    return /^(y|yes)$/i.test(answer.trim());
  } finally {
    terminal.close();
  }
}
