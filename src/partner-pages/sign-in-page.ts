import { html } from '../pages/html.ts';
import type { PageAssets } from '../pages/page-assets.ts';
import { renderPage } from '../pages/page-shell.ts';

/** @param problem why somebody is not, or no longer, signed in */
export function accountSignInPage(assets: PageAssets, problem?: string): string {
  const body = html`<main id="main" class="sign-in-page card"><h1>Account</h1>${
    problem !== undefined && html`<div class="notice bad" role="alert"><p>${problem}</p></div>`
  }<form class="sign-in" method="post" action="/account/sign-in">
<label class="field"><span>API key</span><input name="key" type="password" required autocomplete="off" spellcheck="false" autofocus></label>
<button class="primary">Sign in</button></form>
<p class="muted small">A live key shows live tasks, a test key test tasks. You stay signed in for twelve hours, or until the key is revoked.</p></main>`;
  return renderPage(assets, { title: 'Sign in · Toledo account', styles: ['console.css'], current: 'account', body });
}
