import { openapiDocument } from '../openapi.ts';
import { referencePage } from '../reference-page.ts';
import type { Server } from '../server.ts';

const pagePolicy =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The OpenAPI document and the page that shows it: public, so that an engineer can read before there is a key. */
export function registerReferenceRoutes(server: Server, apiPrefix: string): void {
  // Made on the first request: only then are all routes registered.
  const openapi = once(() => openapiDocument(server));
  const page = once(() => referencePage(openapi()));

  server.get(`${apiPrefix}/openapi.json`, { schema: { hide: true } }, async (_request, reply) =>
    reply.type('application/json; charset=utf-8').send(openapi()),
  );
  server.get('/docs', { schema: { hide: true } }, async (_request, reply) =>
    reply.header('content-security-policy', pagePolicy).type('text/html; charset=utf-8').send(page()),
  );
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
