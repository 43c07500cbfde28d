/** What a run will cost, shown and confirmed before anything is paid for. */
import { stat } from 'node:fs/promises';
import { createInterface } from 'node:readline/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CreateTaskParameters, Task, Toledo } from '../../../client/src/index.ts';
import { type CommandArguments, UsageError } from '../command.ts';
import { terminal } from '../terminal.ts';
import { number } from './partner-command.ts';

/** What most estimates take. Asked at once, the service would answer to ask again in two seconds. */
const estimateMs = 500;

export interface Quote {
  characters: number;
  credits: number;
  balance_credits: number;
  /** The estimate in a series, whose price binds a translation of its source. */
  estimate_id?: string;
}

/** The book, and everything that decides what it costs. */
export type Priced = Pick<
  CreateTaskParameters,
  | ('source_task_id' | 'target_lang' | 'source_lang' | 'series_id' | 'glossary' | 'glossary_strategy' | 'char_limit')
  | ('style' | 'context')
> & { file?: string };

/** Free: a token_estimate counts the source the way a paid run will. Outside of series its first answer has the count already. */
export async function quote(toledo: Toledo, priced: Priced): Promise<Quote> {
  const [created, usage] = await Promise.all([createEstimate(toledo, priced), toledo.usage()]);
  const { balance_credits } = usage;
  if (priced.series_id === undefined) {
    const credits = created.estimated_credits ?? created.char_count;
    return { characters: created.char_count, credits, balance_credits };
  }
  await sleep(estimateMs);
  const { task_id, char_count, billable_characters } = await toledo.wait(created.task_id);
  return {
    characters: char_count,
    credits: billable_characters ?? char_count,
    balance_credits,
    estimate_id: task_id,
  };
}

export async function createEstimate(toledo: Toledo, { char_limit, ...priced }: Priced): Promise<Task> {
  const size = priced.file === undefined ? { char_limit } : await sizing(priced.file, char_limit);
  return await toledo.createTask({ action: 'token_estimate', ...priced, ...size });
}

/** Free actions reserve nothing, so for them the size in bytes is guess enough. */
export async function sizing(path: string, charLimit: number | undefined) {
  if (charLimit !== undefined) return { char_limit: charLimit };
  return { estimated_chars: Math.max(1, (await stat(path)).size) };
}

/** @throws UsageError when the command would have to ask but there is no terminal */
export function mayAsk(args: CommandArguments): void {
  if (!args.flags.yes && (args.json || !process.stdin.isTTY || !terminal().stderr.isTTY))
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
    terminal().stderr.write(`Characters   ${number(characters)}\n`);
    terminal().stderr.write(`Price        ${number(credits)} credits, of ${number(balance_credits)} in the balance\n`);
  }
  if (args.flags.yes) return true;
  const dialogue = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await dialogue.question('Go ahead? [y/N] ');
    return /^(y|yes)$/i.test(answer.trim());
  } finally {
    dialogue.close();
  }
}
