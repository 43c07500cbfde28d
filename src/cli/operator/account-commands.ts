import type { Account } from '../../accounts/account.ts';
import { defaultRateLimitPerMinute } from '../../accounts/account.ts';
import { findAccount, listAccounts, listKeys } from '../../accounts/account-store.ts';
import type { Balance } from '../../credits/credits.ts';
import { pageOfLedger, readBalance, readBalances } from '../../credits/ledger-store.ts';
import {
  changeAccount,
  createAccount,
  createKey,
  refundAccount,
  resumeAccount,
  revokeKey,
  suspendAccount,
  topUpAccount,
} from '../../operators/account-changes.ts';
import { wireFields } from '../../wire-fields.ts';
import {
  type CommandArguments,
  commands,
  flag,
  limitOption,
  listLimit,
  oneOf,
  option,
  UsageError,
  wholeNumber,
} from '../command.ts';
import { columns, printAnswer, printList, table } from '../output.ts';
import { accountOption, type OperatorSession, ofAccount, operatorSession } from './operator-session.ts';

const reference = option('R', 'an invoice number; the same reference counts once');
const reason = option('TEXT', 'why; written to the audit log');

export const accountCommands = commands({
  'account create NAME': {
    options: {
      credits: option('N', 'credits to begin with, 0 by default'),
      'rate-limit': option('N', 'requests a minute, 60 by default'),
      period: option('PERIOD', 'monthly (default) or open: how usage is added up'),
    },
    summary: 'Create a partner account with its first key.',
    examples: ['account create "Northern Lights Press" --credits 500000'],
    async run(args) {
      const [name = ''] = args.positionals;
      const credits = wholeNumber(args.options.credits ?? '0', '--credits');
      const rateLimit = args.options['rate-limit'] ?? String(defaultRateLimitPerMinute);
      const rateLimitPerMinute = wholeNumber(rateLimit, '--rate-limit');
      const billingPeriod = oneOf(args.options.period, 'period', ['monthly', 'open']) ?? 'monthly';
      await using session = await operatorSession();
      const order = { name, rateLimitPerMinute, billingPeriod, credits };
      const { account, key } = await createAccount(session.db, session.actor, order, session.secrets.keyPepper);
      printAnswer(
        args,
        {
          account_id: account.id,
          name,
          api_key: key,
          balance_credits: credits,
          rate_limit_per_minute: rateLimitPerMinute,
        },
        `Account ${account.id} "${name}" with ${credits.toLocaleString('en')} credits, ${rateLimitPerMinute} requests a minute.
API key (shown only now): ${key}`,
      );
    },
  },

  'account list': {
    summary: 'List the accounts with their balances.',
    examples: ['account list --json'],
    async run(args) {
      await using session = await operatorSession();
      const accounts = await listAccounts(session.db);
      const ids = accounts.map(({ id }) => id);
      const balances = await readBalances(session.db, ids);
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
      const shown = {
        ACCOUNT: 'account_id',
        NAME: 'name',
        BALANCE: 'balance_credits',
        RESERVED: 'reserved_credits',
        SPENT: 'spent_credits',
        'PER MINUTE': 'rate_limit_per_minute',
        CREATED: 'created_at',
      } as const;
      printList(args, rows, shown, 'There is no account yet; "npx toledo account create NAME" makes one.');
    },
  },

  'account top-up ACCOUNT CREDITS': {
    options: { reference },
    summary: 'Add prepaid credits.',
    examples: ['account top-up "Northern Lights Press" 250000 --reference INV-2026-001'],
    async run(args) {
      await book(args, 'added to', ({ db, actor }, id, credits) =>
        topUpAccount(db, actor, id, credits, args.options.reference),
      );
    },
  },

  'account update ACCOUNT': {
    options: {
      'rate-limit': option('N', 'requests a minute'),
      'credit-previews': option('on|off', 'whether characters paid in a preview are credited to the book'),
      'low-balance': option('N', 'credits below which the partner is told; 0 = never'),
    },
    summary: 'Change the limits of an account.',
    examples: ['account update "Northern Lights Press" --rate-limit 120 --low-balance 50000'],
    async run(args) {
      const { 'rate-limit': rateLimit, 'low-balance': lowBalance } = args.options;
      const previews = oneOf(args.options['credit-previews'], 'credit-previews', ['on', 'off']);
      if (rateLimit === undefined && previews === undefined && lowBalance === undefined)
        throw new UsageError('Name what to change: --rate-limit, --credit-previews or --low-balance.');
      const changes = {
        rateLimitPerMinute: rateLimit === undefined ? undefined : wholeNumber(rateLimit, '--rate-limit'),
        creditPreviews: previews === undefined ? undefined : previews === 'on',
        lowBalanceCredits: lowBalance === undefined ? undefined : wholeNumber(lowBalance, '--low-balance'),
      };
      await using session = await operatorSession();
      const { id } = await findAccount(session.db, args.positionals[0] ?? '');
      const account = await changeAccount(session.db, session.actor, id, changes);
      const below = account.lowBalanceCredits?.toLocaleString('en');
      printAnswer(
        args,
        {
          account_id: id,
          ...wireFields(account, 'name', 'rateLimitPerMinute', 'creditPreviews', 'lowBalanceCredits'),
        },
        `"${account.name}": ${account.rateLimitPerMinute} requests a minute, previews ${account.creditPreviews ? 'credited' : 'not credited'}, ${below === undefined ? 'no threshold' : `told below ${below} credits`}.`,
      );
    },
  },

  'account suspend ACCOUNT': {
    options: { reason },
    summary: 'Refuse the keys of an account from the next request on (403 ACCOUNT_SUSPENDED). Running tasks finish.',
    examples: ['account suspend "Northern Lights Press" --reason "invoice INV-2026-001 is open"'],
    async run(args) {
      const { reason } = args.options;
      if (reason === undefined) throw new UsageError('Say why: --reason "…". It is kept with the account.');
      await changeSuspension(args, ({ db, actor }, id) => suspendAccount(db, actor, id, reason));
    },
  },

  'account resume ACCOUNT': {
    summary: 'Let the keys of a suspended account in again.',
    examples: ['account resume "Northern Lights Press"'],
    run: (args) => changeSuspension(args, ({ db, actor }, id) => resumeAccount(db, actor, id)),
  },

  'account refund ACCOUNT CREDITS': {
    options: { reference, reason, task: option('TASK', 'the task whose charge is given back') },
    summary: 'Give spent credits back.',
    examples: ['account refund "Northern Lights Press" 12000 --reference REF-7 --reason "chapter 3 was cut"'],
    async run(args) {
      const { reference, reason, task: taskId } = args.options;
      if (reference === undefined || reason === undefined)
        throw new UsageError('A refund needs --reference (your own number of it) and --reason.');
      await book(args, 'given back to', ({ db, actor }, accountId, credits) =>
        refundAccount(db, actor, { accountId, credits, reference, reason, taskId }),
      );
    },
  },

  'account show ACCOUNT': {
    summary: 'Show one account: its balance, its limits and whether it is suspended.',
    examples: ['account show "Northern Lights Press"'],
    async run(args) {
      await using session = await operatorSession();
      const account = await findAccount(session.db, args.positionals[0] ?? '');
      const balance = await readBalance(session.db, account.id);
      const shown = {
        account_id: account.id,
        name: account.name,
        balance_credits: balance.availableCredits,
        ...wireFields(balance, 'reservedCredits', 'spentCredits', 'grantedCredits'),
        ...wireFields(account, 'rateLimitPerMinute', 'billingPeriod', 'creditPreviews'),
        ...wireFields(account, 'suspendedAt', 'suspendedReason', 'createdAt'),
      };
      const lines = Object.entries(shown).map(([name, value]) => `${name.padEnd(24)}${value ?? '–'}`);
      printAnswer(args, shown, lines.join('\n'));
    },
  },

  'account ledger ACCOUNT': {
    options: { ...limitOption, cursor: option('CURSOR', 'go on where the list before ended') },
    summary: 'Show the movements of credits of an account, newest first.',
    examples: ['account ledger "Northern Lights Press" --limit 50'],
    async run(args) {
      const limit = listLimit(args);
      await using session = await operatorSession();
      const { id: accountId } = await findAccount(session.db, args.positionals[0] ?? '');
      const ledger = { accountId, sandbox: false };
      const { lines, nextCursor } = await pageOfLedger(session.db, ledger, limit, args.options.cursor);
      const entries = lines.map((line) =>
        wireFields(line, 'entryId', 'kind', 'credits', 'taskId', 'reference', 'reason', 'createdAt'),
      );
      const shown = {
        ENTRY: 'entry_id',
        KIND: 'kind',
        CREDITS: 'credits',
        TASK: 'task_id',
        REFERENCE: 'reference',
        REASON: 'reason',
        CREATED: 'created_at',
      } as const;
      const more = nextCursor === null ? [] : [`More with --cursor ${nextCursor}`];
      printAnswer(args, { entries, next_cursor: nextCursor }, [columns(entries, shown), ...more].join('\n'));
    },
  },

  'key create ACCOUNT': {
    options: { test: flag('a sandbox key, which moves no credits') },
    summary: 'Issue a further key for an account, by id or name.',
    examples: ['key create "Northern Lights Press"', 'key create "Northern Lights Press" --test'],
    async run(args) {
      await using session = await operatorSession();
      const { db, actor, secrets } = session;
      const account = await findAccount(db, args.positionals[0] ?? '');
      const mode = args.flags.test ? 'test' : 'live';
      const { id, key, prefix } = await createKey(db, actor, account.id, mode, secrets.keyPepper);
      printAnswer(
        args,
        { key_id: id, account_id: account.id, api_key: key, api_key_prefix: prefix, mode },
        `API key of "${account.name}" (shown only now): ${key}`,
      );
    },
  },

  'key list': {
    options: ofAccount,
    summary: 'List the keys by prefix; a key itself is never shown again.',
    examples: ['key list --account "Northern Lights Press"'],
    async run(args) {
      await using session = await operatorSession();
      const keys = await listKeys(session.db, await accountOption(session.db, args));
      const rows = keys.map((key) => ({
        key_id: key.id,
        api_key_prefix: key.prefix,
        ...wireFields(key, 'accountId', 'accountName', 'mode', 'createdAt', 'revokedAt', 'lastUsedAt'),
      }));
      const cells = keys.map(({ prefix, accountName, mode, createdAt, lastUsedAt, revokedAt }) => [
        ...[prefix, accountName, mode, createdAt.toISOString()],
        ...[lastUsedAt?.toISOString() ?? 'never', revokedAt?.toISOString() ?? ''],
      ]);
      const headings = ['PREFIX', 'ACCOUNT', 'MODE', 'CREATED', 'LAST USED', 'REVOKED'];
      printAnswer(args, rows, keys.length === 0 ? 'There is no key yet.' : table(headings, cells));
    },
  },

  'key revoke PREFIX': {
    summary: 'Revoke a key by its prefix (or key id): the next request with it is refused.',
    examples: ['key revoke tol_live_Ab3d'],
    async run(args) {
      await using session = await operatorSession();
      const key = await revokeKey(session.db, session.actor, args.positionals[0] ?? '');
      printAnswer(
        args,
        { key_id: key.id, api_key_prefix: key.prefix, revoked_at: key.revokedAt?.toISOString() },
        `The key ${key.prefix}… of "${key.accountName}" is revoked.`,
      );
    },
  },
});

/** A top-up or a refund, and what it has done. */
async function book(
  args: CommandArguments,
  done: string,
  move: (session: OperatorSession, id: string, credits: number) => Promise<{ applied: boolean; balance: Balance }>,
): Promise<void> {
  const credits = wholeNumber(args.positionals[1] ?? '', 'CREDITS');
  await using session = await operatorSession();
  const { id, name } = await findAccount(session.db, args.positionals[0] ?? '');
  const { applied, balance } = await move(session, id, credits);
  const balance_credits = balance.availableCredits;
  const outcome = applied
    ? `${credits.toLocaleString('en')} credits ${done}`
    : `Reference "${args.options.reference}" was booked before; nothing changed for`;
  printAnswer(
    args,
    { account_id: id, credits, applied, balance_credits },
    `${outcome} "${name}". Balance: ${balance_credits.toLocaleString('en')}.`,
  );
}

async function changeSuspension(
  args: CommandArguments,
  change: (session: OperatorSession, id: string) => Promise<Account>,
): Promise<void> {
  await using session = await operatorSession();
  const { id } = await findAccount(session.db, args.positionals[0] ?? '');
  const account = await change(session, id);
  const shown = wireFields(account, 'name', 'suspendedAt');
  printAnswer(
    args,
    { account_id: id, ...shown, reason: account.suspendedReason ?? null },
    `"${account.name}" is ${account.suspendedAt ? 'suspended' : 'no longer suspended'}.`,
  );
}
