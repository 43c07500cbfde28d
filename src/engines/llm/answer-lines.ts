/**
 * Reads numbered lines out of a model's answer. The format asked for is `{"t":["1 …","2 …"]}`; other forms that models
 * use are read too. Only what is certain is taken: a line that is left out is asked for again, a wrong one stays in the book.
 */
import { flatValuesIn, jsonValuesIn } from './json-values.ts';
import { numberAndText, startsWithNumber } from './numbered-line.ts';
import { withoutThoughts } from './thoughts.ts';

export interface AskedLines {
  /** The texts that were asked for, in the order of their numbers. */
  sources: readonly string[];
  /** The answer ended before its end: by its limit of tokens, or with its connection. */
  isCut?: boolean;
}

/** @returns translations by number, from 1 */
export function readLines(answer: string, { sources, isCut = false }: AskedLines): Map<number, string> {
  const text = withoutThoughts(answer, sources);
  const records =
    readJson(text, sources, isCut) ?? readBroken(text, sources.length) ?? (isCut ? [] : readPlainLines(text, sources));
  return certain(records, sources);
}

/** `isStated`: the number has a place of its own, so that it cannot be the beginning of the text. */
interface Line {
  number: number;
  text: string;
  isStated?: boolean;
}

function readJson(text: string, sources: readonly string[], isCut: boolean): Line[] | undefined {
  // What was cut while it was still talking, or talked on behind its JSON, was thinking aloud.
  if (isCut && (!/^(?:```\w*\s*)?[[{]/u.test(text) || talksOn(text))) return [];
  const { whole, inCut } = jsonValuesIn(text);
  const values = whole.map((value) => linesOf(value, sources, isCut));
  const several = values.filter((lines) => lines.length > 1);
  // One object per line, or one answer. Of several answers the last: models think aloud in JSON before they answer in it.
  const lines = several.at(-1) ?? [...values.flat(), ...inCut.flatMap(statedLines)];
  return lines.length > 0 ? lines : undefined;
}

function talksOn(text: string): boolean {
  const end = Math.max(text.lastIndexOf('}'), text.lastIndexOf(']'));
  const rest = end < 0 ? '' : text.slice(end + 1);
  return /\p{L}/u.test(rest) && !/["[{]/u.test(rest);
}

/** Lines of one whole value, wherever in it they are. */
function linesOf(value: unknown, sources: readonly string[], isCut: boolean): Line[] {
  const stated = statedLines(value);
  if (stated.length > 0) return stated;
  const [list, ...others] = listsOfTexts(value);
  if (list === undefined || others.length > 0) return [];
  const [only] = list;
  if (list.length === 1 && only?.includes('\n') && sources.length > 1) return readPlainLines(only, sources);
  return listedLines(list, sources, isCut);
}

/**
 * Numbers count when every text has one. Where only some have one, they are numbers if most of them fit their place, and the
 * beginning of a text otherwise: "3 men" is a line. Texts without numbers are read by their place when none is missing.
 */
function listedLines(list: readonly string[], sources: readonly string[], isCut: boolean): Line[] {
  const numbered = list.map((text) => numberAndText(text));
  const complete = numbered.flatMap((line) => line ?? []);
  if (complete.length === list.length) return complete;
  if (list.length !== sources.length || isCut) return [];
  const fitting = numbered.flatMap((line, place) => (line?.number === place + 1 ? [line] : []));
  if (fitting.length * 2 > list.length) return fitting;
  return list.map((text, place) => ({ number: place + 1, text, isStated: true }));
}

const numberNames = ['id', 'i', 'n', 'line', 'number', 'no', 'num', 'index', 'line_number'];
const textNames = ['translation', 'translated', 'translated_text', 'target', 'output', 'dst', 'text', 't', 'content'];

/** Objects of a number and a text, and objects whose keys are numbers. */
function statedLines(value: unknown): Line[] {
  if (Array.isArray(value)) return value.flatMap(statedLines);
  if (!isObject(value)) return [];
  const number = statedNumber(firstOf(value, numberNames));
  const text = firstOf(value, textNames);
  if (number !== undefined && typeof text === 'string') return [{ number, text, isStated: true }];
  return Object.entries(value).flatMap(([key, inner]): Line[] => {
    const keyed = statedNumber(key);
    if (keyed === undefined) return statedLines(inner);
    const own = isObject(inner) ? firstOf(inner, textNames) : inner;
    return typeof own === 'string' ? [{ number: keyed, text: own, isStated: true }] : [];
  });
}

function statedNumber(value: unknown): number | undefined {
  const digits = typeof value === 'number' || typeof value === 'string' ? String(value).normalize('NFKC') : '';
  const [, number] = /^\s*(?:line\s*|第)?#?(\d{1,4})行?\s*$/iu.exec(digits) ?? [];
  return number === undefined ? undefined : Number(number);
}

/** Every list of nothing but texts. Objects that hold only a text count as it. */
function listsOfTexts(value: unknown): string[][] {
  if (Array.isArray(value)) {
    const texts = value.map((one) => (isObject(one) ? firstOf(one, textNames) : one));
    const strings = texts.filter((one) => typeof one === 'string');
    if (strings.length === value.length) return value.length > 0 ? [strings] : [];
    return value.flatMap(listsOfTexts);
  }
  if (!isObject(value)) return [];
  return Object.values(value).flatMap((inner) => (typeof inner === 'string' ? [[inner]] : listsOfTexts(inner)));
}

/** What is whole of broken JSON: objects with their numbers, or texts that open with one. */
function readBroken(text: string, count: number): Line[] | undefined {
  const objects = flatValuesIn(text).flatMap(statedLines);
  // With the last number there is no doubt that it counts from 1, though others are missing.
  const isCounted = objects.some(({ number }) => number === count);
  const lines = isCounted ? objects : readStrings(text);
  return lines.length > 0 || /^[^\n]{0,80}[[{]\s*["{]/u.test(text) ? lines : undefined;
}

/**
 * Every string that opens with the next number, from the first of its list on. It is closed before the next string or the end of
 * the list. Reads past quotation marks that the model forgot to escape. A string without its end is not taken: it was cut.
 */
function readStrings(text: string): Line[] {
  const openings = [...text.matchAll(/([[,]|^)[^\S\n]{0,8}\n?[^\S\n]{0,16}"(?=(\d{1,4})[\s.:)、])/gu)];
  if (openings[0]?.[1] === ',' || openings.some(([, , number], index) => Number(number) !== index + 1)) return [];
  return openings.flatMap((opening, index) => {
    const from = opening.index + opening[0].length;
    const isLast = index + 1 === openings.length;
    const raw = closedPart(text.slice(from, openings[index + 1]?.index), isLast);
    // Marks between two strings inside of one: a text without a number stands there.
    if (raw === undefined || /"\s?,\s?"/u.test(raw)) return [];
    return numberAndText(unescapeLoosely(raw)) ?? [];
  });
}

/** The last string is closed by the end of its list, or by a comma and what there is of the next one. */
function closedPart(rest: string, isLast: boolean): string | undefined {
  const body = isLast ? rest.replace(/,[^\S\n]{0,8}\n?[^\S\n]{0,16}"\d{0,4}$/u, '"]').replace(/""\]$/u, '"]') : rest;
  const end = /"[\s\]},`]*$/u.exec(body);
  if (end === null || (isLast && !/[\],]/u.test(end[0])) || body[end.index - 1] === '\\') return undefined;
  return body.slice(0, end.index);
}

function unescapeLoosely(raw: string): string {
  try {
    return JSON.parse(
      `"${raw
        .replace(/(?<!\\)"/gu, '\\"')
        .replaceAll('\n', '\\n')
        .replaceAll('\t', '\\t')}"`,
    );
  } catch {
    return raw.replaceAll('\\n', '\n').replaceAll('\\"', '"').replaceAll('\\\\', '\\');
  }
}

/**
 * Numbered lines from a model that writes no JSON: all of them, each once. What stands before the first and after the last is
 * talk. A line between two numbers that has none itself makes the one before it doubtful.
 */
function readPlainLines(text: string, sources: readonly string[]): Line[] {
  const read = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('```'))
    .map(numberAndText);
  const last = read.findLastIndex((line) => line !== undefined);
  const numbers = read.flatMap((line) => (line === undefined ? [] : [line.number]));
  const wanted = sources.map((_, place) => place + 1);
  if (numbers.toSorted((a, b) => a - b).join() !== wanted.join()) return [];
  return read.flatMap((line, at) => (line === undefined || (at < last && read[at + 1] === undefined) ? [] : [line]));
}

/** Numbers that were not asked for are dropped where all others are there; where not, no number of the answer is certain. */
function certain(lines: readonly Line[], sources: readonly string[]): Map<number, string> {
  const counted = countedFromOne(lines, sources.length);
  const numbers = new Set(counted.map(({ number }) => number));
  const isComplete = sources.every((_, place) => numbers.has(place + 1));
  if (!isComplete && counted.some(({ number }) => number < 1 || number > sources.length)) return new Map();
  const texts = new Map<number, string>();
  const contradicted = new Set<number>();
  for (const { number, text } of withoutOwnNumbers(counted, sources)) {
    if (number < 1 || number > sources.length || text.trim() === '') continue;
    const earlier = texts.get(number);
    if (earlier !== undefined && earlier !== text) contradicted.add(number);
    texts.set(number, text);
  }
  for (const number of contradicted) texts.delete(number);
  return texts;
}

/** A model that counts from 0 has all numbers from 0 on; of half of them nobody can tell how it counts. */
function countedFromOne(lines: readonly Line[], count: number): Line[] {
  const numbers = [...new Set(lines.map(({ number }) => number))].sort((a, b) => a - b);
  const isFromZero = numbers.length > 1 && numbers.every((number, at) => number === at);
  if (!isFromZero) return [...lines];
  return numbers.length === count ? lines.map((line) => ({ ...line, number: line.number + 1 })) : [];
}

/** Some write the number beside the text and once more in it: in every text. */
function withoutOwnNumbers(lines: readonly Line[], sources: readonly string[]): Line[] {
  const stripped = lines.flatMap((line) => {
    const inner = line.isStated === true ? numberAndText(line.text) : undefined;
    const isOwn = inner?.number === line.number && !startsWithNumber(sources[line.number - 1] ?? '');
    return isOwn ? [inner] : [];
  });
  return stripped.length === lines.length ? stripped : [...lines];
}

function firstOf(object: Readonly<Record<string, unknown>>, names: readonly string[]): unknown {
  const values = new Map(Object.entries(object).map(([key, value]) => [key.toLowerCase(), value]));
  return names.map((name) => values.get(name)).find((value) => value !== undefined && value !== null);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
