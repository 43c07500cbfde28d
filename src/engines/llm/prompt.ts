import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { languageName } from '../../language/languages.ts';
import { translationNotes } from '../../language/translation-notes.ts';
import type { Gender, TermType } from '../../term.ts';
import type {
  CompareRequest,
  ExtractRequest,
  SheetRequest,
  TermHint,
  TextBlock,
  TextBlockKind,
  TranslateRequest,
} from '../engine.ts';
import { type AnswerFormat, replyRule } from './answer-formats.ts';

export interface Prompt {
  /** Our rules, the only part that the model must obey. */
  instructions: string;
  /** What holds for the whole book, the same in every call of a task: with the rules, what providers keep in their caches. Empty, or whole lines. */
  brief: string;
  /** Book text and what was derived from it. */
  data: string;
}

export type PromptTexts = ReturnType<typeof readPromptTexts>;

export function readPromptTexts() {
  const read = (name: string): string => readFileSync(new URL(`../prompts/${name}.md`, import.meta.url), 'utf8');
  const translate = read('translate');
  const written = {
    translate,
    /** With rules of a hundred words, for a window that the others would fill. */
    translateShort: translate.replace(/^.*?(?=^---$)/msu, () => `${read('short-rules')}\n`),
    extract: read('extract'),
    candidates: read('candidates'),
    sheet: read('sheet'),
  };
  const wording = Object.values(written).join('\u0000');
  const edit = read('edit');
  return {
    ...written,
    edit,
    compare: read('compare'),
    /** Of the instructions, those without a placeholder: nothing that a book would say. */
    sentences: [written.translate, written.translateShort, edit].flatMap(sentencesOf),
    /** Changes with every change of wording, so that results of older prompts are not mistaken for new ones. */
    revision: createHash('sha256').update(wording).digest('hex').slice(0, 12),
  };
}

function sentencesOf(template: string): string[] {
  const [instructions = ''] = template.split(/^---$/mu);
  return instructions.split(/(?<=[.:])\s+/u).filter((sentence) => sentence.length >= 25 && !/[{<]/.test(sentence));
}

/**
 * Blocks travel as lines `1 text`. Every line of book text carries a number or a `> `, so no passage can pass for a
 * heading of the prompt. Numbers instead of the caller's ids, because we would pay for an id twice per block.
 */
export function translatePrompt(
  texts: PromptTexts,
  request: TranslateRequest,
  format: AnswerFormat,
  rules: 'translate' | 'translateShort' = 'translate',
): Prompt {
  const { before, after, translatedBefore = [], translatedAfter = [] } = request.context;
  const standing = request.blocks.flatMap(({ standing: text }, i) =>
    text === undefined ? [] : [{ line: i + 1, text }],
  );
  return fill(texts[rules], {
    ...passageValues(request),
    reply: replyRule(format, 'translate'),
    before: translatedBefore.length > 0 ? undefined : before.map(quoted).join('\n'),
    after: translatedAfter.length > 0 ? undefined : after.map(quoted).join('\n'),
    standing_ids: standing.length === 0 ? undefined : `line ${standing.map(({ line }) => line).join(', ')}`,
    standing: standing.map(({ line, text }) => quoted(`${line} ${text}`)).join('\n'),
    fault: request.fault && oneLine(request.fault),
  });
}

/** Source and standing translation, under the same brief as the book was translated with. */
export function editPrompt(texts: PromptTexts, request: TranslateRequest, format: AnswerFormat): Prompt {
  return fill(texts.edit, {
    ...passageValues(request),
    reply: replyRule(format, 'edit'),
    translation: request.blocks.map(({ standing = '' }, index) => numbered({ text: standing }, index)).join('\n'),
  });
}

/** What is told of the book and of a passage of it, whatever is asked. */
function passageValues(request: TranslateRequest): Record<string, string | undefined> {
  const { brief = { core: [] }, blocks } = request;
  const inCore = new Set(brief.core.map(termLine));
  const told = new Set([...brief.core, ...request.terms].map((term) => term.source));
  const { chapterDigest, translatedBefore = [], translatedAfter = [] } = request.context;
  return {
    source: languageName(request.sourceLang),
    target: targetName(request.targetLang),
    notes: translationNotes(request.sourceLang, request.targetLang).join(' '),
    style: linesOf(brief.style),
    background: linesOf(brief.background),
    sheet: brief.sheet?.map((line) => `- ${oneLine(line)}`).join('\n'),
    synopsis: brief.synopsis && oneLine(brief.synopsis),
    core: brief.core.map(termLine).join('\n'),
    digest: chapterDigest && oneLine(chapterDigest),
    roster: request.roster
      .filter((person) => !told.has(person.source))
      .map(termLine)
      .join('; '),
    terms: request.terms
      .map(termLine)
      .filter((line) => !inCore.has(line))
      .join('\n'),
    translated_before: translatedBefore.map(quoted).join('\n'),
    translated_after: translatedAfter.map(quoted).join('\n'),
    kinds: kindsOf(blocks),
    text: blocks.map(numbered).join('\n'),
    ids: blocks.length === 1 ? 'line 1' : `lines 1-${blocks.length}`,
  };
}

export function extractPrompt(texts: PromptTexts, request: ExtractRequest, format: AnswerFormat): Prompt {
  const question = extractQuestion(request);
  return fill(texts[question], {
    reply: replyRule(format, question),
    source: languageName(request.sourceLang),
    target: targetName(request.targetLang),
    story: request.story && oneLine(request.story),
    known: request.known.map(termLine).join('\n'),
    candidates: [...request.candidates, ...(request.doubtful ?? [])].map(oneLine).join('; '),
    text: request.text.split('\n').map(quoted).join('\n'),
  });
}

export function sheetPrompt(texts: PromptTexts, request: SheetRequest, format: AnswerFormat): Prompt {
  return fill(texts.sheet, {
    reply: replyRule(format, 'sheet'),
    source: languageName(request.sourceLang),
    target: targetName(request.targetLang),
    style: linesOf(request.style),
    background: linesOf(request.background),
    known: request.known.map((line) => `- ${oneLine(line)}`).join('\n'),
    terms: request.terms.map(termLine).join('\n'),
    text: request.text.split('\n').map(quoted).join('\n'),
  });
}

export function comparePrompt(texts: PromptTexts, request: CompareRequest, format: AnswerFormat): Prompt {
  const { sourceLang, targetLang, source, first, second } = request;
  return fill(texts.compare, {
    reply: replyRule(format, 'compare'),
    source: languageName(sourceLang),
    target: targetName(targetLang),
    text: source.map(quoted).join('\n'),
    first: first.map(quoted).join('\n'),
    second: second.map(quoted).join('\n'),
  });
}

export function extractQuestion({ passages }: ExtractRequest): 'candidates' | 'extract' {
  return passages === true ? 'candidates' : 'extract';
}

/** A private-use part of a tag is ours, not a language a model knows. */
function targetName(tag: string): string {
  return languageName(tag.replace(/-x-.*$/iu, ''));
}

/** Paragraphs of the template whose value is empty are left out: no heading without content. */
function fill(template: string, values: Readonly<Record<string, string | undefined>>): Prompt {
  const [instructions = '', brief = '', data = ''] = template.split(/^---$/mu).map((part) =>
    part
      .split(/\n{2,}/u)
      .map((paragraph) => paragraph.trim())
      .filter((paragraph) => placeholders(paragraph).every((name) => values[name]))
      // A function as replacement: `$&` in a book must stay `$&`.
      .map((paragraph) => paragraph.replace(/\{\{(\w+)\}\}/gu, (_, name: string) => values[name] ?? ''))
      .filter((paragraph) => paragraph !== '')
      .join('\n'),
  );
  return { instructions, brief: brief && `${brief}\n`, data };
}

/** As many lines as it has, none of which can pass for a heading of the prompt. */
function linesOf(text = ''): string {
  return text
    .split(/[\n\r\u0085\u2028\u2029]+/u)
    .filter((line) => line.trim() !== '')
    .map(quoted)
    .join('\n');
}

function placeholders(paragraph: string): string[] {
  return [...paragraph.matchAll(/\{\{(\w+)\}\}/gu)].map((match) => match[1] ?? '');
}

function numbered(block: Pick<TextBlock, 'text'>, index: number): string {
  return `${index + 1} ${escapeBreaks(block.text)}`;
}

function quoted(paragraph: string): string {
  return `> ${escapeBreaks(paragraph)}`;
}

/** Breaks inside a block become the two characters `\n`, which is also how they come back in JSON. */
function escapeBreaks(text: string): string {
  return text.replace(/\r\n|[\n\r\u0085\u2028\u2029]/gu, '\\n');
}

function oneLine(text: string): string {
  return text.replace(/[\s\u0085]+/gu, ' ').trim();
}

/** `1 heading, 4-7 verse` */
function kindsOf(blocks: readonly TextBlock[]): string {
  const runs: { kind: TextBlockKind | undefined; from: number; to: number }[] = [];
  for (const [index, { kind }] of blocks.entries()) {
    const last = runs.at(-1);
    if (last !== undefined && last.kind === kind) last.to = index + 1;
    else runs.push({ kind, from: index + 1, to: index + 1 });
  }
  return runs
    .filter(({ kind }) => kind !== undefined)
    .map(({ kind, from, to }) => `${from === to ? from : `${from}-${to}`} ${kind}`)
    .join(', ');
}

function termLine(term: TermHint): string {
  // That a town is neuter is no help, and a model takes the letter for its grammar.
  const gender = thingTypes.has(term.type ?? 'unknown') ? 'unknown' : (term.gender ?? 'unknown');
  const facts = [genderLetters[gender], term.note && oneLine(term.note)].filter(Boolean).join(', ');
  return `${oneLine(term.source)}→${oneLine(term.target)}${facts && ` (${facts})`}`;
}

const thingTypes: ReadonlySet<TermType> = new Set(['place', 'organization', 'item', 'skill', 'species', 'concept']);
const genderLetters: Readonly<Record<Gender, string>> = { male: 'm', female: 'f', neutral: 'n', unknown: '' };
