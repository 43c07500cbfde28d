/** Requests of an operation as a partner writes them: by curl, with the TypeScript client and, for the first calls, in Python. */
import { readFileSync } from 'node:fs';
import { exampleBody } from './example-value.ts';
import type { LocatedOperation, Sample, Schema } from './openapi-types.ts';

type Named = Record<string, Schema>;
type Fields = Readonly<Record<string, string | number>>;

/** Where the client's method has another name than the operation, or takes something else than the body. */
const clientCalls: Readonly<Record<string, string>> = {
  getUsage: 'usage()',
  listLedger: 'ledger()',
  listUsageDays: 'usageDays()',
  listKeys: 'keys()',
  listLanguages: 'languages()',
  getLimits: 'limits()',
  getTask: 'wait(process.env.TASK_ID!)',
  getDownload: "download(process.env.TASK_ID!, { to: 'novel.en.txt', overwrite: true })",
  downloadFile: "downloadBytes(process.env.TASK_ID!, { file_id: 'report' })",
  createReaderLink: 'readerLink(process.env.TASK_ID!)',
  getChapter: 'getChapter(process.env.TASK_ID!, 1)',
  deleteSeriesTerm: "deleteSeriesTerm(process.env.SERIES_ID!, 'Puerto Calmo')",
  setSeriesTerms: "setSeriesTerms(process.env.SERIES_ID!, [{ source: 'Puerto Calmo', target: 'Calm Harbour' }])",
  setSeriesSheet:
    "setSeriesSheet(process.env.SERIES_ID!, { tense: 'past (simple past)', idioms: 'an English idiom of the same force' })",
  correctTask: "correctTask(process.env.TASK_ID!, [{ source: 'La carta llegó.', target: 'The letter came.' }])",
};

/** Values in a path that are no ids. */
const pathValues: Readonly<Record<string, string>> = { index: '1', block_id: 'b2', source: 'Puerto%20Calmo' };

export function samplesOf(located: LocatedOperation, root: string, named: Named): Sample[] {
  const { operation, path } = located;
  if (operation.operationId === 'createTask')
    return createSamples(root, { action: 'translation', target_lang: 'en', char_limit: 3000 });
  const body = bodyOf(located, named);
  const python = pythonSample(root, operation.operationId);
  // Operations without a key are for monitors, which the client is not.
  const isForPartners = path.startsWith('/api/');
  return [
    { title: 'curl', code: curl(located, root, body) },
    ...(isForPartners ? [{ title: 'TypeScript', code: typescript(root, clientCall(located, body)) }] : []),
    ...(python === undefined ? [] : [{ title: 'Python', code: python }]),
  ];
}

/** POST /tasks with the fields of one action. */
export function createSamples(root: string, fields: Fields): Sample[] {
  const forms = Object.entries(fields).map(([name, value]) => `-F ${name}=${value}`);
  const script = Object.entries(fields).map(([name, value]) => `  ${name}: ${scriptValue(value)},`);
  return [
    {
      title: 'curl',
      code: [
        `curl -s ${root}/api/v1/tasks`,
        bearer,
        '-H "Idempotency-Key: $(uuidgen)"',
        forms.join(' '),
        '-F file=@novel.txt',
      ].join(' \\\n  '),
    },
    {
      title: 'TypeScript',
      code: typescript(root, ['createTask({', ...script, "  file: 'novel.txt',", '})'].join('\n')),
    },
    { title: 'Python', code: pythonSample(root, 'createTask', fields) ?? '' },
  ];
}

const bearer = '-H "Authorization: Bearer $TOLEDO_API_KEY"';

function curl({ path, method, operation }: LocatedOperation, root: string, body: unknown): string {
  const address = path.replace(/\{(\w+)\}/g, (_whole, name: string) => pathValues[name] ?? `$${name.toUpperCase()}`);
  const isFile = operation.responses['200']?.content?.['application/json'] === undefined && method === 'GET';
  return [
    `curl -s${method === 'GET' ? '' : ` -X ${method}`}${isFile ? ' -o novel.en.txt' : ''} "${root}${address}"`,
    ...(operation.security?.length === 0 ? [] : [bearer]),
    ...(body === undefined ? [] : ["-H 'Content-Type: application/json'", `-d '${JSON.stringify(body)}'`]),
  ].join(' \\\n  ');
}

/** The client names its methods after the operations; they take the values of the path, then the body. */
function clientCall({ path, operation }: LocatedOperation, body: unknown): string {
  const ids = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => `process.env.${name.toUpperCase()}!`);
  const values = body === undefined ? ids : [...ids, scriptValue(body)];
  return clientCalls[operation.operationId] ?? `${operation.operationId}(${values.join(', ')})`;
}

function typescript(root: string, call: string): string {
  return `import { Toledo } from '@toledo/client';

const toledo = new Toledo({ baseUrl: '${root}/api/v1', apiKey: process.env.TOLEDO_API_KEY! });
console.log(await toledo.${call});`;
}

/** Undefined where `python-samples.md` has none. */
function pythonSample(root: string, operationId: string, fields: Fields = {}): string | undefined {
  const text = readFileSync(new URL('python-samples.md', import.meta.url), 'utf8');
  const [, code] = new RegExp(`^## ${operationId}\\n\\n\`\`\`python\\n(.*?)\\n\`\`\`$`, 'ms').exec(text) ?? [];
  const data = Object.entries(fields).map(([name, value]) => `"${name}": "${value}"`);
  return code?.replace('ROOT', root).replace('FIELDS', data.join(', '));
}

function bodyOf({ operation }: LocatedOperation, named: Named): unknown {
  const schema = operation.requestBody?.content['application/json']?.schema;
  return schema === undefined ? undefined : exampleBody(schema, named);
}

/** JSON as a TypeScript programmer writes it. */
function scriptValue(value: unknown): string {
  if (typeof value === 'string') return `'${value.replaceAll("'", "\\'")}'`;
  if (Array.isArray(value)) return `[${value.map(scriptValue).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return String(value);
  return `{ ${Object.entries(value)
    .map(([name, inner]) => `${name}: ${scriptValue(inner)}`)
    .join(', ')} }`;
}
