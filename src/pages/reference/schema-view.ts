/** Fields of a schema as a list; named shapes are linked, not repeated. */
import { type Html, html, join } from '../html.ts';
import { nameOf, type Parameter, type Schema } from './openapi-types.ts';

/** @param named shapes that fields refer to: a field without a sentence of its own has theirs */
export function fieldList(schema: Schema, named: Record<string, Schema>): Html {
  return html`<dl class="fields">${fieldsOf(schema, '', named)}</dl>`;
}

export function parameterList(parameters: readonly Parameter[]): Html {
  const items = parameters.map(({ name, schema = {}, required, description, in: place }) =>
    field(name, schema, required === true, description ?? schema.description ?? '', place),
  );
  return html`<dl class="fields">${items}</dl>`;
}

function fieldsOf(schema: Schema, prefix: string, named: Record<string, Schema>): Html[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const own = field(
      prefix + name,
      property,
      schema.required?.includes(name) === true,
      property.description ?? property.items?.description ?? named[nameOf(property) ?? '']?.description ?? '',
    );
    if (property.properties) return [own, ...fieldsOf(property, `${prefix}${name}.`, named)];
    if (property.items?.properties) return [own, ...fieldsOf(property.items, `${prefix}${name}[].`, named)];
    return [own];
  });
}

function field(name: string, schema: Schema, required: boolean, description: string, place?: string): Html {
  const values = closedValues(schema);
  return html`<div class="field"><dt><code>${name}</code> <span class="type">${typeName(schema)}</span>${
    place !== undefined && place !== 'query' && html` <span class="type">in the ${place}</span>`
  }${required && html` <span class="tag accent">required</span>`}</dt>${
    values.length > 0 &&
    html`<dd class="values">${join(
      values.map((value) => html`<code>${String(value)}</code>`),
      ' ',
    )}</dd>`
  }${description !== '' && html`<dd>${prose(description)}</dd>`}${
    schema.default !== undefined && html`<dd class="muted">Default: <code>${JSON.stringify(schema.default)}</code></dd>`
  }</div>`;
}

/** The accepted values, where the set is closed. */
function closedValues(schema: Schema): unknown[] {
  if (schema.enum) return schema.enum;
  if (schema.items?.enum) return schema.items.enum;
  const constants = schema.anyOf?.map((option) => option.const) ?? [];
  return constants.every((value) => value !== undefined) ? constants : [];
}

function typeName(schema: Schema): Html {
  const name = nameOf(schema);
  if (name !== undefined) return html`<a href="/docs/objects/${name}">${name}</a>`;
  if (schema.enum || (schema.anyOf && closedValues(schema).length > 0)) return html`one of`;
  if (schema.const !== undefined) return html`${JSON.stringify(schema.const)}`;
  if (schema.anyOf) return join(distinct(schema.anyOf.map(typeName)), ' or ');
  if (schema.items) return html`list of ${typeName(schema.items)}`;
  if (schema.format === 'binary') return html`file`;
  if (typeof schema.additionalProperties === 'object') return html`map of ${typeName(schema.additionalProperties)}`;
  return html`${[schema.type ?? 'any'].flat().join(' or ')}${schema.format !== undefined && ` (${schema.format})`}`;
}

function distinct(parts: Html[]): Html[] {
  return [...new Map(parts.map((part) => [part.text, part])).values()];
}

/** Backquotes and double asterisks, as our descriptions use them. */
export function prose(text: string): Html {
  const parts = text.split(/(`[^`]+`|\*\*[^*]+\*\*)/);
  return join(
    parts.map((part) => {
      if (part.startsWith('`') && part.length > 2) return html`<code>${part.slice(1, -1)}</code>`;
      if (part.startsWith('**') && part.length > 4) return html`<strong>${part.slice(2, -2)}</strong>`;
      return html`${part}`;
    }),
  );
}

export function paragraphs(text: string): Html {
  return join(
    text
      .split(/\n{2,}/)
      .filter(Boolean)
      .map((paragraph) => html`<p>${prose(paragraph)}</p>`),
  );
}
