/** The console at /console: sign-in, the frame of every page and of every change, and what belongs to no single section. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { statusOf, toAppError } from '../http/envelope.ts';
import { fieldsOf, queryText, sendPage, takeForms } from '../http/page-form.ts';
import { csrfTokenOf, endedNotice, exampleKey, NotAllowed, signInPath } from '../http/page-session.ts';
import { unlisted } from '../http/schemas.ts';
import type { Server } from '../http/server.ts';
import { engineAlerts } from '../operators/engine-outages.ts';
import { readEngineStates } from '../operators/engine-state-store.ts';
import { createExampleKey } from '../operators/house-accounts.ts';
import { readOverview } from '../operators/overview.ts';
import { type Html, html } from '../pages/html.ts';
import { messagePage } from '../pages/page-shell.ts';
import { type Notice, signInPage, type WorkFrame, workPage } from '../pages/work-page.ts';
import { shared } from '../platform/lazily.ts';
import { registerAccountPage } from './account-page.ts';
import { registerAccountsPage } from './accounts-page.ts';
import { registerAuditPage } from './audit-page.ts';
import { type ConsoleRoutes, type ConsoleServices, type Show, sections } from './console-routes.ts';
import { registerEnginesPage } from './engines-page.ts';
import { registerEvaluationsPage } from './evaluations-page.ts';
import { registerOverviewPage } from './overview-page.ts';
import { registerSeriesPages } from './series-pages.ts';
import { ConsoleSessions } from './session.ts';
import { registerSystemPage } from './system-page.ts';
import { registerTaskPage } from './task-page.ts';
import { registerTasksPage } from './tasks-page.ts';
import { registerUsagePage } from './usage-page.ts';
import { registerWebhookPages } from './webhook-pages.ts';

const area = { name: 'Console', root: '/console', sections };
const exampleKeyText =
  'The test key of the examples in the documentation. It is shown until you dismiss it, and never again:';

export async function registerConsole(server: Server, services: ConsoleServices): Promise<void> {
  server.decorateRequest('consoleSession', undefined);
  await server.register(
    async (scope) => {
      const pages = scope as unknown as Server;
      takeForms(pages);
      const { assets, access } = services;
      const sessions = new ConsoleSessions(services.db, access);

      pages.setErrorHandler((error, request, reply) => {
        if (error instanceof NotAllowed)
          return sendPage(reply.status(403), messagePage(assets, 'That did not work', error.message));
        const fault = toAppError(error);
        // What we did not expect is logged and answered as everywhere else.
        if (fault.code === 'INTERNAL') throw error;
        reply.status(statusOf(fault));
        if (fault.retryAfterSeconds !== undefined) reply.header('retry-after', String(fault.retryAfterSeconds));
        const signingIn = request.routeOptions.url === '/console/sign-in';
        return sendPage(
          reply,
          signingIn
            ? signInPage(assets, 'Console', waysIn[access.way], fault.message)
            : messagePage(assets, 'That did not work', fault.message),
        );
      });

      pages.get('/sign-in', unlisted({}), async (request, reply) => {
        const code = queryText(request, 'code');
        if (code === '' || access.way !== 'link') return reply.redirect('/console', 303);
        await sessions.signInByLink(request, reply, code);
        return reply.redirect('/console', 303);
      });
      pages.post('/sign-in', unlisted({}), async (request, reply) => {
        if (access.way !== 'token') throw new NotAllowed('This console is entered by a link.');
        await sessions.signInByToken(request, reply);
        return reply.redirect('/console', 303);
      });

      // For the examples of the documentation. Every browser asks, so a visitor who is not signed in gets an empty answer and no page.
      pages.get('/example-key', unlisted({}), async (request, reply) => {
        const session = await sessions.of(request);
        if (session === undefined) return reply.status(204).send();
        return { key: exampleKey(session.keptNotice?.secret) ?? null, csrf: csrfTokenOf(session.id) };
      });

      await pages.register(async (inner) => {
        const guarded = inner as unknown as Server;
        guarded.addHook('preHandler', async (request, reply) => {
          request.consoleSession = await sessions.of(request);
          if (request.consoleSession === undefined) {
            if (request.routeOptions.url === '/console')
              return sendPage(reply, signInPage(assets, 'Console', waysIn[access.way], endedNotice(request)));
            return reply.redirect(signInPath('/console', request), 303);
          }
          if (request.method === 'POST') sessions.requireOwnForm(request);
          return undefined;
        });
        guarded.post('/dismiss', unlisted({}), async (request, reply) => {
          await sessions.keep(request, undefined);
          return reply.redirect(cameFrom(request), 303);
        });
        // The session keeps the key sealed until the operator dismisses it. A key that exists is not made again.
        guarded.post('/example-key', unlisted({}), async (request) => {
          const kept = exampleKey(request.consoleSession?.keptNotice?.secret);
          const key = kept ?? (await createExampleKey(services.db, actorOf(request), services.keyPepper));
          if (kept === undefined) await sessions.keep(request, { tone: 'good', text: exampleKeyText, secret: key });
          return { key };
        });
        guarded.post('/sign-out', unlisted({}), async (request, reply) => {
          await sessions.signOut(request, reply);
          return reply.redirect('/console', 303);
        });
        const send = async (request: FastifyRequest, reply: FastifyReply, show: Show, frame: WorkFrame) =>
          sendPage(reply, workPage(frame, area, await show(request, frame)));
        const routes: ConsoleRoutes = {
          page: (path, show) =>
            void guarded.get(path, unlisted({}), async (request, reply) =>
              send(request, reply, show, await frameOf(request, doneNotice(request))),
            ),
          change: (path, show, apply) =>
            void guarded.post(path, unlisted({}), async (request, reply) => {
              try {
                const done = await apply(request, actorOf(request));
                if ('tone' in done) return await send(request, reply, show, await frameOf(request, done));
                // A reload must neither lose it nor make another one.
                if (done.keep !== undefined) await sessions.keep(request, done.keep);
                return reply.redirect(done.goTo, 303);
              } catch (error) {
                const fault = toAppError(error);
                if (fault.code === 'INTERNAL' || fault.code === 'UNAVAILABLE') throw error;
                const refused = { action: request.url, fields: [...fieldsOf(request)] };
                const frame = { ...(await frameOf(request, { tone: 'bad', text: fault.message })), refused };
                return send(request, reply.status(statusOf(fault)), show, frame);
              }
            }),
          raw: (path, handle) => void guarded.get(path, unlisted({}), handle),
        };
        const overview = shared(() => readOverview(services), 1_000);
        registerOverviewPage(routes, overview);
        registerTasksPage(routes, services);
        registerTaskPage(routes, services);
        registerAccountsPage(routes, services);
        registerAccountPage(routes, services);
        registerUsagePage(routes, services);
        registerSeriesPages(routes, services);
        registerEnginesPage(routes, services, overview);
        registerEvaluationsPage(routes, services);
        registerWebhookPages(routes, services);
        registerSystemPage(routes, services);
        registerAuditPage(routes, services);
      });

      // A console whose database is away says so by itself; the banner must not hide it.
      const alerts = shared(async () => engineAlerts(await readEngineStates(services.db)).map(alertView), 1_000);
      async function frameOf(request: FastifyRequest, notice: Notice | undefined): Promise<WorkFrame> {
        const { id = '', keptNotice } = request.consoleSession ?? {};
        return { assets, csrf: csrfTokenOf(id), notice, keptNotice, banner: await alerts() };
      }
    },
    { prefix: '/console' },
  );
}

const waysIn = {
  token: html`<form class="sign-in" method="post" action="/console/sign-in">
<label class="field"><span>Operator token</span><input name="token" type="password" required autocomplete="current-password" autofocus></label>
<button class="primary">Sign in</button></form>
<p class="muted small">The token is the setting <code>TOLEDO_OPERATOR_TOKEN</code> of this service.</p>`,
  link: html`<p>Open the sign-in link that <code>npm start</code> printed. It works once. <code>npx toledo console link</code> makes another.</p>
<p class="muted small">For a console that others can reach, set <code>TOLEDO_OPERATOR_TOKEN</code>.</p>`,
};

function alertView(alert: string): Html {
  return html`<div class="notice bad" role="alert"><p>${alert} <a href="/console/engines">Engines</a></p></div>`;
}

/** The page of the console that a form was on. */
function cameFrom({ headers }: FastifyRequest): string {
  const from = headers.referer;
  const path = from !== undefined && URL.canParse(from) ? new URL(from).pathname : '';
  return /^\/console(\/|$)/.test(path) ? path : '/console';
}

function actorOf(request: FastifyRequest): string {
  return `console (${request.ip})`;
}

/** What a change came to, by a word in the address: the text itself never comes from there. */
const doneTexts: Record<string, string> = {
  cancelled: 'The task is cancelled.',
  retried: 'This is the new task; the failed one stays as it is.',
  requeued: 'The task waits for a worker again.',
  'topped-up': 'The credits were added.',
  'booked-before': 'This reference was booked before; nothing changed.',
  refunded: 'The credits were refunded.',
  updated: 'The limits were saved.',
  suspended: 'The account is suspended.',
  resumed: 'The account is no longer suspended.',
  revoked: 'The key is revoked.',
  redelivered: 'The event is sent once more.',
};

function doneNotice(request: FastifyRequest): Notice | undefined {
  const done = queryText(request, 'done');
  const text = Object.hasOwn(doneTexts, done) ? doneTexts[done] : undefined;
  return text === undefined ? undefined : { tone: 'good', text };
}
