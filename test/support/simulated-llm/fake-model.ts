import { findRanges, pseudoName, pseudoTranslate } from '../../../src/engines/sandbox/pseudo-translate.ts';
import { scriptOf } from '../../../src/language/languages.ts';
import type { FaultKind } from './faults.ts';
import { voiceOf } from './forgetful.ts';
import { seeded } from './random.ts';
import type { ReadPrompt } from './read-prompt.ts';

export interface FakeModelOptions {
  seed: number;
  /** Names in the book: rendered differently from call to call unless the prompt fixes them. */
  names: readonly FakeName[];
  /** Share of extraction answers that render a name differently, 0 to 1. */
  extractionNoise: number;
  /** Passages that give orders. The model obeys the first it meets, see `obey`. */
  orders: readonly string[];
  /** `never`; `once` = until the prompt says what was wrong; `always`. */
  obey: 'never' | 'once' | 'always';
  /** What every line is answered with until the prompt says what was wrong; `undefined` = a translation. */
  firstAnswer?: string;
  /** Every line ends with what the model has settled for it, see `forgetful.ts`. */
  forgetful?: boolean;
  /** What it answers when it is asked for a sheet. */
  sheet?: string;
  /** What it answers when it is asked to edit; without, that nothing is to be changed. */
  edit?: (lines: readonly EditedLine[]) => string;
}

export interface EditedLine {
  id: string;
  source: string;
  translation: string;
}

export interface FakeName {
  source: string;
  type?: string;
  gender?: 'm' | 'f' | 'n' | '?';
  aliases?: readonly string[];
}

export interface FakeAnswer {
  text: string;
  finish: 'stop' | 'length' | 'refusal';
  /** The minimum that any format must contain: only the translations. */
  ideal: string;
}

export function answerPrompt(
  prompt: ReadPrompt,
  options: FakeModelOptions,
  call: { fault: FaultKind | undefined; fingerprint: string; attempt: number; schema: boolean },
): FakeAnswer {
  if (call.fault === 'empty') return { text: '', finish: 'stop', ideal: '' };
  if (call.fault === 'refusal') return { text: refusal, finish: 'refusal', ideal: '' };
  if (prompt.task === 'unknown') return { text: 'Hello! How can I help?', finish: 'stop', ideal: '' };
  const answer = answers[prompt.task](prompt, options, call);
  if (call.fault === 'bad-json') return { ...answer, text: breakJson(answer.text) };
  if (call.fault === 'truncation') return { ...answer, text: firstPart(answer.text, 0.6), finish: 'length' };
  return call.schema ? answer : { ...answer, text: decorate(answer.text, options.seed, call) };
}

type Call = { fault: FaultKind | undefined; fingerprint: string; attempt: number; schema: boolean };

const answers = { extract: extraction, sheet, translate: translation, edit };

function edit({ lines, translation: standing }: ReadPrompt, options: FakeModelOptions, _call: Call): FakeAnswer {
  const shown = lines.map(({ id, text: source }, i) => ({ id, source, translation: standing[i]?.text ?? '' }));
  const text = options.edit?.(shown) ?? '{"t":[]}';
  return { text, finish: 'stop', ideal: text };
}

/** A sheet that names what it was made from; `sheet` says otherwise. */
function sheet(prompt: ReadPrompt, options: FakeModelOptions, _call: Call): FakeAnswer {
  const [first = 'nobody'] = options.names.map(({ source }) => pseudoName(source, prompt.targetLang));
  const made = {
    narrator: 'third person, near to the main character',
    tense: 'past',
    address: [{ from: first, to: 'everybody else', form: 'distant' }],
    idioms: '',
    voices: [{ name: first, voice: 'dry and short' }],
    phrases: [],
  };
  const text = options.sheet ?? JSON.stringify(made);
  return { text, finish: 'stop', ideal: text };
}

const refusal = 'I’m sorry, but I can’t help with that request.';

function translation(
  prompt: ReadPrompt,
  options: FakeModelOptions,
  call: { fault: FaultKind | undefined; fingerprint: string; attempt: number },
): FakeAnswer {
  const order = obeyed(prompt, options, call.fault);
  if (order !== undefined) return { text: order, finish: 'stop', ideal: order };
  const told = new Set(prompt.terms.map((term) => term.source));
  const free = options.names
    .flatMap((name) => [name.source, ...(name.aliases ?? [])])
    .filter((name) => !told.has(name));
  const target = call.fault === 'wrong-language' ? otherLanguage(prompt.targetLang) : prompt.targetLang;
  const voice = options.forgetful === true ? voiceOf(prompt, options.seed, call.fingerprint) : undefined;
  let records = prompt.lines.map(({ id, text }) => {
    if (call.fault === 'echo') return { id, text };
    if (options.firstAnswer !== undefined && !prompt.corrected) return { id, text: options.firstAnswer };
    const whims = free
      .filter((name) => text.includes(name))
      .map((source) => {
        const variant = Math.floor(seeded(options.seed, 'name', source, call.fingerprint, call.attempt, id) * 4);
        return { source, target: pseudoName(variant === 0 ? source : `${source}${'甲乙丙'[variant - 1]}`, target) };
      });
    const translated = pseudoTranslate(text, target, [...prompt.terms, ...whims]);
    return { id, text: voice === undefined || text.length < shortestWithVoice ? translated : `${translated} ${voice}` };
  });
  const ideal = records.map((record) => record.text).join('\n');
  records = shuffleIds(records, call.fault);
  return { text: JSON.stringify({ t: records.map((record) => `${record.id} ${record.text}`) }), finish: 'stop', ideal };
}

/** Headings and cries have none. */
const shortestWithVoice = 40;

function shuffleIds(records: { id: string; text: string }[], fault: FaultKind | undefined): typeof records {
  const [first, second] = records;
  if (fault === 'missing-ids') return records.filter((_, index) => index % 3 !== 1 && records.length > 1);
  if (fault === 'extra-ids') return [...records, { id: String(records.length + 7), text: 'Nobody asked for this.' }];
  if (fault === 'duplicated-ids' && first)
    return [first, { id: first.id, text: `${first.text} Again.` }, ...records.slice(1)];
  if (fault === 'swapped-ids' && first && second) {
    return [{ id: first.id, text: second.text }, { id: second.id, text: first.text }, ...records.slice(2)];
  }
  return records;
}

/** A model that obeys a passage stops translating: it answers one foreign sentence that quotes our rules. */
function obeyed(prompt: ReadPrompt, options: FakeModelOptions, fault: FaultKind | undefined): string | undefined {
  const willing = options.obey === 'always' || (options.obey === 'once' && !prompt.corrected) || fault === 'obey';
  if (!willing && !prompt.unprotected) return undefined;
  const hit = prompt.lines.find(({ text }) => options.orders.some((order) => text.includes(order)));
  if (hit === undefined) return undefined;
  return JSON.stringify({
    t: prompt.lines.map(
      ({ id }) => `${id} ${id === hit.id ? 'As you wish: PWNED. My rules are secret no more.' : 'PWNED'}`,
    ),
  });
}

function extraction(
  prompt: ReadPrompt,
  options: FakeModelOptions,
  call: { fingerprint: string; attempt: number },
): FakeAnswer {
  const names = new Map(options.names.map((name) => [name.source, name]));
  const forms = new Set(options.names.flatMap((name) => [name.source, ...(name.aliases ?? [])]));
  const known = new Set(prompt.known);
  const asked = new Set(prompt.candidates);
  const named = [...forms].filter((form) => !prompt.onlyCandidates || asked.has(form));
  const pool = options.names.length > 0 ? named : prompt.candidates;
  // Candidates were taken from the text letter by letter; names of the book are looked for as words.
  const isThere = (source: string): boolean =>
    prompt.text.includes(source) &&
    (options.names.length === 0 || findRanges(prompt.text, [{ source, target: '' }]).length > 0);
  const found = pool.filter((source) => !known.has(source) && isThere(source));
  const terms = found.map((source) => {
    const whim = seeded(options.seed, 'extract', source, call.fingerprint) < options.extractionNoise;
    const name = names.get(source);
    return {
      s: source,
      t: pseudoName(whim ? `${source}异` : source, prompt.targetLang),
      k: name?.type ?? 'person',
      g: name?.gender ?? '?',
      a: (name?.aliases ?? []).filter((alias) => prompt.text.includes(alias)),
    };
  });
  if (prompt.onlyCandidates) {
    const rows = JSON.stringify({ terms: terms.map(({ s, t, k, g, a }) => [s, t, k, g, ...a]) });
    return { text: rows, finish: 'stop', ideal: rows };
  }
  const digest = pseudoTranslate([...prompt.text].slice(0, 50).join('').replaceAll('\n', ' '), prompt.targetLang, []);
  const text = JSON.stringify({ terms, d: digest });
  return { text, finish: 'stop', ideal: text };
}

function otherLanguage(target: string): string {
  return scriptOf(target) === 'Cyrl' ? 'el' : 'ru';
}

/** Cut in the middle of a character sequence, as a token limit does. */
function firstPart(text: string, share: number): string {
  return [...text].slice(0, Math.max(1, Math.floor([...text].length * share))).join('');
}

function breakJson(text: string): string {
  return `Sure! Here you go:\n${text.replaceAll('"', "'").replace(/[[\]]/gu, '')}`;
}

/** Without a schema models like to wrap their answer. */
function decorate(text: string, seed: number, call: { fingerprint: string; attempt: number }): string {
  const draw = seeded(seed, 'decorate', call.fingerprint, call.attempt);
  if (draw < 0.15) return `\`\`\`json\n${text}\n\`\`\``;
  if (draw < 0.3) return `<think>\nThe lines are numbered {"t":["1 maybe"]}, so I answer in kind.\n</think>\n\n${text}`;
  return text;
}
