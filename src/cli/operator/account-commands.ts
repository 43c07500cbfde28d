import { defaultRateLimitPerMinute } from '../../accounts/account.ts';
import { findAccount, listAccounts, setSuspension, updateAccount } from '../../accounts/account-store.ts';
import { issueKey, openAccount } from '../../accounts/open-account.ts';
import { checkTopUp } from '../../credits/credits.ts';
import { addCredits, openBalance, readBalances } from '../../credits/ledger-store.ts';
import { topUp } from '../../credits/top-up.ts';
import type { Db } from '../../platform/postgres.ts';
import { type Command, type CommandArguments, optionalText, UsageError, wholeNumber } from '../command.ts';
import { printJson, printLine, printTable } from '../output.ts';
import { withOperatorSession } from './operator-session.ts';

const createCommand: Command = {
  name: 'account create',
  positionals: ['NAME'],
  options: { credits: { type: 'string' }, 'rate-limit': { type: 'string' }, period: { type: 'string' } },
  summary: 'Create a partner account with its first key. --period monthly (default) or open.',
  async run(args) {
    const name = args.positionals[0] as string;
    const credits = wholeNumber(optionalText(args, 'credits') ?? '0', '--credits');
    const rateLimitPerMinute = wholeNumber(
      optionalText(args, 'rate-limit') ?? String(defaultRateLimitPerMinute),
      '--rate-limit',
    );
    const period = optionalText(args, 'period') ?? 'monthly';
    if (period !== 'monthly' && period !== 'open')
      throw new UsageError(`--period is "monthly" or "open", not "${period}".`);
    await withOperatorSession(async ({ db, secrets }) => {
      const { account, key } = await createFundedAccount(
        db,
        { name, rateLimitPerMinute, billingPeriod: period, credits },
        secrets.keyPepper,
      );
      if (args.json) {
        return printJson({
          account_id: account.id,
          name,
          api_key: key,
          balance_credits: credits,
          rate_limit_per_minute: rateLimitPerMinute,
        });
      }
      printLine(
        `Account ${account.id} "${name}" with ${credits.toLocaleString('en')} credits, ${rateLimitPerMinute} requests a minute.`,
      );
      printLine(`API key (shown only now): ${key}`);
    });
  },
};

const listCommand: Command = {
  name: 'account list',
  positionals: [],
  options: {},
  summary: 'List the accounts with their balances.',
  async run(args) {
    await withOperatorSession(async ({ db }) => {
      const accounts = await listAccounts(db);
      const balances = await readBalances(
        db,
        accounts.map((account) => account.id),
      );
      const rows = accounts.map((account) => ({
        account_id: account.id,
        name: account.name,
        balance_credits: balances.get(account.id)?.availableCredits ?? 0,
        reserved_credits: balances.get(account.id)?.reservedCredits ?? 0,
        spent_credits: balances.get(account.id)?.spentCredits ?? 0,
        rate_limit_per_minute: account.rateLimitPerMinute,
        billing_period: account.billingPeriod,
        created_at: account.createdAt.toISOString(),
      }));
      if (args.json) return printJson(rows);
      if (rows.length === 0) return printLine('There is no account yet; "toledo account create NAME" makes one.');
      printTable(
        ['ACCOUNT', 'NAME', 'BALANCE', 'RESERVED', 'SPENT', 'PER MINUTE', 'CREATED'],
        rows.map((row) => [
          row.account_id,
          row.name,
          row.balance_credits,
          row.reserved_credits,
          row.spent_credits,
          row.rate_limit_per_minute,
          row.created_at,
        ]),
      );
    });
  },
};

const topUpCommand: Command = {
  name: 'account top-up',
  positionals: ['ACCOUNT', 'CREDITS'],
  options: { reference: { type: 'string' } },
  summary: 'Add prepaid credits. With --reference (an invoice number) repeating the command changes nothing.',
  async run(args) {
    const credits = wholeNumber(args.positionals[1] as string, 'CREDITS');
    const reference = optionalText(args, 'reference');
    await withOperatorSession(async ({ db }) => {
      const account = await findAccount(db, args.positionals[0] as string);
      const { applied, balance } = await topUp(db, account.id, credits, reference);
      if (args.json)
        return printJson({ account_id: account.id, credits, applied, balance_credits: balance.availableCredits });
      const done = applied
        ? `${credits.toLocaleString('en')} credits added to`
        : `Reference "${reference}" was booked before; nothing changed for`;
      printLine(`${done} "${account.name}". Balance: ${balance.availableCredits.toLocaleString('en')}.`);
    });
  },
};

const updateCommand: Command = {
  name: 'account update',
  positionals: ['ACCOUNT'],
  options: { 'rate-limit': { type: 'string' }, 'credit-previews': { type: 'string' } },
  summary: 'Change an account: its rate limit, and whether characters paid in a preview are credited (on or off).',
  async run(args) {
    const rateLimit = optionalText(args, 'rate-limit');
    const previews = optionalText(args, 'credit-previews');
    if (rateLimit === undefined && previews === undefined)
      throw new UsageError('Name what to change: --rate-limit or --credit-previews.');
    if (previews !== undefined && previews !== 'on' && previews !== 'off')
      throw new UsageError(`--credit-previews is "on" or "off", not "${previews}".`);
    const changes = {
      rateLimitPerMinute: rateLimit === undefined ? undefined : wholeNumber(rateLimit, '--rate-limit'),
      creditPreviews: previews === undefined ? undefined : previews === 'on',
    };
    await withOperatorSession(async ({ db }) => {
      const { id } = await findAccount(db, args.positionals[0] as string);
      const account = await updateAccount(db, id, changes);
      if (args.json) {
        return printJson({
          account_id: id,
          name: account.name,
          rate_limit_per_minute: account.rateLimitPerMinute,
          credit_previews: account.creditPreviews,
        });
      }
      printLine(
        `"${account.name}": ${account.rateLimitPerMinute} requests a minute, previews ${account.creditPreviews ? 'credited' : 'not credited'}.`,
      );
    });
  },
};

const suspendCommand: Command = {
  name: 'account suspend',
  positionals: ['ACCOUNT'],
  options: { reason: { type: 'string' } },
  summary: 'Refuse the keys of an account from the next request on (403 ACCOUNT_SUSPENDED). Running tasks finish.',
  async run(args) {
    const reason = optionalText(args, 'reason');
    if (reason === undefined) throw new UsageError('Say why: --reason "…". It is kept with the account.');
    await changeSuspension(args, { reason });
  },
};

const resumeCommand: Command = {
  name: 'account resume',
  positionals: ['ACCOUNT'],
  options: {},
  summary: 'Let the keys of a suspended account in again.',
  async run(args) {
    await changeSuspension(args, undefined);
  },
};

async function changeSuspension(args: CommandArguments, suspension: { reason: string } | undefined): Promise<void> {
  await withOperatorSession(async ({ db }) => {
    const { id } = await findAccount(db, args.positionals[0] as string);
    const account = await setSuspension(db, id, suspension);
    if (args.json) {
      return printJson({
        account_id: id,
        name: account.name,
        suspended_at: account.suspendedAt?.toISOString() ?? null,
        reason: account.suspendedReason ?? null,
      });
    }
    printLine(suspension ? `"${account.name}" is suspended.` : `"${account.name}" is no longer suspended.`);
  });
}

export const accountCommands: Command[] = [
  createCommand,
  listCommand,
  topUpCommand,
  updateCommand,
  suspendCommand,
  resumeCommand,
];

interface FundedAccount {
  name: string;
  rateLimitPerMinute: number;
  billingPeriod: 'monthly' | 'open';
  credits: number;
}

/** Account, balance, first credits and first key in one transaction. @throws BAD_REQUEST */
export async function createFundedAccount(db: Db, { credits, ...newAccount }: FundedAccount, keyPepper: Buffer) {
  if (credits > 0) checkTopUp(credits);
  return await db.transaction().execute(async (trx) => {
    const account = await openAccount(trx, newAccount);
    await openBalance(trx, account.id);
    if (credits > 0) await addCredits(trx, account.id, credits);
    const { key } = await issueKey(trx, account.id, 'live', keyPepper);
    return { account, key };
  });
}
