/** The partner's pages at /account: signed in with an API key, made of what the public API answers to it. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { fieldsOf, sendPage, takeForms, text } from '../http/page-form.ts';
import {
  csrfTokenOf,
  endedNotice,
  exampleKey,
  NotAllowed,
  requireOwnForm,
  requireOwnSite,
  SessionCookie,
  signInPath,
} from '../http/page-session.ts';
import { unlisted } from '../http/schemas.ts';
import type { Server } from '../http/server.ts';
import { html } from '../pages/html.ts';
import type { PageAssets } from '../pages/page-assets.ts';
import { messagePage } from '../pages/page-shell.ts';
import { type Notice, signInPage, workPage } from '../pages/work-page.ts';
import type { Db } from '../platform/postgres.ts';
import { ApiFault, accountApi } from './account-api.ts';
import { type AccountFrame, type AccountRoutes, type Show, sections } from './account-frame.ts';
import { closeAccountSession, keyOfSession, openAccountSession, sessionHours } from './account-session-store.ts';
import { registerKeysPage } from './keys-page.ts';
import { registerSeriesPages } from './series-pages.ts';
import { registerTaskPage } from './task-page.ts';
import { registerTasksPage } from './tasks-page.ts';
import { registerUsagePage } from './usage-page.ts';
import { registerWebhookPages } from './webhook-pages.ts';

export interface AccountPagesDependencies {
  assets: PageAssets;
  db: Db;
  publicUrl: string | undefined;
}

interface Session {
  id: string;
  key: string;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** On every page of a partner who is signed in. */
    accountSession: Session | undefined;
  }
}

const area = { name: 'Account', root: '/account', sections };

export async function registerAccountPages(
  server: Server,
  { assets, db, publicUrl }: AccountPagesDependencies,
): Promise<void> {
  server.decorateRequest('accountSession', undefined);
  const cookie = new SessionCookie('toledo_account', '/account', publicUrl);
  const endSession = async (request: FastifyRequest, reply: FastifyReply) => {
    const id = cookie.read(request.headers.cookie);
    if (id !== undefined) await closeAccountSession(db, id);
    reply.header('set-cookie', cookie.clear());
  };

  await server.register(
    async (scope) => {
      const pages = scope as unknown as Server;
      takeForms(pages);
      pages.setErrorHandler(async (error, request, reply) => {
        if (error instanceof NotAllowed)
          return sendPage(reply.status(403), messagePage(assets, 'That did not work', error.message));
        if (!(error instanceof ApiFault)) throw error;
        reply.status(error.status);
        if (error.retryAfter !== undefined) reply.header('retry-after', error.retryAfter);
        if (error.endsSession) {
          await endSession(request, reply);
          return sendPage(reply, signInPage(assets, 'Account', keyForm, error.message));
        }
        return sendPage(reply, messagePage(assets, 'That did not work', error.message));
      });

      pages.post('/sign-in', unlisted({}), async (request, reply) => {
        requireOwnSite(request, publicUrl);
        const key = text(fieldsOf(request), 'key');
        // The API says whether the key is good, and counts the guesses of an address.
        const { api_key_prefix } = await accountApi(server, request, key).get<{ api_key_prefix: string }>('/usage');
        // Never the id that the browser came with: somebody else may have put it there.
        await endSession(request, reply);
        const id = await openAccountSession(db, key, api_key_prefix);
        reply.removeHeader('set-cookie').header('set-cookie', cookie.set(id, sessionHours));
        return reply.redirect('/account', 303);
      });

      // For the examples of the documentation. A visitor who is not signed in gets an empty answer and no page.
      pages.get('/example-key', unlisted({}), async (request, reply) => {
        const id = cookie.read(request.headers.cookie);
        const key = id === undefined ? undefined : exampleKey(await keyOfSession(db, id));
        if (key === undefined || !(await isGood(request, key))) return reply.status(204).send();
        return { key };
      });

      await pages.register(async (inner) => {
        const guarded = inner as unknown as Server;
        guarded.addHook('preHandler', async (request, reply) => {
          const id = cookie.read(request.headers.cookie);
          const key = id === undefined ? undefined : await keyOfSession(db, id);
          if (id === undefined || key === undefined) {
            if (request.routeOptions.url === '/account')
              return sendPage(reply, signInPage(assets, 'Account', keyForm, endedNotice(request)));
            return reply.redirect(signInPath('/account', request), 303);
          }
          request.accountSession = { id, key };
          if (request.method === 'POST') requireOwnForm(request, id, publicUrl);
          return undefined;
        });
        guarded.post('/sign-out', unlisted({}), async (request, reply) => {
          await endSession(request, reply);
          return reply.redirect('/account', 303);
        });
        const send = async (request: FastifyRequest, reply: FastifyReply, show: Show, frame: AccountFrame) =>
          sendPage(reply, workPage(frame, area, await show(request, frame)));
        const routes: AccountRoutes = {
          page: (path, show) =>
            void guarded.get(path, unlisted({}), async (request, reply) =>
              send(request, reply, show, frameOf(request)),
            ),
          change: (path, show, apply) =>
            void guarded.post(path, unlisted({}), async (request, reply) => {
              const frame = { ...frameOf(request), isAnswer: true };
              try {
                return await send(request, reply, show, { ...frame, notice: await apply(request, frame.api) });
              } catch (error) {
                if (!(error instanceof ApiFault) || error.endsSession) throw error;
                const notice: Notice = { tone: 'bad', text: error.message };
                return send(request, reply.status(error.status), show, { ...frame, notice });
              }
            }),
          redirect: (path, target) =>
            void guarded.get(path, unlisted({}), async (request, reply) =>
              reply.redirect(await target(request, frameOf(request).api), 303),
            ),
        };
        registerTasksPage(routes);
        registerTaskPage(routes);
        registerUsagePage(routes);
        registerSeriesPages(routes);
        registerWebhookPages(routes);
        registerKeysPage(routes);
      });

      /** A key may have been revoked since. */
      async function isGood(request: FastifyRequest, key: string): Promise<boolean> {
        return await accountApi(server, request, key)
          .get('/usage')
          .then(
            () => true,
            (error) => {
              if (!(error instanceof ApiFault)) throw error;
              return false;
            },
          );
      }

      function frameOf(request: FastifyRequest): AccountFrame {
        const { id, key } = request.accountSession as Session;
        return { assets, csrf: csrfTokenOf(id), api: accountApi(server, request, key) };
      }
    },
    { prefix: '/account' },
  );
}

const keyForm = html`<form class="sign-in" method="post" action="/account/sign-in">
<label class="field"><span>API key</span><input name="key" type="password" required autocomplete="off" spellcheck="false" autofocus></label>
<button class="primary">Sign in</button></form>
<p class="muted small">A live key shows live tasks, a test key test tasks. You stay signed in for twelve hours, or until the key is revoked.</p>`;
