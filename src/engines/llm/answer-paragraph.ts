/**
 * Reads an answer that should be nothing but the translation of one paragraph. Models put a fence, a heading, quotation marks or a
 * note around it. What cannot be told from the translation makes the whole answer unreadable.
 */
import { readLines } from './answer-lines.ts';
import { numberAndText, startsWithNumber } from './numbered-line.ts';
import { withoutThoughts } from './thoughts.ts';

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
