/**
 * Reads numbered lines out of a model's answer. The format asked for is `{"t":["1 …","2 …"]}`; other forms that models
 * use are read too. Only what is certain is taken: a line that is left out is asked for again, a wrong one stays in the book.
 */
import { isRecord } from '../json-value.ts';
import { flatValuesIn, jsonValuesIn, withoutThoughts } from './answer-text.ts';

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
 * Numbers count when every text has one. Where only some have one, they are numbers if most of them fit their place. Otherwise
 * they are the beginning of a text: "3 men" is a line. Texts without numbers are read by their place when none is missing.
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
  if (!isRecord(value)) return [];
  const number = statedNumber(firstOf(value, numberNames));
  const text = firstOf(value, textNames);
  if (number !== undefined && typeof text === 'string') return [{ number, text, isStated: true }];
  return Object.entries(value).flatMap(([key, inner]): Line[] => {
    const keyed = statedNumber(key);
    if (keyed === undefined) return statedLines(inner);
    const own = isRecord(inner) ? firstOf(inner, textNames) : inner;
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
    const texts = value.map((one) => (isRecord(one) ? firstOf(one, textNames) : one));
    const strings = texts.filter((one) => typeof one === 'string');
    if (strings.length === value.length) return value.length > 0 ? [strings] : [];
    return value.flatMap(listsOfTexts);
  }
  if (!isRecord(value)) return [];
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

/**
 * Reads an answer that should be nothing but the translation of one paragraph. Models put a fence, a heading, quotation marks or a
 * note around it. What cannot be told from the translation makes the whole answer unreadable.
 */
export function readParagraph(answer: string, source: string): string | undefined {
  const text = withoutThoughts(answer, [source]);
  if (/^(?:```\w*\s*)?[[{]\s*["{]/u.test(text)) return readLines(answer, { sources: [source] }).get(1);
  const lines = withoutLeadIn(withoutWrapper(text).split('\n'), source);
  const [first, ...notes] = paragraphsOf(lines, source);
  if (first === undefined || notes.some((note) => !isNote.test(note))) return undefined;
  const unquoted = withoutQuotes(withoutNumber(first, source), source);
  return unquoted === '' || unquoted.includes('```') ? undefined : unquoted;
}

/** What a fence or a pair of tags holds, where one stands around the answer. */
function withoutWrapper(text: string): string {
  const fenced = /```[^\n]{0,20}\n([\s\S]*?)\n?```/u.exec(text)?.[1];
  const tagged = /^<(translation|textarea|answer|output|result)>([\s\S]*)<\/\1>$/u.exec((fenced ?? text).trim())?.[2];
  return (tagged ?? fenced ?? text).trim();
}

/** "Here is the translation:" on a line of its own, or "Translation:" before the text. */
function withoutLeadIn(lines: readonly string[], source: string): string[] {
  const [first = '', ...rest] = lines;
  const isLeadIn =
    /[:：]\s*(?:\*\*)?$/u.test(first) && first.length <= 120 && !/[:：]\s*$/u.test(source.split('\n')[0] ?? '');
  if (isLeadIn && rest.some((line) => line.trim() !== '')) return rest;
  return [first.replace(label, ''), ...rest];
}

const label =
  /^\s*(?:\*\*)?(?:translation|translated text|übersetzung|traduction|traducción|tradução|traduzione|перевод|译文|譯文|翻译|翻譯|翻訳|번역)(?:\*\*)?\s?[:：](?:\*\*)?\s*/iu;

/** A paragraph may have lines of its own only where its source has them. */
function paragraphsOf(lines: readonly string[], source: string): string[] {
  const paragraphs = lines
    .join('\n')
    .split(/\n\s*\n/u)
    .map((paragraph) => paragraph.trim())
    .filter((paragraph) => paragraph !== '');
  const mayBreak = source.includes('\n');
  return paragraphs.some((paragraph) => !isNote.test(paragraph) && paragraph.includes('\n') && !mayBreak)
    ? []
    : paragraphs;
}

const isNote =
  /^[\s([*_（【]{0,4}(?:translator['’]?s? )?(?:notes?|explanation|n\.b\.|hinweis|anmerkung|remarque|nota|примечание|注释?|註|说明|說明|备注|備註|補足|訳注)(?:\*\*)?\s?[:：)）\d]/iu;

function withoutNumber(text: string, source: string): string {
  const line = numberAndText(text);
  return line?.number === 1 && !startsWithNumber(source) ? line.text.trim() : text;
}

function withoutQuotes(text: string, source: string): string {
  const [, inner] = /^(?:"([^"]*)"|“([^“”]*)”)$/u.exec(text)?.filter((part) => part !== undefined) ?? [];
  return inner !== undefined && !/^[\s—–-]*["“„«「『‹'‘]/u.test(source) ? inner.trim() : text;
}

/**
 * The number that a model puts before a line: `1 x`, `1. x`, `1: x`, `1) x`, `[1] x`, `(1) x`, `#1: x`, `**1.** x`, `Line 1: x`, `1、x`,
 * with the digits of any width. Undefined where the line has none: "1.5 miles" and "1,000 men" begin with a figure of the story.
 */
export function numberAndText(line: string): { number: number; text: string } | undefined {
  for (const form of forms) {
    const [, digits, text] = form.exec(line) ?? [];
    if (digits !== undefined && text !== undefined) return { number: Number(digits.normalize('NFKC')), text };
  }
  return undefined;
}

/** Whether a text of a book begins with a figure, which then is no number of ours. */
function startsWithNumber(text: string): boolean {
  return /^[\s\p{P}]*\p{Nd}/u.test(text);
}

const digit = String.raw`([\d０-９]{1,4})`;

const forms = [
  // Right before a letter only in scripts without capitals, which need no space: "1st" is no number.
  String.raw`#?${digit}(?:[.:)]\s|\s|[、：．]\s?|(?=[\p{Lo}<“"‘「『«‹„（【…]))`,
  String.raw`(?:[[(（【]\s?${digit}\s?[\])）】])[:：]?\s?`,
  String.raw`(?:line|第)\s?${digit}\s?(?:行)?[.:)：]\s?`,
  String.raw`\*\*#?${digit}[.:)]?\*\*[.:)]?\s`,
].map((head) => new RegExp(String.raw`^\s{0,20}${head}([\s\S]*)$`, 'iu'));
