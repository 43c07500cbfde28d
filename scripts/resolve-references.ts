/** The OpenAPI document with every reference replaced by what it names: for readers that want whole schemas. */
export function resolveReferences<T extends object>(openapi: T): T {
  const { schemas } = (openapi as { components: { schemas: Record<string, unknown> } }).components;
  const visit = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(visit);
    if (typeof value !== 'object' || value === null) return value;
    const { $ref: reference, ...beside } = value as Record<string, unknown>;
    const name = typeof reference === 'string' ? reference.replace('#/components/schemas/', '') : undefined;
    const source = name === undefined ? value : { ...(schemas[name] as object), ...beside };
    return Object.fromEntries(Object.entries(source).map(([key, each]) => [key, visit(each)]));
  };
  return visit(openapi) as T;
}
