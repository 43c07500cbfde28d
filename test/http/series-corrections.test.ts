import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { assertError, create, run } from '../support/task-client.ts';
import { startTestApp } from '../support/test-app.ts';

const app = await startTestApp();

const post = (key: string, path: string, body: string, type = 'application/json') =>
  app.call('POST', `/api/v1${path}`, { key, headers: { 'content-type': type }, body });
const put = (key: string, path: string, body: string, type = 'application/json') =>
  app.call('PUT', `/api/v1${path}`, { key, headers: { 'content-type': type }, body });
const get = (key: string, path: string) => app.call('GET', `/api/v1${path}`, { key });
const fileOf = async (key: string, taskId: string, fileId: string): Promise<string> =>
  (await app.call('GET', `/api/tasks/download-file/${taskId}?file_id=${fileId}`, { key })).text;

async function newSeries(key: string, more: object = {}): Promise<string> {
  const series = { title: 'The Iron Gate', source_lang: 'en', target_lang: 'de', ...more };
  const { status, body, text } = await post(key, '/series', JSON.stringify(series));
  assert.equal(status, 201, text);
  return body.data.series_id;
}

const paragraph = (n: number) =>
  `The ferry number ${n} left the *harbour* before dawn, and nobody on the quay could say who had ordered it.`;
const answer = (n: number) => `Clara Montes said yes for the ${n}. time.`;
const bookText = ['# One', paragraph(1), 'Yes.', paragraph(2), paragraph(3), 'Yes.', paragraph(4)].join('\n\n');
const book = { content: `${bookText}\n`, fileName: 'gate.md' };
const order = (series_id: string) => ({
  action: 'translation',
  series_id,
  outputs: 'xliff,tmx,glossary_tbx',
  estimated_chars: 2_000,
});

const targetsOf = (xliff: string): string[] =>
  [...xliff.matchAll(/<target state="[a-z-]+">(.*?)<\/target>/gs)].map(([, target]) => target as string);

test('an edited XLIFF corrects the place it stands at, an unedited one nothing, and the book made again costs nothing', async () => {
  const { key } = await app.account({ credits: 10_000 });
  const series_id = await newSeries(key);
  const task = await run(app, key, order(series_id), { file: book });
  const path = `/series/${series_id}/corrections`;
  const xliff = await fileOf(key, task.task_id, 'xliff');
  const unedited = (await post(key, path, xliff, 'application/xliff+xml')).body.data;
  assert.deepEqual([unedited.taken, unedited.unchanged, unedited.refused], [0, 7, 0]);
  const tmx = (await post(key, path, await fileOf(key, task.task_id, 'tmx'), 'application/x-tmx+xml')).body.data;
  assert.deepEqual([tmx.taken, tmx.unchanged, tmx.refused], [0, 7, 0]);

  const targets = targetsOf(xliff);
  assert.equal(targets[2], targets[5], 'two short lines, the same words');
  const at = xliff.lastIndexOf(`>${targets[5]}<`);
  const edited = `${xliff.slice(0, at)}>Gewiss doch.<${xliff.slice(at + 2 + (targets[5] as string).length)}`
    .replace(targets[1] as string, (targets[1] as string).replace(/<g.*?>(.*?)<\/g>/, '$1'))
    .replace(targets[3] as string, 'Fähre zwei fuhr aus dem <g id="1">Hafen</g>.');
  const { data } = (await post(key, path, edited, 'application/xml')).body;
  assert.deepEqual([data.taken, data.unchanged, data.refused], [2, 4, 1]);
  assert.deepEqual(data.refusals, [{ index: 1, unit: 'b2', reason: 'DAMAGED_TAGS' }]);

  const again = await run(app, key, { ...order(series_id), source_task_id: task.task_id });
  assert.equal(again.credits_charged, 0);
  const now = targetsOf(await fileOf(key, again.task_id, 'xliff'));
  assert.deepEqual([now[1], now[2], now[5]], [targets[1], targets[2], 'Gewiss doch.']);
  assert.equal(now[3], 'Fähre zwei fuhr aus dem <g id="1">Hafen</g>.');
  assert.deepEqual([now[0], now[4], now[6]], [targets[0], targets[4], targets[6]]);
});

test('corrections of a task are those of its series: the same paragraph is the same in the next volume', async () => {
  const { key } = await app.account({ credits: 10_000 });
  const series_id = await newSeries(key);
  const task = await run(app, key, order(series_id), { file: book });
  const source = paragraph(2).replaceAll('*', '');
  const sent = { corrections: [{ source, target: 'Fähre zwei fuhr aus dem <1>Hafen</1>.' }] };
  assert.equal((await post(key, `/tasks/${task.task_id}/corrections`, JSON.stringify(sent))).body.data.taken, 1);
  const again = await run(app, key, { ...order(series_id), source_task_id: task.task_id });
  assert.equal(again.credits_charged, 0);
  assert.match(await fileOf(key, again.task_id, 'translated'), /^Fähre zwei fuhr aus dem \*Hafen\*\.$/m);
  const file = { content: `# Two\n\n${paragraph(7)}\n\n${paragraph(2)}\n\n${paragraph(8)}\n`, fileName: 'two.md' };
  const volume = await run(app, key, order(series_id), { file });
  assert.equal(volume.coverage.reused >= source.length, true);
  assert.match(await fileOf(key, volume.task_id, 'translated'), /^Fähre zwei fuhr aus dem \*Hafen\*\.$/m);
  // A later word for the same place holds, and one for every place takes all of them back.
  const everywhere = JSON.stringify([{ source, target: 'Überall <1>dasselbe</1>.' }]);
  const unfit = (await post(key, `/series/${series_id}/corrections`, everywhere)).body.data;
  assert.deepEqual(unfit.refusals, [{ index: 0, reason: 'DAMAGED_TAGS' }]);
  const fit = JSON.stringify([{ source, target: 'Überall dasselbe.' }]);
  assert.equal((await post(key, `/series/${series_id}/corrections`, fit)).body.data.taken, 1);
  const all = await run(app, key, { ...order(series_id), source_task_id: task.task_id });
  assert.match(await fileOf(key, all.task_id, 'translated'), /^\*?Überall \*?dasselbe\*?\.\*?$/m);
  assert.equal(all.credits_charged, 0);
});

test('a name that is corrected in every paragraph becomes a term; in some of them it does not, and nothing is redone', async () => {
  const { key } = await app.account({ credits: 10_000 });
  const series_id = await newSeries(key, { source_lang: 'es', target_lang: 'en' });
  const text = [1, 2, 3, 4, 5, 6, 7, 8]
    .map((n) => `La noche ${n} la farera Clara Montes contó las velas y dijo a la gente que el puerto estaba en calma.`)
    .join('\n\n');
  const task = await run(app, key, { action: 'translation', series_id, text, outputs: 'xliff' });
  const found = (await get(key, `/series/${series_id}/terms`)).body.data.terms;
  const clara = found.find(({ source }: { source: string }) => source === 'Clara Montes');
  assert.equal(clara?.origin, 'extracted');
  const path = `/series/${series_id}/corrections`;
  const xliff = await fileOf(key, task.task_id, 'xliff');
  const units = xliff.split(/(?=<trans-unit)/);
  const renamed = units.map((unit) =>
    unit.replace(/<target.*<\/target>/s, (target) => target.replaceAll(clara.target, 'Claire Hills')),
  );
  const some = [...renamed.slice(0, 2), ...units.slice(2)].join('');
  assert.deepEqual((await post(key, path, some, 'application/xml')).body.data.terms, []);
  assert.equal(
    (await run(app, key, { action: 'translation', series_id, source_task_id: task.task_id })).credits_charged,
    0,
  );
  const all = (await post(key, path, renamed.join(''), 'application/xml')).body.data;
  assert.deepEqual([all.taken, all.unchanged], [7, 1]);
  assert.deepEqual(all.terms, [{ source: 'Clara Montes', target: 'Claire Hills' }]);
  assert.equal(
    (await run(app, key, { action: 'translation', series_id, source_task_id: task.task_id })).credits_charged,
    0,
  );
  const [term] = (await get(key, `/series/${series_id}/terms`)).body.data.terms;
  assert.deepEqual([term.source, term.target, term.origin], ['Clara Montes', 'Claire Hills', 'corrected']);
  const next = {
    action: 'translation',
    series_id,
    text: 'En mayo volvió Clara Montes sola a la ciudad sin decir nada a nadie.',
  };
  const volume = await run(app, key, next);
  assert.match(await fileOf(key, volume.task_id, 'translated'), /Claire Hills/);
});

test('what cannot be used is refused with its reason, and the rest is taken', async () => {
  const { key } = await app.account({ credits: 10_000 });
  const series_id = await newSeries(key);
  const [one, two] = [answer(1), answer(2)].map((text) => `${text} ${paragraph(1).replaceAll('*', '')}`);
  await run(app, key, { action: 'translation', series_id, text: `${one}\n\n${two}` });
  const path = `/series/${series_id}/corrections`;
  const tu = (source: string, target: string, lang = 'de') =>
    `<tu><tuv xml:lang="en"><seg>${source}</seg></tuv><tuv xml:lang="${lang}"><seg>${target}</seg></tuv></tu>`;
  const tmx = (...units: string[]) => `<tmx version="1.4"><header srclang="en"/><body>${units.join('')}</body></tmx>`;
  const units = [tu(one as string, 'Eins.'), tu(one as string, 'Zwei.'), tu('Nobody wrote this.', 'Niemand.')];
  const odd = [tu(two as string, 'Deux.', 'fr'), tu(two as string, '<hi>Zwei</hi>.'), tu(two as string, ' ')];
  const { data } = (await post(key, path, tmx(...units, ...odd), 'text/xml')).body;
  assert.deepEqual([data.taken, data.unchanged, data.refused], [1, 0, 5]);
  assert.deepEqual(
    data.refusals.map(({ reason }: { reason: string }) => reason),
    ['CORRECTED_TWICE', 'UNKNOWN_SOURCE', 'OTHER_LANGUAGES', 'UNKNOWN_MARKUP', 'EMPTY_TARGET'],
  );
  const twice = JSON.stringify([
    { source: two, target: 'Zwei.' },
    { source: two, target: 'Zwei.' },
  ]);
  const same = (await post(key, path, twice)).body.data;
  assert.deepEqual([same.taken, same.unchanged, same.refused], [1, 1, 0]);
  const french = '<xliff version="1.2"><file source-language="en" target-language="fr"><body><trans-unit id="b1">';
  const foreign = `${french}<source>${one}</source><target>Un.</target></trans-unit></body></file></xliff>`;
  const refused = (await post(key, path, foreign, 'application/xml')).body.data;
  assert.deepEqual(refused.refusals, [{ index: 0, unit: 'b1', reason: 'OTHER_LANGUAGES' }]);
});

const tooMany = JSON.stringify(Array.from({ length: 20_001 }, (_, i) => ({ source: `s${i}`, target: 't' })));
const wrongCorrections: [string, string, string, number, string, string | undefined][] = [
  [
    'a DOCTYPE with entities',
    '<!DOCTYPE tmx [<!ENTITY a "b">]><tmx version="1.4"/>',
    'application/xml',
    400,
    'BAD_REQUEST',
    'XML_DOCTYPE',
  ],
  [
    'an entity that nobody declared',
    '<tmx version="1.4"><body>&boom;</body></tmx>',
    'text/xml',
    400,
    'BAD_REQUEST',
    'MALFORMED_XML',
  ],
  ['half a file', '<xliff version="1.2"><file><body>', 'application/xml', 400, 'BAD_REQUEST', 'MALFORMED_XML'],
  ['XLIFF 2', '<xliff version="2.0" srcLang="en"/>', 'application/xml', 400, 'BAD_REQUEST', 'UNSUPPORTED_FORMAT'],
  ['another XML', '<html/>', 'application/xml', 400, 'BAD_REQUEST', 'UNSUPPORTED_FORMAT'],
  ['50 MB of XLIFF', `<xliff>${' '.repeat(50_000_000)}`, 'application/xml', 413, 'PAYLOAD_TOO_LARGE', undefined],
  [
    'more than 8 MiB of JSON',
    `[${' '.repeat(8 * 1024 * 1024)}]`,
    'application/json',
    413,
    'PAYLOAD_TOO_LARGE',
    undefined,
  ],
  ['20,001 corrections', tooMany, 'application/json', 413, 'PAYLOAD_TOO_LARGE', 'TOO_MANY_CORRECTIONS'],
  ['an object', '{"source": "a"}', 'application/json', 400, 'BAD_REQUEST', 'BAD_CORRECTIONS'],
  ['an empty list', '[]', 'application/json', 400, 'BAD_REQUEST', 'BAD_CORRECTIONS'],
  [
    'a further field',
    '[{"source": "a", "target": "b", "note": "c"}]',
    'application/json',
    400,
    'BAD_REQUEST',
    'BAD_CORRECTIONS',
  ],
  ['JSON that is none', '[{', 'application/json', 400, 'BAD_REQUEST', undefined],
  ['plain text', 'x', 'text/plain', 415, 'UNSUPPORTED_MEDIA_TYPE', undefined],
];
const wrongTerms: [string, string, string, number, string, string | undefined][] = [
  ['CSV without a target', 'source,type\nGate,place\n', 'text/csv', 400, 'BAD_REQUEST', 'CSV_COLUMNS'],
  ['CSV with an open quote', 'source,target\n"Gate,Tor\n', 'text/csv', 400, 'BAD_REQUEST', 'CSV_QUOTES'],
  [
    'CSV with a source twice',
    'source,target\nGate,Tor\nGate,Pforte\n',
    'text/csv',
    400,
    'BAD_REQUEST',
    'GLOSSARY_DUPLICATE_TERM',
  ],
  ['CSV with an empty target', 'source,target\nGate,\n', 'text/csv', 400, 'BAD_REQUEST', 'GLOSSARY_TERM_INVALID'],
  [
    'CSV of more than 1 MiB',
    `source,target\n${'a,b\n'.repeat(300_000)}`,
    'text/csv',
    413,
    'PAYLOAD_TOO_LARGE',
    undefined,
  ],
  ['TBX with a DOCTYPE', '<!DOCTYPE martif SYSTEM "x"><martif/>', 'application/xml', 400, 'BAD_REQUEST', 'XML_DOCTYPE'],
  ['TBX without terms', '<tbx/>', 'application/x-tbx', 400, 'BAD_REQUEST', 'MISSING_FIELD'],
  ['no terms at all', '{"terms": []}', 'application/json', 400, 'BAD_REQUEST', 'MISSING_FIELD'],
  ['plain text', 'x', 'text/plain', 415, 'UNSUPPORTED_MEDIA_TYPE', undefined],
];

test('bad corrections and bad terms are refused as a whole, clearly, and change nothing', async () => {
  const { key } = await app.account({ credits: 10_000 });
  const series_id = await newSeries(key);
  await run(app, key, { action: 'translation', series_id, text: paragraph(1) });
  const before = (await get(key, `/series/${series_id}`)).body.data.counts;
  for (const [what, body, type, status, code, reason] of wrongCorrections)
    assertError(
      await post(key, `/series/${series_id}/corrections`, body, type),
      status,
      code,
      reason ? { reason } : {},
      what,
    );
  for (const [what, body, type, status, code, reason] of wrongTerms)
    assertError(await put(key, `/series/${series_id}/terms`, body, type), status, code, reason ? { reason } : {}, what);
  assert.deepEqual((await get(key, `/series/${series_id}`)).body.data.counts, before);
});

test('terms come as CSV, as the TBX that a task delivers, and as the older TBX of other tools', async () => {
  const { key } = await app.account({ credits: 10_000 });
  const series_id = await newSeries(key);
  const path = `/series/${series_id}/terms`;
  const csv =
    '\ufeffsource,target,type,gender,aliases,occurrences,note\r\n"Iron Gate",Eisentor,place,neutral,"the Gate; Gate",12,"a ""gate"""\r\n';
  assert.equal((await put(key, path, csv, 'text/csv')).body.data.terms, 1);
  const gate = { source: 'Iron Gate', target: 'Eisentor', type: 'place', gender: 'neutral', note: 'a "gate"' };
  const listed = async () => (await get(key, path)).body.data.terms;
  const [first] = await listed();
  assert.deepEqual({ ...first, ...gate, aliases: ['the Gate', 'Gate'] }, first);
  assert.equal(first.origin, 'supplied');

  const task = await run(app, key, order(series_id), {
    file: { content: `The Iron Gate was shut. ${bookText}`, fileName: 'g.md' },
  });
  const tbx = (await fileOf(key, task.task_id, 'glossary_tbx')).replace('>Eisentor<', '>Irongate<');
  assert.equal((await put(key, path, tbx, 'application/x-tbx')).status, 200);
  const ours = (await listed()).find(({ source }: { source: string }) => source === 'Iron Gate');
  assert.deepEqual([ours.target, ours.aliases, ours.note], ['Irongate', ['the Gate', 'Gate'], 'a "gate"']);

  const older = `<?xml version="1.0"?><martif type="TBX" xml:lang="en-US"><text><body><termEntry>
    <descrip type="subjectField">geography</descrip>
    <langSet xml:lang="de-DE"><tig><term>Westmark</term></tig></langSet>
    <langSet xml:lang="en-US"><tig><term>West March</term></tig><tig><term>the March</term></tig></langSet>
    </termEntry></body></text></martif>`;
  assert.equal((await put(key, path, older, 'text/xml')).body.data.terms, 1);
  const march = (await listed()).find(({ source }: { source: string }) => source === 'West March');
  assert.deepEqual([march.target, march.aliases], ['Westmark', ['the March']]);
});

test('a series without a source language reads files by what they say of theirs', async () => {
  const { key } = await app.account({ credits: 10_000 });
  const series_id = await newSeries(key, { source_lang: 'auto' });
  const text = paragraph(1).replaceAll('*', '');
  const task = await run(app, key, { action: 'translation', series_id, source_lang: 'en', text, outputs: 'tmx' });
  const tmx = await fileOf(key, task.task_id, 'tmx');
  const edited = tmx.replace(/(xml:lang="de"><seg>).*?(<\/seg>)/, '$1Fähre eins.$2');
  const { data } = (await post(key, `/series/${series_id}/corrections`, edited, 'text/xml')).body;
  assert.deepEqual([data.taken, data.refused], [1, 0]);
  const created = await create(app, key, { action: 'translation', series_id, source_lang: 'en', text });
  assert.equal(created.status, 201);
});

test('many terms, which are read beside the process that answers, are taken and refused as few are', async () => {
  const { key } = await app.account({ credits: 0 });
  const series_id = await newSeries(key);
  const path = `/series/${series_id}/terms`;
  const list = Array.from({ length: 1_500 }, (_, i) => ({ source: `Gate ${i}`, target: `Tor ${i}` }));
  const json = JSON.stringify({ terms: list });
  const csv = ['source,target', ...list.map(({ source, target }) => `${source},${target}`)].join('\n');
  const count = async () => (await get(key, `/series/${series_id}`)).body.data.counts.terms;
  for (const [what, body, type, reason] of [
    ['half a body', json.slice(0, json.length / 2), 'application/json', undefined],
    ['a term twice', `${csv}\nGate 7,Pforte`, 'text/csv', 'GLOSSARY_DUPLICATE_TERM'],
    ['a further field', json.replace('"Tor 900"', '"Tor 900","x":1'), 'application/json', 'GLOSSARY_TERM_INVALID'],
  ] as const) {
    assertError(await put(key, path, body, type), 400, 'BAD_REQUEST', reason ? { reason } : {}, what);
    assert.equal(await count(), 0, what);
  }
  for (const [body, type] of [
    [`\ufeff${json}`, 'application/json'],
    [csv, 'text/csv'],
  ] as const)
    assert.equal((await put(key, path, body, type)).body.data.terms, list.length, type);
  assert.equal(await count(), list.length);
});
