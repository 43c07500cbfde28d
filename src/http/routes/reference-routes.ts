import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../errors.ts';
import { escapeHtml } from '../../pages/html.ts';
import type { PageAssets } from '../../pages/page-assets.ts';
import { pagePolicy } from '../../pages/page-shell.ts';
import { referenceSite } from '../../pages/reference/reference-site.ts';
import { lazily } from '../../platform/lazily.ts';
import { exampleRoot, openapiDocument } from '../openapi.ts';
import { unlisted } from '../schemas.ts';
import { apiPrefix, publicRoot, type Server } from '../server.ts';

export interface ReferenceRouteDependencies {
  assets: PageAssets;
  publicUrl: string | undefined;
}

/** The documentation and the OpenAPI document: public, so that engineers can read it before they have a key. */
export function registerReferenceRoutes(server: Server, { assets, publicUrl }: ReferenceRouteDependencies): void {
  // Made on the first request: only then are all routes registered.
  const openapi = lazily(() => openapiDocument(server));
  const openapiText = lazily(() => JSON.stringify(openapi()));
  const site = lazily(() => referenceSite(openapi(), assets));

  // Texts are made with a stand-in for the address, and get the real one as they go out.
  const withRoot = (request: FastifyRequest, text: string, spelled: (root: string) => string) =>
    text.replaceAll(exampleRoot, () => spelled(publicRoot(request, publicUrl)));
  const sendPage = (request: FastifyRequest, reply: FastifyReply, page: string | undefined) => {
    if (page === undefined) throw new AppError('NOT_FOUND', 'There is nothing at this address.');
    return reply
      .header('content-security-policy', pagePolicy)
      .type('text/html; charset=utf-8')
      .send(withRoot(request, page, escapeHtml));
  };
  const plain = (root: string) => root;
  const inJson = (root: string) => JSON.stringify(root).slice(1, -1);

  server.get(`${apiPrefix}/openapi.json`, unlisted({}), async (request, reply) =>
    reply.type('application/json; charset=utf-8').send(withRoot(request, openapiText(), inJson)),
  );
  server.get('/docs', unlisted({}), async (request, reply) => sendPage(request, reply, site().page('/docs')));
  server.get('/docs/', unlisted({}), async (_request, reply) => reply.redirect('/docs', 308));
  server.get('/docs/search.json', unlisted({}), async (_request, reply) =>
    reply.type('application/json; charset=utf-8').send(site().searchIndex),
  );
  server.get('/docs/guides/:name', unlisted({}), async (request, reply) => {
    const { name } = request.params as { name: string };
    const markdown = name.endsWith('.md') ? site().markdown(name.slice(0, -'.md'.length)) : undefined;
    if (markdown === undefined) return sendPage(request, reply, site().page(`/docs/guides/${name}`));
    return reply.type('text/markdown; charset=utf-8').send(withRoot(request, markdown, plain));
  });
  for (const folder of ['api', 'objects']) {
    server.get(`/docs/${folder}/:name`, unlisted({}), async (request, reply) =>
      sendPage(request, reply, site().page(`/docs/${folder}/${(request.params as { name: string }).name}`)),
    );
  }
  server.get('/llms.txt', unlisted({}), async (request, reply) =>
    reply.type('text/plain; charset=utf-8').send(withRoot(request, site().llmsText, plain)),
  );
}
