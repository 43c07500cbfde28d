/** The documentation's browser side: language tabs that remember the choice, the search, and the reader's test key in the examples. */
import { setUpSearch } from './docs-search.ts';
import { setUpExampleKey } from './example-key.ts';
import { setUpTabs } from './language-tabs.ts';

const wide = matchMedia('(min-width: 56rem)');
const menu = document.querySelector<HTMLDetailsElement>('.menu');
const follow = () => {
  if (menu) menu.open = wide.matches;
};
wide.addEventListener('change', follow);
follow();
document.querySelector('.side a[aria-current]')?.scrollIntoView({ block: 'nearest' });
setUpTabs();
setUpSearch();
await setUpExampleKey();
