/** What a partner can send to hold up others: the shapes that once did, and generated ones (glossaries × texts × formats). */
import { strict as assert } from 'node:assert';
import { endlessTexts, letterCases, repeated } from '../../support/endless-texts.ts';
import { idOf, type Partner } from './partner.ts';

export interface Hostile {
  name: string;
  /** Sends what is hostile; returns the ids of its tasks. */
  send(attacker: Partner): Promise<string[]>;
}

export interface ShapesToMake {
  isLong: boolean;
  /** Generated shapes. */
  size: number;
  seed: number;
}

/** How long a hostile task may go on. */
export const hostileMs = 300_000;

export function hostileShapes(wanted: ShapesToMake): Hostile[] {
  return [...knownShapes(wanted.isLong), ...generatedShapes(wanted)];
}

function knownShapes(isLong: boolean): Hostile[] {
  const scale = isLong ? 1 : 0.1;
  const chars = (count: number): number => Math.round(count * scale);
  const aliases = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
  const russian = {
    'Серебряный Шип': { target: 'Thorn', aliases: aliases(chars(19_000), (i) => `Серебряный ш${i.toString(36)}`) },
  };
  const manyMembers = () => `{"metadata":{${aliases(180_000, (i) => `"k${i}":0`).join(',')}}}`;
  const long = isLong ? 3_500_000 : 200_000;
  return [
    tasks('20,000 aliases with one first word', 4, {
      source_lang: 'ru',
      target_lang: 'en',
      glossary: russian,
      text: repeated('Серебряного Шипа коснулся Серебряный. ', 3_000),
    }),
    {
      name: '2 MB of small members, forty times',
      send: async (attacker) => {
        const body = manyMembers();
        const answers = await Promise.all(aliases(40, () => attacker.send('POST', '/tasks', body, 'application/json')));
        for (const { status, text } of answers) assert.equal(status, 413, text);
        return [];
      },
    },
    tasks('a book in one line', 1, {
      source_lang: 'en',
      target_lang: 'de',
      text: repeated('the lamp was out, ', long),
    }),
    tasks('initials', 2, { source_lang: 'en', target_lang: 'de', text: repeated('A. ', chars(160_000)) }),
    {
      name: 'twelve lists over large results',
      async send(attacker) {
        const text = aliases(2_000, (i) => `Chapter ${i + 1}\n\nThe lamp was out.\n\n`).join('');
        const ids = await sendTasks(attacker, 4, { action: 'preview_metadata', text });
        await Promise.all(ids.map((id) => attacker.untilEnded(id, hostileMs)));
        const answers = await Promise.all(aliases(12, () => attacker.get('/tasks?limit=100')));
        for (const { status } of answers) assert.equal(status, 200);
        return ids;
      },
    },
    tasks('forty tiny tasks', 40, { source_lang: 'en', target_lang: 'de', text: 'The lamp was out.' }),
    tasks('free estimates of large texts', 6, {
      action: 'token_estimate',
      text: endlessTexts.words?.(chars(5_000_000)) ?? '',
    }),
    tasks('large books at once', isLong ? 4 : 1, {
      source_lang: 'en',
      target_lang: 'de',
      glossary_strategy: 'replace',
      text: repeated('The lamp on the quay was out.\n\n', chars(5_000_000)),
    }),
    tasks('3,500 long aliases of one term', 2, {
      source_lang: 'en',
      target_lang: 'de',
      glossary: { Lamp: { target: 'x'.repeat(900), aliases: aliases(3_500, (i) => `lamp ${i.toString(36)}`) } },
      text: aliases(1_000, (i) => `lamp ${i.toString(36)} was out`).join(' '),
    }),
    tasks('one word in 15,000 letter cases', 2, {
      source_lang: 'ru',
      target_lang: 'en',
      glossary: Object.fromEntries(
        aliases(chars(15_000), (i) => [letterCases(i), { target: 'x', case_sensitive: true }]),
      ),
      text: repeated('abcdefghijklmnop ', 20_000),
    }),
    {
      name: '20,000 terms of a series, twice as JSON and twice as CSV',
      async send(attacker) {
        const series = JSON.stringify({ title: 'Terms', source_lang: 'fr', target_lang: 'en' });
        const { text } = await attacker.send('POST', '/series', series, 'application/json');
        const path = `/series/${JSON.parse(text).data.series_id}/terms`;
        const terms = aliases(chars(20_000), (i) => ({ source: `Maison ${i}`, target: `House ${i}` }));
        const json = JSON.stringify({ terms });
        const csv = ['source,target', ...terms.map(({ source, target }) => `${source},${target}`)].join('\n');
        const sent = aliases(2, () => [
          attacker.send('PUT', path, json, 'application/json'),
          attacker.send('PUT', path, csv, 'text/csv'),
        ]);
        for (const { status, text: answer } of await Promise.all(sent.flat())) assert.equal(status, 200, answer);
        return [];
      },
    },
    {
      name: '20,000 corrections of a book and of its series, as JSON and as XLIFF',
      async send(attacker) {
        const made = JSON.stringify({ title: 'Corrections', source_lang: 'en', target_lang: 'de' });
        const { text } = await attacker.send('POST', '/series', made, 'application/json');
        const series: string = JSON.parse(text).data.series_id;
        const units = aliases(chars(20_000), (i) => ({
          source: `The lamp number ${i} on the quay was out, and nobody had lit it since Monday.`,
          target: `Die Lampe ${i} am Kai war aus, und seit Montag hatte niemand sie angezündet.`,
        }));
        const book = units.slice(0, chars(3_000)).map(({ source }) => source);
        const fields = { series_id: series, source_lang: 'en', target_lang: 'de', text: book.join('\n\n') };
        const [task] = await sendTasks(attacker, 1, fields);
        assert.ok(task !== undefined);
        await attacker.untilEnded(task, hostileMs);
        const xliff = xliffOf(units);
        const sent = await Promise.all([
          attacker.send('POST', `/series/${series}/corrections`, JSON.stringify(units), 'application/json'),
          attacker.send('POST', `/series/${series}/corrections`, xliff, 'application/xliff+xml'),
          attacker.send(
            'POST',
            `/tasks/${task}/corrections`,
            JSON.stringify({ corrections: units }),
            'application/json',
          ),
          attacker.send('POST', `/tasks/${task}/corrections`, xliff, 'application/xliff+xml'),
        ]);
        for (const { status, text: answer } of sent) assert.equal(status, 200, answer.slice(0, 300));
        return [task];
      },
    },
  ];
}

function xliffOf(units: readonly { source: string; target: string }[]): string {
  const body = units.map(
    ({ source, target }, i) =>
      `<trans-unit id="u${i}"><source>${source}</source><target>${target}</target></trans-unit>`,
  );
  const file = 'original="novel" datatype="plaintext" source-language="en" target-language="de"';
  return `<?xml version="1.0"?><xliff version="1.2"><file ${file}><body>${body.join('')}</body></file></xliff>`;
}

const glossaries: Record<string, object> = {
  none: {},
  nested: { 的: { target: 'of', aliases: Array.from({ length: 300 }, (_, i) => '的'.repeat(i + 2)) } },
  many: Object.fromEntries(Array.from({ length: 15_000 }, (_, i) => [`a ${i.toString(36)}`, `b ${i}`])),
};
const formats = ['novel.txt', 'novel.md', 'novel.html'];

/** Every n-th of all combinations, beginning somewhere. */
function generatedShapes({ isLong, size, seed }: ShapesToMake): Hostile[] {
  const length = isLong ? 400_000 : 20_000;
  const all = Object.keys(glossaries).flatMap((glossary) =>
    Object.keys(endlessTexts).flatMap((text) => formats.map((format) => ({ glossary, text, format }))),
  );
  return Array.from({ length: size }, (_, i) => {
    const { glossary, text, format } = all[(seed + i * 37) % all.length] as (typeof all)[number];
    return {
      name: `${format} of ${text} with glossary ${glossary}`,
      send: (attacker) =>
        sendFiles(attacker, 2, format, endlessTexts[text]?.(length) ?? '', glossaries[glossary] ?? {}),
    };
  });
}

function tasks(name: string, copies: number, fields: Record<string, unknown>): Hostile {
  return { name, send: (attacker) => sendTasks(attacker, copies, fields) };
}

async function sendTasks(attacker: Partner, copies: number, fields: Record<string, unknown>): Promise<string[]> {
  const body = { action: 'translation', ...fields };
  const answers = await Promise.all(Array.from({ length: copies }, () => attacker.create(body)));
  return answers.flatMap(({ status, text }) => (status === 201 ? [idOf(text)] : refused(status, text)));
}

async function sendFiles(
  attacker: Partner,
  copies: number,
  fileName: string,
  text: string,
  glossary: object,
): Promise<string[]> {
  const answers = await Promise.all(
    Array.from({ length: copies }, async () => {
      const form = new FormData();
      form.set('action', 'translation');
      form.set('source_lang', 'en');
      form.set('target_lang', 'de');
      form.set('estimated_chars', '1');
      form.set('glossary', JSON.stringify(glossary));
      form.set('file', new Blob([text]), fileName);
      const response = await attacker.upload(form);
      return { status: response.status, text: await response.text() };
    }),
  );
  return answers.flatMap(({ status, text: body }) => (status === 201 ? [idOf(body)] : refused(status, body)));
}

/** A hostile text may be refused, but with a reason, and never as our fault. */
function refused(status: number, text: string): [] {
  assert.ok(status >= 400 && status < 500, `${status} ${text.slice(0, 300)}`);
  return [];
}
