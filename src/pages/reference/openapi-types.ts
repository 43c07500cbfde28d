/** The parts of an OpenAPI document that the reference shows. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  description?: string;
  properties?: Record<string, Schema>;
  additionalProperties?: boolean | Schema;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  const?: unknown;
  enum?: unknown[];
  format?: string;
  default?: unknown;
  minimum?: number;
  examples?: unknown[];
}

export interface Sample {
  title: string;
  code: string;
}

export interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  schema?: Schema;
}

export interface MediaContent {
  schema?: Schema;
  example?: unknown;
}

export interface Operation {
  operationId: string;
  summary?: string;
  description?: string;
  tags?: string[];
  security?: unknown[];
  parameters?: Parameter[];
  requestBody?: { content: Record<string, MediaContent> };
  responses: Record<string, { description: string; content?: Record<string, MediaContent> }>;
}

export interface OpenapiDocument {
  info: { title: string; version: string; description: string };
  servers: { url: string }[];
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

export interface LocatedOperation {
  path: string;
  method: string;
  operation: Operation;
}

export function operationsOf(document: OpenapiDocument): LocatedOperation[] {
  return (
    Object.entries(document.paths)
      .flatMap(([path, methods]) =>
        Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
      )
      // HEAD is the GET beside it, without the body.
      .filter(({ method }) => method !== 'HEAD')
      .sort(inReadingOrder)
  );
}

/** As a partner meets them: the versioned paths first, short before long, and on one path POST, GET, then the others. */
function inReadingOrder(a: LocatedOperation, b: LocatedOperation): number {
  const rank = ({ path, method }: LocatedOperation) => {
    const parts = String(path.split('/').length).padStart(2, '0');
    const place = ['POST', 'GET', 'PUT', 'PATCH', 'DELETE'].indexOf(method);
    return `${path.startsWith('/api/v1/') ? 0 : 1} ${parts} ${path} ${place}`;
  };
  return rank(a) < rank(b) ? -1 : 1;
}

export function nameOf(schema: Schema): string | undefined {
  return schema.$ref?.replace('#/components/schemas/', '');
}
