/** In the order of their weight, with what they are called. */
export const sheetFields = {
  narrator: 'Narrator',
  tense: 'Tense',
  register: 'Register and period',
  spelling: 'Spelling and quotation marks',
  honorifics: 'Honorifics',
  titles: 'Titles',
  units: 'Units and money',
  idioms: 'Idioms',
  foreign_words: 'Foreign words',
  thoughts: 'Thoughts',
  letters: 'Letters and documents',
  verse: 'Verse',
  sounds: 'Sounds',
} as const;
type SheetField = keyof typeof sheetFields;
const fieldNames = Object.keys(sheetFields) as SheetField[];
/** Before the forms of address; the others follow them. */
const weightiest: readonly SheetField[] = ['narrator', 'tense', 'register', 'spelling'];

/**
 * The sheet: what a translator settles before page one, so that a book that is translated in many calls reads as one. Wire format: snake_case.
 * A model that read the book wrote it, or a partner; in both cases it is bounded text of single lines.
 */
export interface Sheet extends Partial<Record<SheetField, string>> {
  /** Who speaks how to whom. */
  address?: Record<'from' | 'to' | 'form', string>[];
  voices?: Record<'name' | 'voice', string>[];
  phrases?: Record<'source' | 'target', string>[];
}

export const sheetLimits = {
  field: 240,
  address: 24,
  voices: 12,
  phrases: 16,
  name: 60,
  form: 80,
  voice: 160,
  phrase: 120,
} as const;
/** About 900 tokens of English. */
const maxSheetCharacters = 4_000;

/** Whatever was sent or answered, bounded. Undefined when nothing of it is a sheet. */
export function readSheet(value: unknown): Sheet | undefined {
  if (!isRecord(value)) return undefined;
  const sheet: Sheet = {};
  for (const name of fieldNames) {
    const text = lineOf(value[name], sheetLimits.field);
    if (text !== undefined) sheet[name] = text;
  }
  const { name, form, voice, phrase } = sheetLimits;
  const address = listOf(value.address, sheetLimits.address, { from: name, to: name, form });
  const voices = listOf(value.voices, sheetLimits.voices, { name, voice });
  const phrases = listOf(value.phrases, sheetLimits.phrases, { source: phrase, target: phrase });
  if (address.length > 0) sheet.address = address;
  if (voices.length > 0) sheet.voices = voices;
  if (phrases.length > 0) sheet.phrases = phrases;
  return Object.keys(sheet).length === 0 ? undefined : sheet;
}

/** What `first` says wins, field by field and person by person. */
export function mergeSheets(first: Sheet | undefined, second: Sheet | undefined): Sheet | undefined {
  if (first === undefined || second === undefined) return first ?? second;
  const { address, voices, phrases } = sheetLimits;
  return readSheet({
    ...second,
    ...first,
    address: joined(first.address, second.address, ({ from, to }) => `${from}\n${to}`, address),
    voices: joined(first.voices, second.voices, ({ name }) => name, voices),
    phrases: joined(first.phrases, second.phrases, ({ source }) => source, phrases),
  });
}

/** As a translator reads it: a line for each decision, the weightiest first. */
export function sheetLines(sheet: Sheet): string[] {
  const told = (name: SheetField): string[] => {
    const text = sheet[name];
    return text === undefined ? [] : [`${sheetFields[name]}: ${text}`];
  };
  const lines = [
    ...weightiest.flatMap(told),
    ...(sheet.address ?? []).map(({ from, to, form }) => `${from} to ${to}: ${form}`),
    ...fieldNames.filter((name) => !weightiest.includes(name)).flatMap(told),
    ...(sheet.voices ?? []).map(({ name, voice }) => `Voice of ${name}: ${voice}`),
    ...(sheet.phrases ?? []).map(({ source, target }) => `Recurring phrase: ${source} → ${target}`),
  ];
  let left = maxSheetCharacters;
  return lines.filter((line) => {
    left -= line.length + 3;
    return left >= 0;
  });
}

function joined<T>(first: readonly T[] = [], second: readonly T[] = [], key: (one: T) => string, most: number): T[] {
  const known = new Set(first.map(key));
  return [...first, ...second.filter((one) => !known.has(key(one)))].slice(0, most);
}

/** Entries whose every part is a text. */
function listOf<K extends string>(
  value: unknown,
  most: number,
  parts: Readonly<Record<K, number>>,
): Record<K, string>[] {
  if (!Array.isArray(value)) return [];
  return value
    .flatMap((entry: unknown) => {
      const texts = Object.entries<number>(parts).map(([name, characters]) => [
        name,
        isRecord(entry) ? lineOf(entry[name], characters) : undefined,
      ]);
      return texts.some(([, text]) => text === undefined) ? [] : [Object.fromEntries(texts) as Record<K, string>];
    })
    .slice(0, most);
}

function lineOf(value: unknown, most: number): string | undefined {
  if (typeof value !== 'string') return undefined;
  const line = value
    .toWellFormed()
    .replace(/[\s\u0000-\u001f\u007f-\u009f\u2028\u2029]+/gu, ' ')
    .trim();
  return line === '' ? undefined : [...line].slice(0, most).join('');
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
