import { hasAccounts } from '../accounts/account-store.ts';
import type { Application } from '../app.ts';
import { type Config, consoleWay, isLoopback } from '../config.ts';
import { createAccount } from '../operators/account-changes.ts';
import { createSignInCode } from '../operators/console-session-store.ts';
import { describeEngines } from '../operators/describe-engines.ts';
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
  printLine(`\nToledo is running.\n  Base URL   ${baseUrl}\n  Reference  ${rootUrl}/docs`);
  for (const [i, line] of describeEngines(engines).entries())
    printLine(`  ${i === 0 ? 'Engine   ' : '         '}  ${line}`);
  const console = consoleWay(config);
  if (console === 'token') printLine(`  Console    ${rootUrl}/console`);
  if (console === 'link')
    printLine(`  Console    ${signInAddress(rootUrl, await createSignInCode(database.db))}  (signs in once)`);
  if (embedded && isLoopback(host) && !(await hasAccounts(database.db))) {
    const demo = { name: 'demo', rateLimitPerMinute: 60, billingPeriod: 'monthly', credits: demoCredits } as const;
    const { key } = await createAccount(database.db, 'first start', demo, secrets.keyPepper);
    printLine(
      `\nA demo account with ${demoCredits.toLocaleString('en')} credits was created. Its key is shown only now:\n  ${key}\n\nTry it:`,
    );
    printLine(`  curl -s ${baseUrl}/usage -H "Authorization: Bearer ${key}"`);
  } else {
    printLine('  Accounts   "npx toledo account create NAME" makes one, "npx toledo key create ACCOUNT" a further key');
  }
  printLine('\nStop with Ctrl-C.\n');
}
