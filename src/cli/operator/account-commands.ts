import type { Account } from '../../accounts/account.ts';
import { defaultRateLimitPerMinute } from '../../accounts/account.ts';
import { findAccount, listAccounts } from '../../accounts/account-store.ts';
import type { Balance } from '../../credits/credits.ts';
import { pageOfLedger } from '../../credits/ledger-lines.ts';
import { readBalance, readBalances } from '../../credits/ledger-store.ts';
import {
  changeAccount,
  createAccount,
  refundAccount,
  resumeAccount,
  suspendAccount,
  topUpAccount,
} from '../../operators/account-changes.ts';
import type { Db } from '../../platform/postgres.ts';
import { wireFields } from '../../wire-fields.ts';
import {
  type Command,
  type CommandArguments,
  limitOption,
  listLimit,
  oneOf,
  optionalText,
  UsageError,
  wholeNumber,
} from '../command.ts';
import { printColumns, printJson, printLine, printList } from '../output.ts';
import { withOperatorSession } from './operator-session.ts';

const createCommand: Command = {
  name: 'account create',
  positionals: ['NAME'],
  options: {
    credits: { type: 'string', value: 'N', about: 'credits to begin with, 0 by default' },
    'rate-limit': { type: 'string', value: 'N', about: 'requests a minute, 60 by default' },
    period: { type: 'string', value: 'PERIOD', about: 'monthly (default) or open: how usage is added up' },
  },
  summary: 'Create a partner account with its first key.',
  examples: ['account create "Northern Lights Press" --credits 500000'],
  async run(args) {
    const name = args.positionals[0] as string;
    const credits = wholeNumber(optionalText(args, 'credits') ?? '0', '--credits');
    const rateLimitPerMinute = wholeNumber(
      optionalText(args, 'rate-limit') ?? String(defaultRateLimitPerMinute),
      '--rate-limit',
    );
    const period = oneOf(optionalText(args, 'period'), 'period', ['monthly', 'open']) ?? 'monthly';
    await withOperatorSession(async ({ db, secrets, actor }) => {
      const { account, key } = await createAccount(
        db,
        actor,
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
  examples: ['account list --json'],
  async run(args) {
    await withOperatorSession(async ({ db }) => {
      const accounts = await listAccounts(db);
      const balances = await readBalances(
        db,
        accounts.map((account) => account.id),
      );
      const rows = accounts.map((account) => {
        const { availableCredits = 0, reservedCredits = 0, spentCredits = 0 } = balances.get(account.id) ?? {};
        return {
          account_id: account.id,
          name: account.name,
          balance_credits: availableCredits,
          reserved_credits: reservedCredits,
          spent_credits: spentCredits,
          ...wireFields(account, 'rateLimitPerMinute', 'billingPeriod', 'createdAt'),
        };
      });
      const columns = {
        ACCOUNT: 'account_id',
        NAME: 'name',
        BALANCE: 'balance_credits',
        RESERVED: 'reserved_credits',
        SPENT: 'spent_credits',
        'PER MINUTE': 'rate_limit_per_minute',
        CREATED: 'created_at',
      };
      printList(args, rows, columns, 'There is no account yet; "npx toledo account create NAME" makes one.');
    });
  },
};

const topUpCommand: Command = {
  name: 'account top-up',
  positionals: ['ACCOUNT', 'CREDITS'],
  options: { reference: { type: 'string', value: 'R', about: 'an invoice number; the same reference counts once' } },
  summary: 'Add prepaid credits.',
  examples: ['account top-up "Northern Lights Press" 250000 --reference INV-2026-001'],
  async run(args) {
    const credits = wholeNumber(args.positionals[1] as string, 'CREDITS');
    const reference = optionalText(args, 'reference');
    await withOperatorSession(async ({ db, actor }) => {
      const account = await findAccount(db, args.positionals[0] as string);
      const { applied, balance } = await topUpAccount(db, actor, account.id, credits, reference);
      tellBooking(args, account, { credits, applied, balance, reference, what: 'added to' });
    });
  },
};

/** What a top-up or a refund has done. */
function tellBooking(
  args: CommandArguments,
  { id, name }: Account,
  booking: { credits: number; applied: boolean; balance: Balance; reference: string | undefined; what: string },
): void {
  const { credits, applied, balance, reference, what } = booking;
  if (args.json) {
    printJson({ account_id: id, credits, applied, balance_credits: balance.availableCredits });
    return;
  }
  const done = applied
    ? `${credits.toLocaleString('en')} credits ${what}`
    : `Reference "${reference}" was booked before; nothing changed for`;
  printLine(`${done} "${name}". Balance: ${balance.availableCredits.toLocaleString('en')}.`);
}

const updateCommand: Command = {
  name: 'account update',
  positionals: ['ACCOUNT'],
  options: {
    'rate-limit': { type: 'string', value: 'N', about: 'requests a minute' },
    'credit-previews': {
      type: 'string',
      value: 'on|off',
      about: 'whether characters paid in a preview are credited to the book',
    },
    'low-balance': { type: 'string', value: 'N', about: 'credits below which the partner is told; 0 = never' },
  },
  summary: 'Change the limits of an account.',
  examples: ['account update "Northern Lights Press" --rate-limit 120 --low-balance 50000'],
  async run(args) {
    const rateLimit = optionalText(args, 'rate-limit');
    const previews = oneOf(optionalText(args, 'credit-previews'), 'credit-previews', ['on', 'off']);
    const lowBalance = optionalText(args, 'low-balance');
    if (rateLimit === undefined && previews === undefined && lowBalance === undefined)
      throw new UsageError('Name what to change: --rate-limit, --credit-previews or --low-balance.');
    const changes = {
      rateLimitPerMinute: rateLimit === undefined ? undefined : wholeNumber(rateLimit, '--rate-limit'),
      creditPreviews: previews === undefined ? undefined : previews === 'on',
      lowBalanceCredits: lowBalance === undefined ? undefined : wholeNumber(lowBalance, '--low-balance'),
    };
    await withOperatorSession(async ({ db, actor }) => {
      const { id } = await findAccount(db, args.positionals[0] as string);
      const account = await changeAccount(db, actor, id, changes);
      if (args.json) {
        return printJson({
          account_id: id,
          ...wireFields(account, 'name', 'rateLimitPerMinute', 'creditPreviews', 'lowBalanceCredits'),
        });
      }
      printLine(
        `"${account.name}": ${account.rateLimitPerMinute} requests a minute, previews ${account.creditPreviews ? 'credited' : 'not credited'}, ${account.lowBalanceCredits === undefined ? 'no threshold' : `told below ${account.lowBalanceCredits.toLocaleString('en')} credits`}.`,
      );
    });
  },
};

const suspendCommand: Command = {
  name: 'account suspend',
  positionals: ['ACCOUNT'],
  options: { reason: { type: 'string', value: 'TEXT', about: 'why; written to the audit log' } },
  summary: 'Refuse the keys of an account from the next request on (403 ACCOUNT_SUSPENDED). Running tasks finish.',
  examples: ['account suspend "Northern Lights Press" --reason "invoice INV-2026-001 is open"'],
  async run(args) {
    const reason = optionalText(args, 'reason');
    if (reason === undefined) throw new UsageError('Say why: --reason "…". It is kept with the account.');
    await changeSuspension(args, (db, actor, id) => suspendAccount(db, actor, id, reason));
  },
};

const resumeCommand: Command = {
  name: 'account resume',
  positionals: ['ACCOUNT'],
  options: {},
  summary: 'Let the keys of a suspended account in again.',
  examples: ['account resume "Northern Lights Press"'],
  async run(args) {
    await changeSuspension(args, resumeAccount);
  },
};

async function changeSuspension(
  args: CommandArguments,
  change: (db: Db, actor: string, accountId: string) => Promise<Account>,
): Promise<void> {
  await withOperatorSession(async ({ db, actor }) => {
    const { id } = await findAccount(db, args.positionals[0] as string);
    const account = await change(db, actor, id);
    if (args.json) {
      const reason = account.suspendedReason ?? null;
      return printJson({ account_id: id, ...wireFields(account, 'name', 'suspendedAt'), reason });
    }
    printLine(account.suspendedAt ? `"${account.name}" is suspended.` : `"${account.name}" is no longer suspended.`);
  });
}

const refundCommand: Command = {
  name: 'account refund',
  positionals: ['ACCOUNT', 'CREDITS'],
  options: {
    reference: { type: 'string', value: 'R', about: 'an invoice number; the same reference counts once' },
    reason: { type: 'string', value: 'TEXT', about: 'why; written to the audit log' },
    task: { type: 'string', value: 'TASK', about: 'the task whose charge is given back' },
  },
  summary: 'Give spent credits back.',
  examples: ['account refund "Northern Lights Press" 12000 --reference REF-7 --reason "chapter 3 was cut"'],
  async run(args) {
    const credits = wholeNumber(args.positionals[1] as string, 'CREDITS');
    const reference = optionalText(args, 'reference');
    const reason = optionalText(args, 'reason');
    if (reference === undefined || reason === undefined)
      throw new UsageError('A refund needs --reference (your own number of it) and --reason.');
    await withOperatorSession(async ({ db, actor }) => {
      const account = await findAccount(db, args.positionals[0] as string);
      const order = { accountId: account.id, credits, reference, reason, taskId: optionalText(args, 'task') };
      const { applied, balance } = await refundAccount(db, actor, order);
      tellBooking(args, account, { credits, applied, balance, reference, what: 'given back to' });
    });
  },
};

const showCommand: Command = {
  name: 'account show',
  positionals: ['ACCOUNT'],
  options: {},
  summary: 'Show one account: its balance, its limits and whether it is suspended.',
  examples: ['account show "Northern Lights Press"'],
  async run(args) {
    await withOperatorSession(async ({ db }) => {
      const account = await findAccount(db, args.positionals[0] as string);
      const balance = await readBalance(db, account.id);
      const shown = {
        account_id: account.id,
        name: account.name,
        balance_credits: balance.availableCredits,
        ...wireFields(balance, 'reservedCredits', 'spentCredits', 'grantedCredits'),
        ...wireFields(
          account,
          'rateLimitPerMinute',
          'billingPeriod',
          'creditPreviews',
          'suspendedAt',
          'suspendedReason',
        ),
        created_at: account.createdAt.toISOString(),
      };
      if (args.json) return printJson(shown);
      for (const [name, value] of Object.entries(shown)) printLine(`${name.padEnd(24)}${value ?? '–'}`);
    });
  },
};

const ledgerCommand: Command = {
  name: 'account ledger',
  positionals: ['ACCOUNT'],
  options: {
    ...limitOption,
    cursor: { type: 'string', value: 'CURSOR', about: 'go on where the list before ended' },
  },
  summary: 'Show the movements of credits of an account, newest first.',
  examples: ['account ledger "Northern Lights Press" --limit 50'],
  async run(args) {
    const limit = listLimit(args);
    await withOperatorSession(async ({ db }) => {
      const account = await findAccount(db, args.positionals[0] as string);
      const { lines, nextCursor } = await pageOfLedger(
        db,
        { accountId: account.id, sandbox: false },
        limit,
        optionalText(args, 'cursor'),
      );
      const entries = lines.map((line) =>
        wireFields(line, 'entryId', 'kind', 'credits', 'taskId', 'reference', 'reason', 'createdAt'),
      );
      if (args.json) return printJson({ entries, next_cursor: nextCursor });
      printColumns(entries, {
        ENTRY: 'entry_id',
        KIND: 'kind',
        CREDITS: 'credits',
        TASK: 'task_id',
        REFERENCE: 'reference',
        REASON: 'reason',
        CREATED: 'created_at',
      });
      if (nextCursor !== null) printLine(`More with --cursor ${nextCursor}`);
    });
  },
};

export const accountCommands: Command[] = [
  createCommand,
  listCommand,
  topUpCommand,
  updateCommand,
  suspendCommand,
  resumeCommand,
  refundCommand,
  showCommand,
  ledgerCommand,
];
