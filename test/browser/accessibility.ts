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

/** Without a mouse one comes to everything that can be clicked, with Tab alone. */
export async function assertReachable(page: Page, what: string): Promise<void> {
  await page.evaluate(`(() => {
    const reached = new Set();
    // A control that the page renewed after it was reached is known by these.
    const nameOf = (control) => [control.tagName, control.href, control.name, control.value, control.closest('tr')?.querySelector('a')?.href].join();
    window.unreached = () => {
      const renewed = new Set([...reached].filter((each) => !each.isConnected).map(nameOf));
      return [...document.querySelectorAll('a[href], button, input, select, textarea, summary')]
        // Of radio buttons one is a stop; a link with tabindex -1 has a key of its own.
        .filter((each) => each.checkVisibility() && !each.disabled && each.type !== 'radio' && each.tabIndex >= 0)
        .filter((each) => !reached.has(each) && !renewed.has(nameOf(each)))
        .map((each) => each.outerHTML.slice(0, 200));
    };
    addEventListener('focusin', ({ target }) => reached.add(target));
    document.activeElement?.blur();
  })()`);
  const left = () => page.evaluate('window.unreached()') as Promise<string[]>;
  let unreached = await left();
  // A date has several stops.
  for (let steps = unreached.length * 4 + 10; unreached.length > 0 && steps > 0; unreached = await left()) {
    const presses = Math.min(unreached.length, steps);
    for (let press = 0; press < presses; press++) await page.keyboard.press('Tab');
    steps -= presses;
  }
  assert.deepEqual(unreached, [], what);
}

/** A page that is wider than its window has to be scrolled sideways, which nobody does. */
export async function assertFits(page: Page, what: string): Promise<void> {
  const over = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
  assert.ok(Number(over) <= 0, `${what} is ${over} px too wide`);
}
