/** The test key of an operator's session, for the examples of the documentation: the guides ask for it, and can have one made. */
import type { FastifyRequest } from 'fastify';
import { exampleKey } from '../http/example-key.ts';
import { csrfTokenOf } from '../http/own-form.ts';
import type { Server } from '../http/server.ts';
import { createExampleKey } from '../operators/example-keys.ts';
import type { ConsoleServices } from './console-routes.ts';
import type { ConsoleSessions } from './session.ts';

const hidden = { schema: { hide: true } };
const text = 'The test key of the examples in the documentation. It is shown until you dismiss it, and never again:';

/** Every browser asks, so a visitor who is not signed in gets an empty answer and no page. */
export function registerExampleKey(pages: Server, sessions: ConsoleSessions): void {
  pages.get('/example-key', hidden, async (request, reply) => {
    const session = await sessions.of(request);
    if (session === undefined) return reply.status(204).send();
    return { key: exampleKey(session.keptNotice?.secret) ?? null, csrf: csrfTokenOf(session.id) };
  });
}

/** Kept as any new key is: sealed in the session until it is dismissed. One that is there is not made again. */
export function registerNewExampleKey(
  guarded: Server,
  sessions: ConsoleSessions,
  { db, keyPepper }: ConsoleServices,
  actorOf: (request: FastifyRequest) => string,
): void {
  guarded.post('/example-key', hidden, async (request) => {
    const kept = exampleKey(request.consoleSession?.keptNotice?.secret);
    const key = kept ?? (await createExampleKey(db, actorOf(request), keyPepper));
    if (kept === undefined) await sessions.keep(request, { tone: 'good', text, secret: key });
    return { key };
  });
}
