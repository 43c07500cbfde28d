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

/** Whoever has no mouse comes to everything that can be clicked, with Tab alone. */
export async function assertReachable(page: Page, what: string): Promise<void> {
  const count = Number(
    await page.evaluate(`(() => {
      const all = [...document.querySelectorAll('a[href], button, input, select, textarea, summary')];
      // Of radio buttons one is a stop; a link with tabindex -1 has a key of its own.
      window.unreached = new Set(all.filter((each) => each.checkVisibility() && !each.disabled && each.type !== 'radio' && each.tabIndex >= 0));
      addEventListener('focusin', ({ target }) => window.unreached.delete(target));
      document.activeElement?.blur();
      return all.length;
    })()`),
  );
  const left = () => page.evaluate('[...window.unreached].map((each) => each.outerHTML.slice(0, 200))');
  // A date has several stops.
  for (let steps = 0; steps < count * 4 + 10 && ((await left()) as string[]).length > 0; steps++)
    await page.keyboard.press('Tab');
  assert.deepEqual(await left(), [], what);
}

/** A page that is wider than its window has to be scrolled sideways, which nobody does. */
export async function assertFits(page: Page, what: string): Promise<void> {
  const over = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
  assert.ok(Number(over) <= 0, `${what} is ${over} px too wide`);
}
