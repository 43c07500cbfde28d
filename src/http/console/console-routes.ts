/** The console at /console: sign-in, the frame of every page and of every change, and what belongs to no single section. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ConsoleFrame, Notice } from '../../pages/console/console-shell.ts';
import { signInPage } from '../../pages/console/sign-in-page.ts';
import { messagePage, pagePolicy } from '../../pages/page-shell.ts';
import { statusOf } from '../envelope.ts';
import { toAppError } from '../error-translation.ts';
import type { Server } from '../server.ts';
import { registerConsoleAccounts } from './account-pages.ts';
import type { ConsoleDependencies, ConsoleRoutes } from './console-dependencies.ts';
import { queryText } from './console-form.ts';
import { ConsoleSessions, csrfTokenOf, NotAllowed, requireOwnForm } from './console-session.ts';
import { ConsoleStreams } from './console-stream.ts';
import { registerConsoleOperations } from './operation-pages.ts';
import { registerConsoleTasks } from './task-pages.ts';

const hidden = { schema: { hide: true } };

export async function registerConsoleRoutes(server: Server, deps: ConsoleDependencies): Promise<void> {
  server.decorateRequest('consoleSession', undefined);
  await server.register(
    async (scope) => {
      const pages = scope as unknown as Server;
      pages.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) =>
        done(null, new URLSearchParams(body as string)),
      );
      const { assets, access } = deps;
      const sessions = new ConsoleSessions(deps.db, access);
      const send = (reply: FastifyReply, page: string) =>
        reply.header('content-security-policy', pagePolicy).type('text/html; charset=utf-8').send(page);

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
          if (request.method === 'POST') requireOwnForm(request);
          return undefined;
        });
        guarded.post('/sign-out', hidden, async (request, reply) => {
          await sessions.signOut(request, reply);
          return reply.redirect('/console', 303);
        });
        const routes: ConsoleRoutes = {
          streams: new ConsoleStreams(deps.stopping),
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
        registerConsoleOperations(routes, deps);
        registerConsoleTasks(routes, deps);
        registerConsoleAccounts(routes, deps);
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
