/** Request samples in three languages for operations that have none of their own. */
import { exampleValue } from './example-value.ts';
import type { LocatedOperation, Sample, Schema } from './openapi-types.ts';

export function samplesOf(located: LocatedOperation, root: string, named: Record<string, Schema>): Sample[] {
  const { path, method, operation } = located;
  const open = operation.security?.length === 0;
  const schema = operation.requestBody?.content['application/json']?.schema;
  const body = schema === undefined ? undefined : exampleValue(schema, named);
  const shell = path.replace(/\{(\w+)\}/g, (_whole, name) => `$${String(name).toUpperCase()}`);
  const script = path.replace(/\{(\w+)\}/g, (_whole, name) => `\${process.env.${String(name).toUpperCase()}}`);
  const python = path.replace(/\{(\w+)\}/g, (_whole, name) => `{os.environ['${String(name).toUpperCase()}']}`);
  const curl = [
    `curl -s${method === 'GET' ? '' : ` -X ${method}`} "${root}${shell}"`,
    ...(open ? [] : ['-H "Authorization: Bearer $TOLEDO_API_KEY"']),
    ...(body === undefined ? [] : ['-H "Content-Type: application/json"', `-d '${JSON.stringify(body)}'`]),
  ].join(' \\\n  ');
  const headers = [
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a partner's template, shown as text
    ...(open ? [] : ['    Authorization: `Bearer ${process.env.TOLEDO_API_KEY}`,']),
    ...(body === undefined ? [] : ["    'Content-Type': 'application/json',"]),
  ];
  const typescript = [
    `const answer = await fetch(\`${root}${script}\`, {`,
    `  method: '${method}',`,
    ...(headers.length === 0 ? [] : ['  headers: {', ...headers, '  },']),
    ...(body === undefined ? [] : [`  body: JSON.stringify(${indented(body, 2)}),`]),
    '});',
    'console.log((await answer.json()).data);',
  ].join('\n');
  const py = [
    'import os, requests',
    '',
    `answer = requests.${method.toLowerCase()}(`,
    `    f"${root}${python}",`,
    ...(open ? [] : ['    headers={"Authorization": f"Bearer {os.environ[\'TOLEDO_API_KEY\']}"},']),
    ...(body === undefined ? [] : [`    json=${pythonLiteral(indented(body, 4))},`]),
    ')',
    'print(answer.json()["data"])',
  ].join('\n');
  return [
    { title: 'curl', code: curl },
    { title: 'TypeScript', code: typescript },
    { title: 'Python', code: py },
  ];
}

function indented(value: unknown, spaces: number): string {
  return JSON.stringify(value, null, 2).replaceAll('\n', `\n${' '.repeat(spaces)}`);
}

function pythonLiteral(json: string): string {
  return json.replace(/(: |\[)(true|false|null)\b/g, (_whole, before, word) => {
    const names: Record<string, string> = { true: 'True', false: 'False', null: 'None' };
    return `${before}${names[word]}`;
  });
}
