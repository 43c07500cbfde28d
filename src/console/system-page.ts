import { lastBackup } from '../operators/system-checks.ts';
import { html } from '../pages/html.ts';
import { duration, facts, moment, table, tag } from '../pages/parts.ts';
import { appliedMigrations } from '../platform/migrate.ts';
import { softwareVersion } from '../platform/software-version.ts';
import type { ConsoleRoutes, ConsoleServices } from './console-routes.ts';

export function registerSystemPage({ page }: ConsoleRoutes, services: ConsoleServices): void {
  const { db, dataDir, settings, checkSystem } = services;
  page('/system', async () => {
    const findings = await checkSystem();
    const backup = await lastBackup(dataDir);
    const migrations = await appliedMigrations(db);
    const age = backup && (Date.now() - backup.at.getTime()) / 1000;
    const body = html`<h1>System</h1>
<section class="card"><h2>Checks</h2>${table(
      ['Check', 'Result', 'Finding'],
      findings.map(({ check, ok, finding }) => [
        check,
        tag(ok ? 'ok' : 'wrong', ok ? 'good' : 'bad'),
        html`<span class="breakable">${finding}</span>`,
      ]),
      '',
    )}${facts([
      ['Toledo', softwareVersion()],
      [
        'Last backup',
        backup && age !== undefined
          ? html`${duration(age)} ago (${moment(backup.at)}), <span class="breakable">${backup.path}</span>`
          : html`none is known on this machine; <code>npx toledo backup DIR</code> takes one`,
      ],
    ])}</section>
<section class="card"><h2>Settings</h2><p class="muted small">Secrets are never shown. A change takes effect at the next start.</p>${table(
      ['Setting', 'Value'],
      settings.map(({ variable, value }) => [
        html`<code>${variable}</code>`,
        html`<span class="breakable">${value}</span>`,
      ]),
      '',
    )}</section>
<section class="card"><h2>Migrations</h2><ol class="columns small">${migrations.map((name) => html`<li><code>${name}</code></li>`)}</ol></section>`;
    return { title: 'System', section: 'system', body };
  });
}
