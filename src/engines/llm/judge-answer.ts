/** What an answer is worth: texts of a book, terms, a refusal, or a fault that teaches the engine something. */
import type {
  CompareResult,
  EditResult,
  ExtractRequest,
  ExtractResult,
  SheetResult,
  TranslateRequest,
  TranslateResult,
} from '../engine.ts';
import { EngineError } from '../engine-error.ts';
import { fieldOf, isRecord } from '../json-value.ts';
import { answerFormats } from './answer-formats.ts';
import { type AskedLines, numberAndText, readLines, readParagraph } from './answer-lines.ts';
import { readTerms } from './answer-terms.ts';
import { jsonValuesIn, withoutThoughts } from './answer-text.ts';
import type { Capabilities } from './capabilities.ts';
import type { ModelAnswer, ModelQuestion } from './model-call.ts';
import type { Prompt } from './prompt.ts';
import { classifyFinish } from './provider-faults.ts';

export interface JudgedAnswer extends Pick<ModelAnswer, 'text' | 'isBroken' | 'usage'> {
  isRefused: boolean;
  /** It ended before its end. */
  isCut: boolean;
  question: ModelQuestion;
}

export function createJudge(capabilities: Capabilities) {
  const unreadable = ({ question: { format }, usage }: JudgedAnswer, what: string): EngineError => {
    const adapted = capabilities.unreadable(format);
    if (!capabilities.isHopeless()) return new EngineError('malformed', what, { adapted, usage });
    return new EngineError('unusable', `nothing that it answers can be read, in any format: ${what}`, { usage });
  };

  return {
    /** @throws EngineError for an answer that nothing can be read from */
    accepted(answer: ModelAnswer, question: ModelQuestion): JudgedAnswer {
      const { usage } = answer;
      const finish = classifyFinish(answer.finish);
      refuseSilentCut(answer, question, capabilities);
      if (finish === 'overloaded') throw new EngineError('overloaded', `ended with ${answer.finish}`, { usage });
      const isCut = finish === 'cut' || finish === 'window' || answer.isBroken;
      const isEmpty = withoutThoughts(answer.text) === '';
      if (isEmpty && finish === 'window') {
        const adapted = capabilities.halve(question.sourceTokens);
        throw new EngineError('too-long', 'the window was full before the answer began', { adapted, usage });
      }
      if (isEmpty && finish === 'cut') throw thoughtsTookAll(answer, question, capabilities);
      // Next time there is room for both; what is whole of this answer is used.
      if (finish === 'cut' && answer.hasThoughts) capabilities.thoughtsTookAll();
      return { text: answer.text, isRefused: finish === 'refused', isCut, isBroken: answer.isBroken, usage, question };
    },
    translation(answer: JudgedAnswer, request: TranslateRequest): TranslateResult {
      const { question, usage, isCut } = answer;
      const refused: TranslateResult = { translations: new Map(), finish: 'refused', usage };
      if (answer.isRefused) return refused;
      const { prompt, format } = question;
      const sources = request.blocks.map(({ text }) => text);
      const lines = readAnswer(answer.text, { prompt, sources, isCut, isPlain: format.isPlain === true });
      if (lines.size === 0) {
        if (answer.isBroken) throw new EngineError('transport', 'the answer broke off', { usage });
        if (!isCut && soundsLikeRefusal(answer.text)) return refused;
        if (!isCut)
          throw unreadable(answer, answer.text.trim() === '' ? 'the answer is empty' : 'the answer has no lines');
      } else capabilities.readable(format, request.blocks.length > 1);
      const translations = new Map<string, string>();
      request.blocks.forEach((block, place) => {
        const text = lines.get(place + 1);
        if (text !== undefined) translations.set(block.id, restoreBreaks(text, block.text));
      });
      return { translations, finish: isCut ? 'truncated' : 'complete', usage };
    },
    terms(answer: JudgedAnswer, request: ExtractRequest): ExtractResult {
      const { question, usage, isCut } = answer;
      const none = { terms: [], digest: '', usage };
      if (answer.isRefused) return { ...none, finish: 'refused' };
      const read = readTerms(answer.text, request, { isCut });
      if (read !== undefined) {
        capabilities.readable(question.format, true);
        return { ...read, finish: isCut ? 'truncated' : 'complete', usage };
      }
      if (answer.isBroken) throw new EngineError('transport', 'the answer broke off', { usage });
      if (isCut) return { ...none, finish: 'truncated' };
      if (soundsLikeRefusal(answer.text)) return { ...none, finish: 'refused' };
      // A model that can tell no names may still translate, so this never counts against it where only single lines are left to ask for.
      const adapted = answerFormats[question.format.simpler ?? 'paragraph'].isPlain
        ? false
        : capabilities.unreadable(question.format);
      throw new EngineError('malformed', 'the answer is not a glossary', { adapted, usage });
    },
    /** One that cannot be read is no fault: a book stands without edits. */
    edits({ text, usage, isCut, isRefused }: JudgedAnswer, { blocks }: TranslateRequest): EditResult {
      if (isRefused) return { changes: undefined, finish: 'refused', usage };
      const standing = blocks.map((block) => block.standing ?? '');
      const lines = readEdits(text, standing, isCut);
      const changes = lines && new Map<string, string>();
      blocks.forEach((block, place) => {
        const edited = lines?.get(place + 1);
        if (edited !== undefined) changes?.set(block.id, restoreBreaks(edited, block.text));
      });
      return { changes, finish: isCut ? 'truncated' : 'complete', usage };
    },
    /** Neither is this: a book can do without. */
    sheet({ text, usage, isCut, isRefused }: JudgedAnswer): SheetResult {
      if (isRefused) return { fields: undefined, finish: 'refused', usage };
      return { fields: readSheetFields(text), finish: isCut ? 'truncated' : 'complete', usage };
    },
  };
}

/** Ollama's OpenAI door and others drop the head of a prompt that is too long: our rules first. */
function refuseSilentCut({ usage }: ModelAnswer, question: ModelQuestion, capabilities: Capabilities): void {
  const counted = usage.isEstimated ? 0 : usage.inputTokens;
  if (!capabilities.wasCutInSilence(question.promptTokens, counted)) return;
  // Some keep half of their window when they cut, some all of it.
  const adapted =
    capabilities.window(2 * counted) || capabilities.window(counted) || capabilities.halve(question.sourceTokens);
  const said = `the server cut the prompt without a word: it read ${counted} of about ${capabilities.asCounted(question.promptTokens)} tokens`;
  throw new EngineError('too-long', said, { adapted, usage });
}

function thoughtsTookAll({ usage }: ModelAnswer, question: ModelQuestion, capabilities: Capabilities): EngineError {
  // Nothing was written at all: it was the prompt that filled the window.
  if (usage.isEstimated !== true && usage.outputTokens === 0) {
    const adapted = capabilities.halve(question.sourceTokens);
    return new EngineError('too-long', 'the prompt left no room for an answer', { adapted, usage });
  }
  const adapted = capabilities.thoughtsTookAll();
  const said = `thoughts took all of the ${question.answerTokens} tokens of the answer`;
  return new EngineError(adapted ? 'thinking' : 'malformed', said, { adapted, usage });
}

/** Models sometimes escape a break twice; then the two characters arrive instead of the break. */
function restoreBreaks(text: string, source: string): string {
  return source.includes('\n') && !source.includes('\\n') ? text.replaceAll('\\n', '\n') : text;
}

/** Only asked of answers without a single line, so a novel that contains such a sentence is safe. */
function soundsLikeRefusal(text: string): boolean {
  return /\b(?:I['’]?m sorry|I apologi[sz]e|I can(?:['’]t|not)|I['’]?m (?:unable|not able)|As an AI)\b|抱歉|我无法|无法协助|申し訳/iu.test(
    withoutThoughts(text).slice(0, 300),
  );
}

/**
 * The one way from what a model answered to texts of a book. It is safe before it is clever: no thought, no line of our prompt and no
 * fence gets through. Of an answer that was cut, only what is whole is taken.
 */
interface AskedAnswer extends AskedLines {
  /** What the model was told. */
  prompt: Prompt;
  /** The one text that was asked for is the whole answer, without a number. */
  isPlain?: boolean;
}

/** @returns translations by number, from 1 */
export function readAnswer(
  answer: string,
  { prompt, sources, isCut = false, isPlain = false }: AskedAnswer,
): Map<number, string> {
  const [source] = sources;
  const isEcho = createEchoTest(prompt, sources);
  if (!isPlain || source === undefined || sources.length > 1)
    return new Map([...readLines(answer, { sources, isCut })].filter(([, text]) => !isEcho(text)));
  // Nobody can see where a text without marks should have ended.
  const text = isCut || isEcho(answer) ? undefined : readParagraph(answer, source);
  return new Map(text === undefined ? [] : [[1, text]]);
}

/**
 * Tells whether a text repeats what we told the model: a line of the prompt as it stands there, or a sentence of its rules. The
 * numbered lines of the book are left out. The checks see a text that came back untranslated, and know when that is right.
 */
function createEchoTest({ instructions, brief, data }: Prompt, sources: readonly string[]): (text: string) => boolean {
  const lines = new Set(`${brief}${data}`.split('\n').map((line) => line.trim()));
  for (const line of lines) if (/^\d+ /u.test(line)) lines.delete(line);
  for (const source of sources) lines.delete(source.trim());
  const rules = instructions
    .split(/(?<=[.:])\s+|\n/u)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence.length >= 25 && !sources.some((source) => source.includes(sentence)));
  return (text) => {
    const answerLines = text.split('\n').map((line) => line.trim());
    if (answerLines.some((line) => line !== '' && lines.has(line))) return true;
    const folded = text.replace(/\s+/gu, ' ');
    return rules.some((sentence) => folded.includes(sentence));
  };
}

/**
 * The changed lines of an editor's answer, by number from 1. An answer that says that there are none is an empty map; one that says
 * neither is undefined.
 * @param standing the lines that the editor was shown
 */
function readEdits(
  answer: string,
  standing: readonly string[],
  isCut: boolean,
): ReadonlyMap<number, string> | undefined {
  const lines = readLines(answer, { sources: standing, isCut });
  if (lines.size > 0) return lines;
  const text = withoutThoughts(answer, standing);
  if (isCut) return undefined;
  return saysNone(text) ? new Map() : someLines(text, standing.length);
}

function saysNone(text: string): boolean {
  if (/^\W*none\W*$/iu.test(text)) return true;
  const last = jsonValuesIn(text).whole.at(-1);
  const lists = isRecord(last) ? Object.values(last) : [last];
  return lists.length === 1 && Array.isArray(lists[0]) && lists[0].length === 0;
}

/** Plain lines, each with a number that was asked about: anything beside them makes the numbers doubtful. */
function someLines(text: string, count: number): Map<number, string> | undefined {
  const lines = text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map(numberAndText);
  const textByNumber = new Map(lines.flatMap((line) => (line === undefined ? [] : [[line.number, line.text]])));
  const isCertain =
    textByNumber.size === lines.length && [...textByNumber.keys()].every((number) => number >= 1 && number <= count);
  return isCertain && textByNumber.size > 0 ? textByNumber : undefined;
}

/** The object of an answer, or its lines `tense: past` as one; undefined when it has neither. */
export function readSheetFields(answer: string): Record<string, unknown> | undefined {
  const text = withoutThoughts(answer);
  // The last one: models think aloud in JSON before they answer in it.
  const whole = jsonValuesIn(text).whole.findLast(isRecord);
  if (whole !== undefined) return whole;
  const lines = text.split('\n').flatMap((line) => {
    const [, name, value] = /^\W{0,4}([a-z]{3,12}(?:[_ ]words)?)\W{0,2}:\W{0,2} (.+)$/iu.exec(line) ?? [];
    return name === undefined || value === undefined ? [] : [[name.toLowerCase().replace(' ', '_'), value]];
  });
  return lines.length === 0 ? undefined : Object.fromEntries(lines);
}

/** Undefined when the answer says neither. */
export function readVerdict(answer: string): CompareResult['better'] {
  const text = withoutThoughts(answer);
  const said = jsonValuesIn(text).whole.findLast((value) => isRecord(value) && 'better' in value);
  const word = said === undefined ? text : String(fieldOf(said, 'better'));
  // A word and nothing else: an answer that talks has decided nothing.
  const [, letter, equal] = /^\W*(?:translation )?(?:(a|b)|(equal|tie))\W*$/iu.exec(word) ?? [];
  if (equal !== undefined) return 'equal';
  return letter === undefined ? undefined : letter.toLowerCase() === 'a' ? 'first' : 'second';
}
