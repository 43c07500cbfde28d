/** One call of the API: what it does, what goes in, what comes out, with samples beside it. */
import { type Html, html } from '../html.ts';
import { codeTabs } from './code-tabs.ts';
import { exampleValue } from './example-value.ts';
import {
  type LocatedOperation,
  type MediaContent,
  nameOf,
  type OpenapiDocument,
  type Operation,
  type Schema,
} from './openapi-types.ts';
import { createSamples, samplesOf } from './samples.ts';
import { fieldList, paragraphs, parameterList, prose } from './schema-view.ts';
import { actionSamples } from './task-answers.ts';

export function operationContent(located: LocatedOperation, document: OpenapiDocument): Html {
  const { path, method, operation } = located;
  const named = document.components.schemas;
  const root = document.servers[0]?.url ?? '';
  const variants = operation.operationId === 'createTask' ? Object.entries(actionSamples) : [];
  return html`<article class="operation">
<header><h1>${operation.summary ?? operation.operationId}</h1>
<p class="endpoint"><b class="method ${method.toLowerCase()}">${method}</b> <code>${path}</code></p></header>
<div class="columns"><div class="text">
${paragraphs(operation.description ?? '')}
${operation.security?.length === 0 && html`<p class="muted">Needs no key.</p>`}
${operation.parameters?.length ? html`<h2 id="parameters">Parameters</h2>${parameterList(operation.parameters)}` : ''}
${bodyFields(operation, named)}
${answers(operation, named)}
${errors(operation)}
</div><div class="samples">
<h2 class="visually-hidden">Samples</h2>
${codeTabs(samplesOf(located, root, named), 'Request')}
${variants.length === 0 && responseExample(operation, named)}
</div></div>
${
  variants.length > 0 &&
  html`<section class="variants"><h2 id="actions">One entry per action</h2>${variants.map(
    ([
      action,
      { summary, fields, answer },
    ]) => html`<section class="variant" id="action-${action}"><h3><code>${action}</code></h3><p>${prose(summary)}</p>
<div class="columns"><div class="text">${codeTabs(createSamples(root, fields), 'Request')}</div><div class="samples">${jsonFigure('Answer', answer)}</div></div></section>`,
  )}</section>`
}
</article>`;
}

function jsonFigure(title: string, value: unknown): Html {
  return html`<figure class="code"><figcaption>${title}</figcaption><pre tabindex="0"><code>${JSON.stringify(value, null, 2)}</code></pre></figure>`;
}

function bodyFields(operation: Operation, named: Record<string, Schema>): Html | undefined {
  const contents = Object.entries(operation.requestBody?.content ?? {});
  const [first] = contents;
  if (first === undefined) return undefined;
  const types = contents.map(([type]) => html`<code>${type}</code> `);
  const { schema } = first[1];
  const json = operation.requestBody?.content['application/json']?.schema;
  const jsonName = json === undefined ? undefined : nameOf(json);
  return html`<h2 id="body">Body</h2><p class="muted">${types}</p>${schema !== undefined && fieldList(resolved(schema, named), named)}
${contents.length > 1 && jsonName !== undefined && html`<p>In JSON, numbers and objects are what they are: <a href="/docs/objects/${jsonName}">${jsonName}</a>.</p>`}`;
}

function answers(operation: Operation, named: Record<string, Schema>): Html {
  const good = Object.entries(operation.responses).filter(([status]) => status < '400');
  return html`<h2 id="answer">Answer</h2>${good.map(([status, response]) => {
    const schema = dataOf(Object.values(response.content ?? {})[0], named);
    const name = schema === undefined ? undefined : nameOf(schema);
    const fields = schema === undefined || name !== undefined ? undefined : resolved(schema, named);
    return html`<p><span class="tag good">${status}</span> ${prose(response.description)} ${
      name !== undefined && html`<code>data</code> is a <a href="/docs/objects/${name}">${name}</a>.`
    }</p>${fields?.properties !== undefined && html`<p class="muted">Fields of <code>data</code></p>${fieldList(fields, named)}`}`;
  })}`;
}

/** What stands in the envelope. */
function dataOf(content: MediaContent | undefined, named: Record<string, Schema>): Schema | undefined {
  if (content?.schema === undefined) return undefined;
  return resolved(content.schema, named).properties?.data;
}

function resolved(schema: Schema, named: Record<string, Schema>): Schema {
  const name = nameOf(schema);
  return (name === undefined ? schema : named[name]) ?? schema;
}

function responseExample(operation: Operation, named: Record<string, Schema>): Html | undefined {
  const good = Object.entries(operation.responses).find(([status]) => status < '300');
  const content = good?.[1].content?.['application/json'];
  if (good === undefined || content === undefined) return undefined;
  return jsonFigure(`Answer ${good[0]}`, content.example ?? exampleValue(content.schema, named));
}

function errors(operation: Operation): Html | undefined {
  const bad = Object.entries(operation.responses).filter(([status]) => status >= '400');
  if (bad.length === 0) return undefined;
  return html`<h2 id="errors">Errors</h2><dl class="fields">${bad.map(
    ([status, { description }]) =>
      html`<div class="field"><dt><span class="tag bad">${status}</span></dt><dd>${prose(description)}</dd></div>`,
  )}</dl><p class="small"><a href="/docs/guides/errors">All codes and what to do</a></p>`;
}
