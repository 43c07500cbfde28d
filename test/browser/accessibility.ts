import { strict as assert } from 'node:assert';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Nothing that axe calls serious or critical. It is put in from outside the page, past its policy. */
export async function assertAccessible(page: Page, what: string): Promise<void> {
  await page.evaluate(axe);
  const found = (await page.evaluate('axe.run(document, { resultTypes: ["violations"] })')) as {
    violations: { id: string; impact: string; nodes: { html: string; failureSummary: string }[] }[];
  };
  const serious = found.violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  assert.deepEqual(
    serious.map(({ id, nodes }) => `${id}: ${nodes[0]?.html} ${nodes[0]?.failureSummary}`),
    [],
    what,
  );
}

/** A page that is wider than its window has to be scrolled sideways, which nobody does. */
export async function assertFits(page: Page, what: string): Promise<void> {
  const over = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
  assert.ok(Number(over) <= 0, `${what} is ${over} px too wide`);
}
