import { strict as assert } from 'node:assert';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { test } from 'node:test';

/** Words that every room may use: vocabulary, and what follows from it alone. */
const everywhere = [
  'correction.ts',
  'errors.ts',
  'reasons.json',
  'limits.ts',
  'secret.ts',
  'inline-tags.ts',
  'escape.ts',
  'partner-metadata.ts',
  'project-tags.ts',
  'pauses.ts',
  'term.ts',
  'wire-fields.ts',
  'written-values.ts',
];

/** Who may import whom, besides itself and `everywhere`. The table of src/README.md. */
const allowed: Record<string, string[]> = {
  'config.ts': [],
  language: [],
  sandbox: ['platform/tracing.ts'],
  platform: ['config.ts'],
  accounts: ['language', 'platform'],
  credits: ['language', 'platform'],
  documents: ['language', 'platform'],
  glossary: ['language', 'platform'],
  engines: ['language', 'platform'],
  translation: [
    'language',
    'documents/document.ts',
    'glossary',
    'engines/engine.ts',
    'engines/engine-error.ts',
    'platform/tracing.ts',
  ],
  events: ['platform'],
  interchange: [],
  series: ['documents/document.ts', 'glossary', 'language', 'platform', 'translation/memory/', 'translation/sheet.ts'],
  tasks: [
    'accounts',
    'credits',
    'documents',
    'engines',
    'events',
    'glossary',
    'language',
    'platform',
    'sandbox',
    'series',
  ],
  reading: [
    'accounts',
    'documents',
    'glossary',
    'interchange',
    'platform',
    'sandbox',
    'series',
    'tasks',
    'translation',
  ],
  books: [
    'credits',
    'documents',
    'engines',
    'events',
    'glossary',
    'interchange',
    'language',
    'platform',
    'reading',
    'sandbox',
    'series',
    'tasks',
    'translation',
  ],
  operators: ['accounts', 'books', 'credits', 'engines', 'events', 'language', 'platform', 'reading', 'tasks'],
  pages: ['documents/archive/archive-writer.ts'],
  evaluation: ['documents', 'engines', 'language', 'pages', 'platform', 'translation'],
  http: ['accounts', 'credits', 'events', 'interchange', 'language', 'pages', 'platform', 'reading', 'series', 'tasks'],
  console: ['accounts', 'credits', 'evaluation', 'events', 'http', 'operators', 'pages', 'platform', 'tasks'],
  'partner-pages': ['http', 'pages', 'platform'],
  backup: ['platform', 'tasks'],
  cli: [
    'app.ts',
    'config.ts',
    'accounts',
    'backup',
    'credits',
    'engines',
    'evaluation',
    'events',
    'language',
    'operators',
    'platform',
    'series',
    'tasks',
  ],
  'services.ts': ['config.ts', 'accounts', 'engines', 'events', 'platform', 'reading', 'sandbox', 'tasks'],
  'worker.ts': ['services.ts', 'books', 'events', 'platform', 'tasks'],
  'routes.ts': [
    'config.ts',
    'services.ts',
    'console',
    'engines',
    'http',
    'operators',
    'pages',
    'partner-pages',
    'platform',
    'tasks',
  ],
  'app.ts': [
    'config.ts',
    'routes.ts',
    'services.ts',
    'worker.ts',
    'accounts',
    'books',
    'engines',
    'events',
    'http',
    'operators',
    'platform',
    'reading',
    'sandbox',
    'tasks',
  ],
};

const files = globSync('src/**/*.ts');
/** A room, one folder of it (`translation/memory/`), or one file. */
const allows = (part: string, imported: string) =>
  part === top(imported) || imported === `src/${part}` || (part.endsWith('/') && imported.startsWith(`src/${part}`));
const top = (path: string) => path.split('/')[1] as string;

test('every import inside src is allowed by the table', () => {
  const faults: string[] = [];
  for (const file of files) {
    const folder = top(file);
    for (const imported of importsIn(file)) {
      if (!imported.startsWith('src/')) {
        if (!imported.startsWith('client/') || !/^src\/(cli\/partner|partner-pages)\//.test(file))
          faults.push(`${file} imports ${imported}`);
        continue;
      }
      const other = top(imported);
      if (other === folder || everywhere.includes(other)) continue;
      if (!allowed[folder]?.some((part) => allows(part, imported))) faults.push(`${file} imports ${imported}`);
    }
  }
  assert.deepEqual(faults, []);
});

test('no files import each other in a circle, not even for a type', () => {
  const importsOf = new Map(files.map((file) => [file, importsIn(file)]));
  const circles: string[] = [];
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]): void => {
    const at = path.indexOf(file);
    if (at >= 0) circles.push([...path.slice(at), file].join(' → '));
    if (at >= 0 || done.has(file)) return;
    for (const imported of importsOf.get(file) ?? []) visit(imported, [...path, file]);
    done.add(file);
  };
  for (const file of files) visit(file, []);
  assert.deepEqual(circles, []);
});

test('SQL stands in stores only; platform and backup speak to PostgreSQL itself', () => {
  const others = files.filter((file) => !/-store\.ts$/.test(file) && !/^src\/(platform|backup)\//.test(file));
  const speaking = others.filter((file) =>
    /\bsql(<|`|\.raw)|\bread(Row|Value)s?<|\breadCount\(|\.query[<(]/.test(readFileSync(file, 'utf8')),
  );
  assert.deepEqual(speaking, []);
});

function importsIn(file: string): string[] {
  return [...readFileSync(file, 'utf8').matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map(([, target]) =>
    normalize(join(dirname(file), target as string)),
  );
}

test('src/README.md shows this table', () => {
  const rows = [...readFileSync('src/README.md', 'utf8').matchAll(/^\| `([^`]+)` \| (.*) \|$/gm)];
  const shown = rows.map(([, part, names]) => [
    part,
    [...(names as string).matchAll(/`([^`]+)`/g)].map((name) => name[1]),
  ]);
  assert.deepEqual(Object.fromEntries(shown), allowed);
});

test('the two walks of src/README.md name files that exist, each once, and stay short', () => {
  const [, section = ''] = readFileSync('src/README.md', 'utf8').split(/^## (?=Two walks)/m);
  const [walks = ''] = section.split(/^## /m);
  const shown = walks
    .split(/^\*\*/m)
    .slice(1)
    .map((walk) => [...walk.matchAll(/^\d+\. `([^`]+)`/gm)].map(([, file]) => `src/${file}`));
  assert.deepEqual(
    shown.flat().filter((file) => !files.includes(file)),
    [],
  );
  assert.deepEqual(
    shown.map((walk) => [walk.length, new Set(walk).size]),
    [
      [29, 29],
      [35, 35],
    ],
  );
});

test('only config.ts reads the environment', () => {
  // These show a partner's code as text.
  const partnersCode = ['src/pages/reference/samples.ts'];
  const readers = files.filter(
    (file) => !partnersCode.includes(file) && /process\.env\b/.test(readFileSync(file, 'utf8')),
  );
  assert.deepEqual(readers, ['src/config.ts']);
});

test('pg-boss is visible only in platform/queue', () => {
  const users = files.filter(
    (file) => /from 'pg-boss'/.test(readFileSync(file, 'utf8')) && !file.startsWith('src/platform/queue'),
  );
  assert.deepEqual(users, []);
});

test('no file is called utils, helpers or common, and none only re-exports', () => {
  assert.deepEqual(
    files.filter((file) => /(utils|helpers|common|index)\.ts$/.test(file)),
    [],
  );
});
