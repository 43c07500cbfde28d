/** In a browser every address answers with a page, also where there is nothing to see. Programs get the envelope. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { PageAssets } from '../pages/page-assets.ts';
import { messagePage, pagePolicy } from '../pages/page-shell.ts';
import type { ErrorEnvelope } from './envelope.ts';
import type { Server } from './server.ts';

export function registerErrorPages(server: Server, assets: PageAssets): void {
  server.addHook('onSend', (request, reply, payload, done) => {
    if (reply.statusCode < 400 || !isEnvelope(reply) || !isForPerson(request)) return done(null, payload);
    const { error } = JSON.parse(String(payload)) as ErrorEnvelope;
    reply.header('content-security-policy', pagePolicy).type('text/html; charset=utf-8');
    const note = reply.statusCode >= 500 ? ` Request id: ${error.request_id}` : '';
    return done(null, messagePage(assets, titleOf(reply.statusCode), `${error.message}${note}`));
  });
}

/**
 * Under /api the word of the Accept header is not enough: the HTTP client of Java asks for text/html unless it is told otherwise.
 * Only a browser says that somebody went there.
 */
function isForPerson({ method, url, headers }: FastifyRequest): boolean {
  if (method !== 'GET' || !headers.accept?.includes('text/html')) return false;
  return !url.startsWith('/api/') || headers['sec-fetch-mode'] === 'navigate';
}

function isEnvelope(reply: FastifyReply): boolean {
  return String(reply.getHeader('content-type') ?? '').startsWith('application/json');
}

function titleOf(status: number): string {
  if (status === 404) return 'There is no such page';
  return status >= 500 ? 'Something went wrong' : 'That did not work';
}
