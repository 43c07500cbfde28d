/** The OpenAPI 3.1 document, generated from the routes' schemas. */

import swagger from '@fastify/swagger';
import { withAnswers } from '../pages/reference/task-answers.ts';
import type { Server } from './server.ts';
import { nameKeyword } from './shapes.ts';

/** Stands for the address of the service in generated texts; the server inserts the real one. */
export const exampleRoot = 'http://127.0.0.1:8080';

export async function registerOpenapi(server: Server): Promise<void> {
  await server.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Toledo partner API',
        version: '1.0.0-draft',
        description: introduction,
        license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
      },
      servers: [{ url: exampleRoot, description: 'This service.' }],
      tags: [
        { name: 'Tasks', description: 'Create a task, poll it, download the book.' },
        { name: 'Series', description: 'A story that goes on: terms and a memory, so that only what is new is paid.' },
        { name: 'Events', description: 'What happened, in order, for those who would rather not poll.' },
        { name: 'Webhooks', description: 'The same events, sent to you.' },
        { name: 'Account', description: 'Balance, period and rate limit of the calling key.' },
        { name: 'Service', description: 'What can be asked for, and how much.' },
        { name: 'Operations', description: 'For load balancers and monitors; no key needed.' },
      ],
      components: {
        securitySchemes: {
          apiKey: { type: 'http', scheme: 'bearer', description: 'Your API key: `Authorization: Bearer tol_live_…`' },
        },
      },
      security: [{ apiKey: [] }],
    },
    hideUntagged: true,
  });
}

/** The document itself; complete only after all routes are registered. */
export function openapiDocument(server: Server): object {
  return withAnswers(withNamedSchemas(server.swagger()));
}

const introduction = `Toledo translates long-form novels. You create a **task** by naming an action, poll it, and download the book.

Every answer is JSON: \`{"success": true, "data": {…}}\`, or \`{"success": false, "data": {}, "error": {"code", "message", "details", "request_id"}}\`.
Send your key as \`Authorization: Bearer …\` with every request and keep it on your servers.

One credit is one source character. Credits are prepaid; GET /usage shows the balance.`;

/**
 * Moves every shape that has a name (see `named`) into `components.schemas` and leaves a reference in its place. Routes keep
 * whole schemas, so that their handlers stay typed; the document says each shape once.
 */
function withNamedSchemas<T extends object>(openapi: T): T {
  const named = new Map<string, object>();
  const visit = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(visit);
    if (typeof value !== 'object' || value === null) return value;
    const { [nameKeyword]: name, ...rest } = value as Record<string, unknown>;
    const visited = Object.fromEntries(Object.entries(rest).map(([key, each]) => [key, visit(each)]));
    if (typeof name !== 'string') return visited;
    named.set(name, visited);
    return { $ref: `#/components/schemas/${name}` };
  };
  const document = visit(openapi) as T & { components?: object };
  const schemas = Object.fromEntries([...named].sort());
  return { ...document, components: { ...document.components, schemas } };
}
