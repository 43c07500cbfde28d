import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { Toledo } from '../../client/src/index.ts';
import { sandboxScenarios } from '../../src/engines/sandbox/sandbox-scenarios.ts';
import { errorTable } from '../../src/errors.ts';
import { exampleValue } from '../../src/pages/reference/example-value.ts';
import { operationsOf } from '../../src/pages/reference/openapi-types.ts';
import { samplesOf } from '../../src/pages/reference/samples.ts';
import { actionSamples } from '../../src/pages/reference/task-answers.ts';
import { actionNames } from '../../src/tasks/task.ts';
import { startTestApp } from '../support/test-app.ts';

const app = await startTestApp();
const openapi = (await app.call('GET', '/api/v1/openapi.json')).body;

/** Every page that can be reached from the front page by links. */
async function allPages(): Promise<Map<string, string>> {
  const pages = new Map<string, string>();
  const waiting = ['/'];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (pages.has(path)) continue;
    const { status, text, headers } = await app.call('GET', path);
    if (path === '/console' && status === 404) continue; // not every start has one
    assert.equal(status, 200, path);
    if (!headers.get('content-type')?.startsWith('text/html')) continue;
    assert.match(headers.get('content-security-policy') ?? '', /script-src 'self'; style-src 'self'/, path);
    pages.set(path, text);
    for (const [, href = ''] of text.matchAll(/(?:href|src)="(\/[^"#]*)/g)) waiting.push(href);
  }
  return pages;
}

const pages = await allPages();

test('every link of every page leads somewhere, and there is a page per operation, guide and named object', () => {
  assert.ok(pages.size > 20, String(pages.size));
  for (const path of Object.keys(openapi.paths)) {
    const own = [...pages.values()].some((text) => text.includes(`<code>${path}</code>`));
    assert.ok(own, path);
  }
  for (const name of Object.keys(openapi.components.schemas)) assert.ok(pages.has(`/docs/objects/${name}`), name);
  const errors = pages.get('/docs/guides/errors')?.replaceAll('<wbr>', '');
  for (const code of Object.keys(errorTable)) assert.ok(errors?.includes(`<code>${code}</code>`), code);
});

test('no page has inline script or style, or asks anything of another host', () => {
  for (const [path, text] of pages) {
    assert.doesNotMatch(text, /<script(?![^>]*src="\/)|<style| style="| on\w+="|@import|src="http|url\(http/, path);
    assert.doesNotMatch(text, /<link[^>]*href="http/, path);
  }
});

test('samples, the OpenAPI document and llms.txt name the address that was asked', async () => {
  assert.equal(openapi.servers[0].url, app.rootUrl);
  for (const text of [pages.get('/'), pages.get('/docs/api/createTask'), (await app.call('GET', '/llms.txt')).text]) {
    assert.ok(text?.includes(app.rootUrl));
    assert.ok(!text?.includes('127.0.0.1:8080'));
  }
  const elsewhere = await startTestApp({ env: { TOLEDO_PUBLIC_URL: 'https://books.example' } });
  const sample = (await elsewhere.call('GET', '/docs/api/getUsage')).text;
  assert.ok(sample.includes('https://books.example/api/v1/usage'));
  assert.equal((await elsewhere.call('GET', '/api/v1/openapi.json')).body.servers[0].url, 'https://books.example');
});

test('the OpenAPI document allows numbers and objects in JSON bodies, as the service does, and names a task once', () => {
  const ajv = new Ajv2020({ strict: false });
  (formats as unknown as (ajv: Ajv2020) => void)(ajv);
  const { schema } = openapi.paths['/api/v1/tasks'].post.requestBody.content['application/json'];
  const validate = ajv.compile({ ...schema, components: openapi.components });
  const fields = { action: 'translation', target_lang: 'en', text: 'Bonjour.' };
  const typed = { char_limit: 8, glossary: { Jean: 'John' }, metadata: { external_id: 'job-7' } };
  assert.ok(validate({ ...fields, ...typed }), ajv.errorsText(validate.errors));
  assert.ok(!validate({ ...fields, char_limit: true }));
  for (const path of ['/api/v1/tasks/{task_id}', '/api/v1/tasks/{task_id}/cancel']) {
    const [operation] = Object.values(openapi.paths[path]) as { responses: Record<string, unknown> }[];
    assert.match(JSON.stringify(operation?.responses['200']), /"#\/components\/schemas\/Task"/, path);
  }
});

test('llms.txt leads to every guide, as Markdown, and to every call', async () => {
  const { text } = await app.call('GET', '/llms.txt');
  const links = [...text.matchAll(/\]\(([^)]+)\)/g)].map(([, href = '']) => href);
  for (const href of links) {
    const answer = await fetch(href);
    assert.equal(answer.status, 200, href);
    if (href.endsWith('.md')) assert.match(await answer.text(), /^# /, href);
    else await answer.body?.cancel();
  }
  const guides = [...pages.keys()].filter((path) => path.startsWith('/docs/guides/'));
  const calls = [...pages.keys()].filter((path) => path.startsWith('/docs/api/'));
  for (const path of [...guides.map((guide) => `${guide}.md`), ...calls])
    assert.ok(links.includes(app.rootUrl + path), path);
});

test('a Host header cannot become markup', async () => {
  const answer = await app
    .call('GET', '/', { headers: { host: '"><script>alert(1)</script>' } })
    .catch(() => undefined);
  if (answer) assert.ok(!answer.text.includes('<script>alert'));
});

test('every call has an example of its answer, and every example fits its schema', () => {
  const ajv = new Ajv2020({ strict: false });
  (formats as unknown as (ajv: Ajv2020) => void)(ajv);
  const fits = (schema: object, value: unknown, what: string) => {
    const validate = ajv.compile({ ...schema, components: openapi.components });
    assert.ok(validate(value), `${what}: ${ajv.errorsText(validate.errors)}`);
  };
  // biome-ignore lint/suspicious/noExplicitAny: a JSON document
  for (const methods of Object.values<Record<string, any>>(openapi.paths)) {
    for (const operation of Object.values(methods)) {
      const content = (operation.responses['200'] ?? operation.responses['201'])?.content?.['application/json'];
      if (operation.operationId !== 'downloadFile') assert.ok(content?.example, operation.operationId);
      if (content?.example) fits(content.schema, content.example, operation.operationId);
      if (operation.operationId !== 'createTask') continue;
      assert.deepEqual(Object.keys(actionSamples).sort(), [...actionNames].sort());
      for (const [action, { answer }] of Object.entries(actionSamples)) fits(content.schema, answer, action);
    }
  }
});

test('the TypeScript sample of every call for partners calls a method that the client has', () => {
  for (const located of operationsOf(openapi)) {
    if (!located.path.startsWith('/api/')) continue;
    const samples = samplesOf(located, app.rootUrl, openapi.components.schemas);
    const code = samples.find(({ title }) => title === 'TypeScript')?.code ?? '';
    const [, method = ''] = /await toledo\.(\w+)\(/.exec(code) ?? [];
    assert.equal(typeof Toledo.prototype[method as keyof Toledo], 'function', located.operation.operationId);
  }
});

test('assets may be kept for ever, and an unknown one is 404', async () => {
  const [, path = ''] = /href="(\/assets\/[^"]+base\.css)"/.exec(pages.get('/') ?? '') ?? [];
  assert.match((await app.call('GET', path)).headers.get('cache-control') ?? '', /immutable/);
  assert.equal(
    (await app.call('GET', path.replace(/assets\/\w+/, 'assets/0'))).headers.get('cache-control'),
    'no-store',
  );
  assert.equal((await app.call('GET', path.replace('base.css', '..%2fapp.ts'))).status, 404);
});

test('the guides explain the sandbox targets and glossary_strategy, and the samples of the quickstart stand in tabs', () => {
  const sandbox = pages.get('/docs/guides/sandbox') ?? '';
  for (const scenario of sandboxScenarios)
    assert.match(sandbox, new RegExp(`en-x-${scenario}</code></td>\\s*<td>[^<]{20,}</td>\\s*<td>[^<]{20,}</td>`));
  for (const strategy of ['merge', 'replace', 'skip'])
    assert.ok(pages.get('/docs/guides/glossaries')?.includes(`<code>${strategy}</code>`), strategy);
  const quickstart = pages.get('/docs/guides/quickstart') ?? '';
  for (const title of ['curl', 'TypeScript', 'Python']) assert.ok(quickstart.includes(`data-tab="${title}"`), title);
});

test('every field of a task has a sentence on its page and a real value in its example', () => {
  const schemas = openapi.components.schemas;
  for (const name of [
    'Task',
    'TokenEstimate',
    'Term',
    'SourceMetadata',
    'Coverage',
    'TaskWarning',
    'TaskFault',
    'DownloadDescriptor',
  ]) {
    const page = pages.get(`/docs/objects/${name}`) ?? '';
    const fields = [...page.matchAll(/<div class="field"><dt><code>([^<]+)<\/code>(.*?)<\/div>/gs)];
    assert.ok(fields.length >= Object.keys(schemas[name].properties).length, name);
    for (const [, field, rest = ''] of fields) assert.match(rest, /<dd>\S/, `${name}.${field} has no sentence`);
    assert.doesNotMatch(JSON.stringify(exampleValue(schemas[name], schemas)), /"…"/, name);
  }
});
