import { html } from '../pages/html.ts';
import type { PageAssets } from '../pages/page-assets.ts';
import { renderPage } from '../pages/page-shell.ts';

/** @param way whether a token is asked for, or only a link lets somebody in */
export function signInPage(assets: PageAssets, way: 'token' | 'link', problem?: string): string {
  const how =
    way === 'token'
      ? html`<form class="sign-in" method="post" action="/console/sign-in">
<label class="field"><span>Operator token</span><input name="token" type="password" required autocomplete="current-password" autofocus></label>
<button class="primary">Sign in</button></form>
<p class="muted small">The token is the setting <code>TOLEDO_OPERATOR_TOKEN</code> of this service.</p>`
      : html`<p>Open the sign-in link that <code>npm start</code> printed. It works once. <code>npx toledo console link</code> makes another.</p>
<p class="muted small">For a console that others can reach, set <code>TOLEDO_OPERATOR_TOKEN</code>.</p>`;
  const body = html`<main id="main" class="sign-in-page card"><h1>Console</h1>${
    problem !== undefined && html`<div class="notice bad" role="alert"><p>${problem}</p></div>`
  }${how}</main>`;
  return renderPage(assets, { title: 'Sign in · Toledo console', styles: ['console.css'], current: 'console', body });
}
