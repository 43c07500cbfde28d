import { findAccount, listKeys } from '../../accounts/account-store.ts';
import { createKey, revokeKey } from '../../operators/account-changes.ts';
import { wireFields } from '../../wire-fields.ts';
import { commands, flag } from '../command.ts';
import { printAnswer, table } from '../output.ts';
import { accountOption, ofAccount, operatorSession } from './operator-session.ts';

export const keyCommands = commands({
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
