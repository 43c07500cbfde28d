import { nameKeyword } from './schemas.ts';

interface OpenapiDocument {
  components?: { schemas?: Record<string, unknown> };
}

/**
 * Moves every shape that has a name (see `named`) into `components.schemas` and leaves a reference in its place. Routes keep
 * whole schemas, so that their handlers stay typed; the document says each shape once.
 */
export function withNamedSchemas<T extends object>(openapi: T): T {
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
  const document = visit(openapi) as T & OpenapiDocument;
  const schemas = { ...document.components?.schemas, ...Object.fromEntries([...named].sort()) };
  return { ...document, components: { ...document.components, schemas } };
}
