/**
 * The reference page at /docs: the OpenAPI document as one readable HTML page, without scripts or external
 * resources. Hand-written because the usual viewers are megabytes of JavaScript that a strict content security policy would
 * have to allow.
 */
import { errorTable } from '../errors.ts';
import { referenceStyle } from './reference-style.ts';

interface Schema {
  type?: string | string[];
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  const?: unknown;
  enum?: unknown[];
  format?: string;
}
interface Operation {
  operationId: string;
  summary?: string;
  description?: string;
  tags?: string[];
  security?: unknown[];
  parameters?: { name: string; in: string; required?: boolean; description?: string; schema?: Schema }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses: Record<string, { description: string; content?: Record<string, { schema: Schema }> }>;
  'x-examples'?: { title: string; code: string }[];
}
interface OpenapiDocument {
  info: { title: string; version: string; description: string };
  servers: { url: string }[];
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
}

export function referencePage(openapi: object): string {
  const document = openapi as OpenapiDocument;
  const operations = Object.entries(document.paths)
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
    )
    // HEAD is the GET beside it, without the body.
    .filter(({ method }) => method !== 'HEAD')
    .sort(inReadingOrder);
  const groups = document.tags
    .map((tag) => ({ tag, operations: operations.filter(({ operation }) => operation.tags?.includes(tag.name)) }))
    .filter((group) => group.operations.length > 0);
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(document.info.title)}</title><style>${referenceStyle}</style></head>
<body><nav><p class="brand">${escapeHtml(document.info.title)}</p>${groups.map(navGroup).join('')}
<p class="group">Errors</p><ul><li><a href="#errors">All codes</a></li></ul>
<p class="group">Machine readable</p><ul><li><a href="/api/v1/openapi.json">openapi.json</a></li></ul></nav>
<main><h1>${escapeHtml(document.info.title)} <small>${escapeHtml(document.info.version)}</small></h1>${prose(document.info.description)}
${groups.map((group) => `<h2>${escapeHtml(group.tag.name)}</h2>${prose(group.tag.description)}${group.operations.map(operationSection).join('')}`).join('')}
${errorSection()}</main></body></html>`;
}

interface Located {
  path: string;
  method: string;
  operation: Operation;
}

/** In the order in which a partner needs them: versioned paths first, short before long, and POST, GET, DELETE on one path. */
function inReadingOrder(a: Located, b: Located): number {
  const rank = ({ path, method }: Located) => [
    path.startsWith('/api/v1/') ? 0 : 1,
    path.split('/').length,
    path,
    ['POST', 'GET', 'DELETE'].indexOf(method),
  ];
  const [left, right] = [rank(a), rank(b)];
  for (const [i, value] of left.entries()) {
    const other = right[i] as typeof value;
    if (value !== other) return value < other ? -1 : 1;
  }
  return 0;
}

function navGroup(group: { tag: { name: string }; operations: Located[] }): string {
  const items = group.operations.map(
    ({ method, path, operation }) =>
      `<li><a href="#${operation.operationId}"><b class="${method}">${method}</b> ${escapeHtml(path.replace('/api/v1', ''))}</a></li>`,
  );
  return `<p class="group">${escapeHtml(group.tag.name)}</p><ul>${items.join('')}</ul>`;
}

function operationSection({ path, method, operation }: Located): string {
  const examples = operation['x-examples'] ?? [{ title: 'curl', code: curl({ path, method, operation }) }];
  return `<section id="${operation.operationId}"><h3><b class="${method}">${method}</b> <code>${escapeHtml(path)}</code></h3>
<p class="summary">${inline(operation.summary ?? '')}</p>${prose(operation.description ?? '')}
${examples.map((example) => `<figure><figcaption>${escapeHtml(example.title)}</figcaption><pre>${escapeHtml(example.code)}</pre></figure>`).join('')}
${operation.parameters?.length ? `<h4>Parameters</h4>${parameterList(operation.parameters)}` : ''}
${bodySection(operation)}
${answers(operation)}</section>`;
}

/** All content types carry the same fields, so the first one stands for them. */
function bodySection(operation: Operation): string {
  const content = operation.requestBody?.content ?? {};
  const schema = Object.values(content)[0]?.schema;
  return schema
    ? `<h4>Body <small>${escapeHtml(Object.keys(content).join(', '))}</small></h4>${fieldList(schema)}`
    : '';
}

function answers(operation: Operation): string {
  const [good, faults] = [true, false].map((wanted) =>
    Object.entries(operation.responses).filter(([status]) => status.startsWith('2') === wanted),
  ) as [[string, Operation['responses'][string]][], [string, Operation['responses'][string]][]];
  const faultRows = faults.map(
    ([status, { description }]) => `<tr><td><b class="s4">${status}</b></td><td>${inline(description)}</td></tr>`,
  );
  return `<h4>Answer</h4>${good.map(goodAnswer).join('')}
<details><summary>Errors <span class="statuses">${faults.map(([status]) => status).join(' ')}</span></summary><table>${faultRows.join('')}</table></details>`;
}

function goodAnswer([status, response]: [string, Operation['responses'][string]]): string {
  const data = Object.values(response.content ?? {})[0]?.schema?.properties?.data;
  const fields = data?.properties ? `<p class="in">Fields of <code>data</code></p>${fieldList(data)}` : '';
  return `<p><b class="s2">${status}</b> ${inline(response.description)}</p>${fields}`;
}

function parameterList(parameters: NonNullable<Operation['parameters']>): string {
  const items = parameters.map((parameter) =>
    field(
      parameter.name,
      parameter.schema ?? {},
      parameter.required === true,
      parameter.description ?? '',
      parameter.in,
    ),
  );
  return `<dl>${items.join('')}</dl>`;
}

function fieldList(schema: Schema): string {
  return `<dl>${fields(schema, '').join('')}</dl>`;
}

function fields(schema: Schema, prefix: string): string[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const nested = property.properties
      ? fields(property, `${prefix}${name}.`)
      : property.items?.properties
        ? fields(property.items, `${prefix}${name}[].`)
        : [];
    const required = schema.required?.includes(name) === true;
    return [field(prefix + name, property, required, property.description ?? ''), ...nested];
  });
}

function field(name: string, schema: Schema, required: boolean, description: string, place?: string): string {
  const notes = [typeName(schema), ...(place ? [`in ${place}`] : []), ...(required ? [] : ['optional'])];
  const values = closedValues(schema).map((value) => `<code>${escapeHtml(String(value))}</code>`);
  const said = [values.join(' '), inline(description)].filter(Boolean).map((part) => `<dd>${part}</dd>`);
  return `<div><dt><code>${escapeHtml(name)}</code> <span>${escapeHtml(notes.join(', '))}</span></dt>${said.join('')}</div>`;
}

/** The accepted values, where the set is closed. */
function closedValues(schema: Schema): unknown[] {
  if (schema.enum) return schema.enum;
  const constants = schema.anyOf?.map((option) => option.const) ?? [];
  return constants.every((value) => value !== undefined) ? constants : [];
}

function typeName(schema: Schema): string {
  if (closedValues(schema).length > 0) return 'one of';
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.anyOf) return [...new Set(schema.anyOf.map(typeName))].join(' or ');
  if (schema.items) return `array of ${typeName(schema.items)}`;
  if (schema.format === 'binary') return 'file';
  return `${[schema.type ?? 'any'].flat().join(' or ')}${schema.format ? ` (${schema.format})` : ''}`;
}

function curl({ path, method, operation }: Located): string {
  const address = path.replace(/\{(\w+)\}/g, (_whole, name) => `$${String(name).toUpperCase()}`);
  const lines = [
    `curl${method === 'GET' || operation.requestBody ? '' : ` -X ${method}`} http://127.0.0.1:8080${address}`,
  ];
  if (operation.security?.length !== 0) lines.push('-H "Authorization: Bearer $TOLEDO_API_KEY"');
  if (operation.requestBody) lines.push(...formExample);
  return lines.join(' \\\n  ');
}

/** The one body there is: a novel to be translated. */
const formExample = [
  '-H "Idempotency-Key: order-4711"',
  '-F action=translation',
  '-F target_lang=en',
  '-F estimated_chars=420000',
  '-F file=@novel.epub',
];

function errorSection(): string {
  const rows = Object.entries(errorTable).map(
    ([code, { status, when }]) =>
      `<tr><td><b class="s4">${status}</b></td><td><code>${code}</code><br>${escapeHtml(when)}</td></tr>`,
  );
  return `<section id="errors"><h2>Errors</h2><p>One envelope for all: <code>{"success": false, "data": {}, "error": {"code", "message", "details", "request_id"}}</code>.</p><table>${rows.join('')}</table></section>`;
}

function prose(text: string): string {
  return text
    .split(/\n{2,}/)
    .filter(Boolean)
    .map((paragraph) => `<p>${inline(paragraph)}</p>`)
    .join('');
}

function inline(text: string): string {
  return escapeHtml(text)
    .replace(/`([^`]+)`/g, '<code>$1</code>')
    .replace(/\*\*([^*]+)\*\*/g, '<b>$1</b>');
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (char) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[char] ?? char);
}
