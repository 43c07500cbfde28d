/**
 * The reference page at /docs: the OpenAPI document as one readable HTML page, without scripts and without anything
 * from elsewhere. Hand-written because the viewers of the field are megabytes of JavaScript that a strict content
 * security policy would have to let in.
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
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
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
${operation.parameters?.length ? `<h4>Parameters</h4>${parameterTable(operation.parameters)}` : ''}
${bodySection(operation)}
<h4>Answers</h4>${Object.entries(operation.responses).map(answer).join('')}</section>`;
}

/** All content types carry the same fields, so the first one stands for them. */
function bodySection(operation: Operation): string {
  const content = operation.requestBody?.content ?? {};
  const schema = Object.values(content)[0]?.schema;
  return schema
    ? `<h4>Body <small>${escapeHtml(Object.keys(content).join(', '))}</small></h4>${fieldTable(schema)}`
    : '';
}

function answer([status, response]: [string, Operation['responses'][string]]): string {
  const schema = Object.values(response.content ?? {})[0]?.schema;
  const data = schema?.properties?.data;
  const fields = status.startsWith('2') && data?.properties ? fieldTable(data) : '';
  return `<details${status.startsWith('2') ? ' open' : ''}><summary><b class="s${status[0]}">${status}</b> ${inline(response.description)}</summary>${fields}</details>`;
}

function parameterTable(parameters: NonNullable<Operation['parameters']>): string {
  const rows = parameters.map((parameter) =>
    row(
      parameter.name,
      parameter.schema ?? {},
      parameter.required === true,
      `${parameter.in}. ${parameter.description ?? ''}`,
    ),
  );
  return `<table>${rows.join('')}</table>`;
}

function fieldTable(schema: Schema, prefix = ''): string {
  return `<table>${fieldRows(schema, prefix).join('')}</table>`;
}

function fieldRows(schema: Schema, prefix: string): string[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const nested = field.properties
      ? fieldRows(field, `${prefix}${name}.`)
      : field.items?.properties
        ? fieldRows(field.items, `${prefix}${name}[].`)
        : [];
    return [row(prefix + name, field, schema.required?.includes(name) === true, field.description ?? ''), ...nested];
  });
}

function row(name: string, schema: Schema, required: boolean, description: string): string {
  return `<tr><td><code>${escapeHtml(name)}</code>${required ? '' : ' <i>optional</i>'}</td><td>${escapeHtml(typeName(schema))}</td><td>${inline(description)}</td></tr>`;
}

function typeName(schema: Schema): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (schema.anyOf) return schema.anyOf.map(typeName).join(' | ');
  if (schema.items) return `array of ${typeName(schema.items)}`;
  return `${[schema.type ?? 'any'].flat().join(' | ')}${schema.format ? ` (${schema.format})` : ''}`;
}

function curl({ path, method, operation }: Located): string {
  const key = operation.security?.length === 0 ? '' : ` \\\n  -H "Authorization: Bearer $TOLEDO_API_KEY"`;
  return `curl${method === 'GET' ? '' : ` -X ${method}`} http://127.0.0.1:8080${path.replace(/\{(\w+)\}/g, (_whole, name) => `$${String(name).toUpperCase()}`)}${key}`;
}

function errorSection(): string {
  const rows = Object.entries(errorTable).map(
    ([code, { status, when }]) =>
      `<tr><td>${status}</td><td><code>${code}</code></td><td>${escapeHtml(when)}</td></tr>`,
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
