/** The console at /console: sign-in, the frame of every page and of every change, and what belongs to no single section. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { statusOf } from '../http/envelope.ts';
import { toAppError } from '../http/error-translation.ts';
import { csrfTokenOf, NotAllowed } from '../http/own-form.ts';
import { queryText } from '../http/page-form.ts';
import type { Server } from '../http/server.ts';
import { readOverview } from '../operators/overview.ts';
import { messagePage, pagePolicy } from '../pages/page-shell.ts';
import type { Notice } from '../pages/work-page.ts';
import { registerAccountPage } from './account-page.ts';
import { registerAccountsPage } from './accounts-page.ts';
import { registerAuditPage } from './audit-page.ts';
import type { ConsoleFrame } from './console-page.ts';
import type { ConsoleRoutes, ConsoleServices } from './console-routes.ts';
import { registerEnginesPage } from './engines-page.ts';
import { registerEvaluationsPage } from './evaluations-page.ts';
import { registerOverviewPage } from './overview-page.ts';
import { ConsoleSessions } from './session.ts';
import { signInPage } from './sign-in-page.ts';
import { ConsoleStreams, shared } from './stream.ts';
import { registerSystemPage } from './system-page.ts';
import { registerTaskPage } from './task-page.ts';
import { registerTasksPage } from './tasks-page.ts';
import { registerUsagePage } from './usage-page.ts';
import { registerWebhooksPage } from './webhooks-page.ts';

const hidden = { schema: { hide: true } };

export async function registerConsole(server: Server, services: ConsoleServices): Promise<void> {
  server.decorateRequest('consoleSession', undefined);
  await server.register(
    async (scope) => {
      const pages = scope as unknown as Server;
      pages.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) =>
        done(null, new URLSearchParams(body as string)),
      );
      const { assets, access } = services;
      const sessions = new ConsoleSessions(services.db, access);
      const send = (reply: FastifyReply, page: string) =>
        reply
          .header('content-security-policy', pagePolicy)
          // With "no-referrer" browsers would not say that the console's own forms come from the console.
          .header('referrer-policy', 'same-origin')
          .type('text/html; charset=utf-8')
          .send(page);

      pages.setErrorHandler((error, request, reply) => {
        if (error instanceof NotAllowed)
          return send(reply.status(403), messagePage(assets, 'That did not work', error.message));
        const fault = toAppError(error);
        // What we did not expect is logged and answered as everywhere else.
        if (fault.code === 'INTERNAL') throw error;
        reply.status(statusOf(fault));
        if (fault.retryAfterSeconds !== undefined) reply.header('retry-after', String(fault.retryAfterSeconds));
        const signingIn = request.routeOptions.url === '/console/sign-in';
        return send(
          reply,
          signingIn
            ? signInPage(assets, access.way, fault.message)
            : messagePage(assets, 'That did not work', fault.message),
        );
      });

      pages.get('/sign-in', hidden, async (request, reply) => {
        const code = queryText(request, 'code');
        if (code === '' || access.way !== 'link') return reply.redirect('/console', 303);
        await sessions.signInByLink(request, reply, code);
        return reply.redirect('/console', 303);
      });
      pages.post('/sign-in', hidden, async (request, reply) => {
        if (access.way !== 'token') throw new NotAllowed('This console is entered by a link.');
        await sessions.signInByToken(request, reply);
        return reply.redirect('/console', 303);
      });

      await pages.register(async (inner) => {
        const guarded = inner as unknown as Server;
        guarded.addHook('preHandler', async (request, reply) => {
          request.consoleSession = await sessions.of(request);
          if (request.consoleSession === undefined) {
            if (request.routeOptions.url === '/console') return send(reply, signInPage(assets, access.way));
            return reply.redirect('/console', 303);
          }
          if (request.method === 'POST') sessions.requireOwnForm(request);
          return undefined;
        });
        guarded.post('/sign-out', hidden, async (request, reply) => {
          await sessions.signOut(request, reply);
          return reply.redirect('/console', 303);
        });
        const routes: ConsoleRoutes = {
          streams: new ConsoleStreams(services.stopping),
          page: (path, render) =>
            void guarded.get(path, hidden, async (request, reply) =>
              send(reply, await render(request, frameOf(request, doneNotice(request)))),
            ),
          change: (path, { apply, back, show }) =>
            void guarded.post(path, hidden, async (request, reply) => {
              try {
                const done = await apply(request, actorOf(request));
                if (typeof done === 'string') return reply.redirect(`${back(request)}?done=${done}`, 303);
                if ('goTo' in done) return reply.redirect(done.goTo, 303);
                return send(reply, await show(request, frameOf(request, done)));
              } catch (error) {
                const fault = toAppError(error);
                if (fault.code === 'INTERNAL' || fault.code === 'UNAVAILABLE') throw error;
                const page = await show(request, frameOf(request, { tone: 'bad', text: fault.message }));
                return send(reply.status(statusOf(fault)), page);
              }
            }),
          raw: (path, handle) => void guarded.get(path, hidden, handle),
        };
        const overview = shared(() => readOverview(services), 1_000);
        registerOverviewPage(routes, overview);
        registerTasksPage(routes, services);
        registerTaskPage(routes, services);
        registerAccountsPage(routes, services);
        registerAccountPage(routes, services);
        registerUsagePage(routes, services);
        registerEnginesPage(routes, services, overview);
        registerEvaluationsPage(routes, services);
        registerWebhooksPage(routes, services);
        registerSystemPage(routes, services);
        registerAuditPage(routes, services);
      });

      function frameOf(request: FastifyRequest, notice: Notice | undefined): ConsoleFrame {
        return { assets, csrf: csrfTokenOf(request.consoleSession ?? ''), notice };
      }
    },
    { prefix: '/console' },
  );
}

function actorOf(request: FastifyRequest): string {
  return `console (${request.ip})`;
}

/** What a change came to, by a word in the address: the text itself never comes from there. */
const doneTexts: Record<string, string> = {
  cancelled: 'The task is cancelled.',
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
