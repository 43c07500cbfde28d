import type { KeyList } from '../../client/src/wire-types.ts';
import { html } from '../pages/html.ts';
import { moment, table, tag } from '../pages/parts.ts';
import type { AccountRoutes } from './account-frame.ts';

export function registerKeysPage({ page }: AccountRoutes): void {
  page('/keys', async (_request, frame) => {
    const { keys } = await frame.api.get<KeyList>('/keys');
    const body = html`<h1>Keys</h1><section class="card">${table(
      ['Prefix', 'State', 'Kind', 'Last used', 'Created'],
      keys.map((key) => [
        html`<code>${key.prefix}</code>${key.current && html` <span class="small">you are signed in with it</span>`}`,
        key.revoked_at === null
          ? tag('active')
          : html`${tag('revoked')} <span class="small">${moment(key.revoked_at)}</span>`,
        key.mode,
        key.last_used_at === null ? html`<span class="muted">never</span>` : moment(key.last_used_at),
        moment(key.created_at),
      ]),
      '',
    )}<p class="muted small">Your operator makes and revokes keys. Ask for a revocation as soon as a key may have leaked.</p></section>`;
    return { title: 'Keys', section: 'keys', body };
  });
}
