/** Overview, usage, engines, webhooks, system and audit log. */
import type { FastifyRequest } from 'fastify';
import { findAccount } from '../../accounts/account-store.ts';
import { type DeliveryStatus, deliveryStatuses } from '../../events/webhook.ts';
import { listAudit } from '../../operators/audit-store.ts';
import { recentDeliveries } from '../../operators/delivery-list-store.ts';
import { readOverview } from '../../operators/overview.ts';
import { lastBackup } from '../../operators/system-checks.ts';
import { reportUsage, usageCsv } from '../../operators/usage-report.ts';
import { redeliverForAccount } from '../../operators/webhook-changes.ts';
import { auditPage } from '../../pages/console/audit-page.ts';
import type { ConsoleFrame } from '../../pages/console/console-shell.ts';
import { enginesPage } from '../../pages/console/engines-page.ts';
import { overviewPage, overviewParts } from '../../pages/console/overview-page.ts';
import { systemPage } from '../../pages/console/system-page.ts';
import { usagePage } from '../../pages/console/usage-page.ts';
import { webhooksPage } from '../../pages/console/webhooks-page.ts';
import { appliedMigrations } from '../../platform/migrate.ts';
import { softwareVersion } from '../../platform/software-version.ts';
import { type ConsoleDependencies, type ConsoleRoutes, param } from './console-dependencies.ts';
import { queryText } from './console-form.ts';
import { shared } from './console-stream.ts';

const pageSize = 50;
const shownUsageLines = 500;
const csvLines = 100_000;

export function registerConsoleOperations(
  { page, change, raw, streams }: ConsoleRoutes,
  deps: ConsoleDependencies,
): void {
  const { db, queue, dataDir } = deps;
  const overview = shared(() => readOverview(deps), 1_000);
  page('', async (_request, frame) => overviewPage(frame, await overview()));
  raw('/live', async (_request, reply) =>
    streams.send(reply, async () => ({ html: overviewParts(await overview()).text })),
  );

  const usageOf = async (request: FastifyRequest, limit: number) => {
    const account = queryText(request, 'account');
    return await reportUsage(
      db,
      {
        from: queryText(request, 'from') || undefined,
        to: queryText(request, 'to') || undefined,
        by: queryText(request, 'by') || undefined,
        accountId: account === '' ? undefined : (await findAccount(db, account)).id,
      },
      limit,
    );
  };
  page('/usage', async (request, frame) =>
    usagePage(frame, queryText(request, 'account'), await usageOf(request, shownUsageLines)),
  );
  raw('/usage.csv', async (request, reply) => {
    const { from, to, lines } = await usageOf(request, csvLines);
    return reply
      .header('content-disposition', `attachment; filename="toledo-usage-${from}-${to}.csv"`)
      .type('text/csv; charset=utf-8')
      .send(usageCsv(lines));
  });

  const showEngines = async (_request: FastifyRequest, frame: ConsoleFrame) =>
    enginesPage(frame, deps.listEngines(), await overview());
  page('/engines', showEngines);
  change('/engines/:name/test', {
    async apply(request, actor) {
      const name = param(request, 'name');
      const { ok, finding } = await deps.testEngine(name, actor);
      return { tone: ok ? 'good' : 'bad', text: `${name}: ${finding}` };
    },
    back: () => '/console/engines',
    show: showEngines,
  });

  const showWebhooks = async (request: FastifyRequest, frame: ConsoleFrame) => {
    const wanted = queryText(request, 'status');
    const status = (deliveryStatuses as readonly string[]).includes(wanted) ? (wanted as DeliveryStatus) : undefined;
    const before = queryText(request, 'before') || undefined;
    const found = await recentDeliveries(db, { status, before, limit: pageSize + 1 });
    const shown = found.slice(0, pageSize);
    return webhooksPage(frame, status ?? '', shown, found.length > pageSize ? shown.at(-1)?.id : undefined);
  };
  page('/webhooks', showWebhooks);
  change('/webhooks/:account/:webhook/:delivery/redeliver', {
    async apply(request, actor) {
      await redeliverForAccount({ db, queue }, actor, {
        accountId: param(request, 'account'),
        webhookId: param(request, 'webhook'),
        deliveryId: param(request, 'delivery'),
      });
      return 'redelivered';
    },
    back: () => '/console/webhooks',
    show: showWebhooks,
  });

  page('/system', async (_request, frame) =>
    systemPage(frame, {
      findings: await deps.checkSystem(),
      version: softwareVersion(),
      backup: await lastBackup(dataDir),
      settings: deps.settings,
      migrations: await appliedMigrations(db),
    }),
  );

  page('/audit', async (request, frame) => {
    const before = queryText(request, 'before');
    const found = await listAudit(db, {
      limit: pageSize + 1,
      before: /^[1-9]\d{0,15}$/.test(before) ? Number(before) : undefined,
    });
    const shown = found.slice(0, pageSize);
    return auditPage(frame, shown, found.length > pageSize ? String(shown.at(-1)?.id) : undefined);
  });
}
