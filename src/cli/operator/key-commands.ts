import { findAccount, listKeys } from '../../accounts/account-store.ts';
import { createKey, revokeKey } from '../../operators/account-changes.ts';
import { wireFields } from '../../wire-fields.ts';
import type { Command } from '../command.ts';
import { printJson, printLine, printTable } from '../output.ts';
import { accountOption, withOperatorSession } from './operator-session.ts';

const createCommand: Command = {
  name: 'key create',
  positionals: ['ACCOUNT'],
  options: { test: { type: 'boolean', about: 'a sandbox key, which moves no credits' } },
  summary: 'Issue a further key for an account, by id or name.',
  examples: ['key create "Northern Lights Press"', 'key create "Northern Lights Press" --test'],
  async run(args) {
    await withOperatorSession(async ({ db, secrets, actor }) => {
      const account = await findAccount(db, args.positionals[0] as string);
      const mode = args.options.test === true ? 'test' : 'live';
      const { id, key, prefix } = await createKey(db, actor, account.id, mode, secrets.keyPepper);
      if (args.json)
        return printJson({ key_id: id, account_id: account.id, api_key: key, api_key_prefix: prefix, mode });
      printLine(`API key of "${account.name}" (shown only now): ${key}`);
    });
  },
};

const listCommand: Command = {
  name: 'key list',
  positionals: [],
  options: { account: { type: 'string', value: 'ACCOUNT', about: 'of this account only, by id or name' } },
  summary: 'List the keys by prefix; a key itself is never shown again.',
  examples: ['key list --account "Northern Lights Press"'],
  async run(args) {
    await withOperatorSession(async ({ db }) => {
      const keys = await listKeys(db, await accountOption(db, args));
      const rows = keys.map((key) => ({
        key_id: key.id,
        api_key_prefix: key.prefix,
        ...wireFields(key, 'accountId', 'accountName', 'mode', 'createdAt', 'revokedAt', 'lastUsedAt'),
      }));
      if (args.json) return printJson(rows);
      if (rows.length === 0) return printLine('There is no key yet.');
      printTable(
        ['PREFIX', 'ACCOUNT', 'MODE', 'CREATED', 'LAST USED', 'REVOKED'],
        keys.map(({ prefix, accountName, mode, createdAt, lastUsedAt, revokedAt }) => [
          ...[prefix, accountName, mode, createdAt.toISOString()],
          ...[lastUsedAt?.toISOString() ?? 'never', revokedAt?.toISOString() ?? ''],
        ]),
      );
    });
  },
};

const revokeCommand: Command = {
  name: 'key revoke',
  positionals: ['PREFIX'],
  options: {},
  summary: 'Revoke a key by its prefix (or key id): the next request with it is refused.',
  examples: ['key revoke tol_live_Ab3d'],
  async run(args) {
    await withOperatorSession(async ({ db, actor }) => {
      const key = await revokeKey(db, actor, args.positionals[0] as string);
      if (args.json)
        return printJson({ key_id: key.id, api_key_prefix: key.prefix, revoked_at: key.revokedAt?.toISOString() });
      printLine(`The key ${key.prefix}… of "${key.accountName}" is revoked.`);
    });
  },
};

export const keyCommands: Command[] = [createCommand, listCommand, revokeCommand];
