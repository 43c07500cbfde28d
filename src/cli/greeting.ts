import { hasAccounts } from '../accounts/account-store.ts';
import type { Application } from '../app.ts';
import { type Config, consoleWay, isLoopback } from '../config.ts';
import { createAccount, createKey } from '../operators/account-changes.ts';
import { createSignInCode } from '../operators/console-session-store.ts';
import { describeEngines } from '../operators/engine-listing.ts';
import { houseAccount } from '../operators/showcase.ts';
import { signInAddress } from './operator/console-commands.ts';
import { printLine } from './output.ts';

const demoCredits = 1_000_000;

/**
 * Tells a person what runs where. On the first start on a local machine there is no account yet: creates a demo account. Where
 * others can reach the port, an unrequested funded account would be open to anyone who reads the log.
 */
export async function greet(
  { database, secrets, engines }: Application,
  config: Config,
  { port, embedded }: { port: number; embedded: boolean },
): Promise<void> {
  const { host, publicUrl } = config;
  const rootUrl = publicUrl ?? `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
  const baseUrl = `${rootUrl}/api/v1`;
  const lines = ['', 'Toledo is running.', `  Base URL   ${baseUrl}`, `  Reference  ${rootUrl}/docs`];
  for (const [i, line] of describeEngines(engines).entries())
    lines.push(`  ${i === 0 ? 'Engine   ' : '         '}  ${line}`);
  const console = consoleWay(config);
  if (console === 'token') lines.push(`  Console    ${rootUrl}/console`);
  if (console === 'link')
    lines.push(`  Console    ${signInAddress(rootUrl, await createSignInCode(database.db))}  (signs in once)`);
  if (embedded && isLoopback(host) && !(await hasAccounts(database.db, houseAccount))) {
    const demo = { name: 'demo', rateLimitPerMinute: 60, billingPeriod: 'monthly', credits: demoCredits } as const;
    const actor = 'first start';
    const { account, key } = await createAccount(database.db, actor, demo, secrets.keyPepper);
    const test = await createKey(database.db, actor, account.id, 'test', secrets.keyPepper);
    lines.push(
      '',
      `A demo account with ${demoCredits.toLocaleString('en')} credits was created. Its keys are shown only now:`,
      `  Live key   ${key}  (spends credits)`,
      `  Test key   ${test.key}  (invented words, spends nothing)`,
      '',
      'Try it:',
      `  curl -s ${baseUrl}/usage -H "Authorization: Bearer ${key}"`,
      `  A translated book in one paste: ${rootUrl}/docs/guides/quickstart`,
    );
  } else {
    lines.push(
      '  Accounts   "npx toledo account create NAME" makes one, "npx toledo key create ACCOUNT" a further key',
    );
  }
  // At once: the worker starts meanwhile, and no line of its log may stand in between.
  printLine([...lines, '', 'Stop with Ctrl-C.', ''].join('\n'));
}
