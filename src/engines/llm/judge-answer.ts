/** What an answer is worth: texts of a book, terms, a refusal, or a fault that teaches the engine something. */
import type {
  EditResult,
  EngineUsage,
  ExtractRequest,
  ExtractResult,
  SheetResult,
  TranslateRequest,
  TranslateResult,
} from '../engine.ts';
import { EngineError } from '../engine-error.ts';
import { readEdits } from './answer-edits.ts';
import { answerFormats } from './answer-formats.ts';
import { readAnswer } from './answer-reader.ts';
import { readSheetFields } from './answer-sheet.ts';
import { readTerms } from './answer-terms.ts';
import type { Capabilities } from './capabilities.ts';
import type { ModelAnswer, ModelQuestion } from './model-call.ts';
import { classifyFinish } from './provider-faults.ts';
import { withoutThoughts } from './thoughts.ts';

export interface JudgedAnswer {
  text: string;
  isRefused: boolean;
  /** It ended before its end. */
  isCut: boolean;
  isBroken: boolean;
  usage: EngineUsage;
  question: ModelQuestion;
}

export interface Judge {
  /** @throws EngineError for an answer that nothing can be read from */
  accepted(answer: ModelAnswer, question: ModelQuestion): JudgedAnswer;
  translation(answer: JudgedAnswer, request: TranslateRequest): TranslateResult;
  terms(answer: JudgedAnswer, request: ExtractRequest): ExtractResult;
  /** One that cannot be read is no fault: a book can do without. */
  sheet(answer: JudgedAnswer): SheetResult;
  /** Neither is this: a book stands without edits. */
  edits(answer: JudgedAnswer, request: TranslateRequest): EditResult;
}

export function createJudge(capabilities: Capabilities): Judge {
  const unreadable = ({ question: { format }, usage }: JudgedAnswer, what: string): EngineError => {
    const adapted = capabilities.unreadable(format);
    if (!capabilities.isHopeless()) return new EngineError('malformed', what, { adapted, usage });
    return new EngineError('unusable', `nothing that it answers can be read, in any format: ${what}`, { usage });
  };

  return {
    accepted(answer, question) {
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
    translation(answer, request) {
      const { question, usage, isCut } = answer;
      const refused: TranslateResult = { translations: new Map(), finish: 'refused', usage };
      if (answer.isRefused) return refused;
      const { prompt, format } = question;
      const sources = request.blocks.map(({ text }) => text);
      const lines = readAnswer(answer.text, { prompt, sources, isCut, isPlain: format.isPlain });
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
    terms(answer, request) {
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
    edits({ text, usage, isCut, isRefused }, { blocks }) {
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
    sheet({ text, usage, isCut, isRefused }) {
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
