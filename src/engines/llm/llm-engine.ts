import { createHash } from 'node:crypto';
import { stripInlineTags } from '../../inline-tags.ts';
import { estimateTokens } from '../../language/estimate-tokens.ts';
import { type BookBrief, type CallNotes, type Engine, namedPairs, type TranslateRequest } from '../engine.ts';
import { EngineError } from '../engine-error.ts';
import type { LlmEngineConfig } from '../engine-settings.ts';
import { answerSchemas, type Question } from './answer-formats.ts';
import { Capabilities } from './capabilities.ts';
import { examineModel } from './examine-model.ts';
import { createJudge, type JudgedAnswer, readVerdict } from './judge-answer.ts';
import { questionOf } from './model-call.ts';
import { ollamaModel } from './ollama-model.ts';
import {
  comparePrompt,
  editPrompt,
  extractPrompt,
  extractQuestion,
  type Prompt,
  readPromptTexts,
  sheetPrompt,
  translatePrompt,
} from './prompt.ts';
import { sdkModel } from './sdk-model.ts';
import { askServerFacts } from './server-facts.ts';

const linesOfTrial = 2;

/** A language model behind HTTP. One call per request: no SDK retries, no tools. What goes wrong teaches it how to ask. */
export function createLlmEngine(config: LlmEngineConfig): Engine {
  const { kind, baseUrl, model } = config;
  // What is learned about one endpoint and model is not true for another.
  const capabilities = new Capabilities(config, [kind, baseUrl ?? '', model].join(' '));
  const askModel = kind === 'ollama' ? ollamaModel(config, capabilities) : sdkModel(config, capabilities);
  const texts = readPromptTexts();
  const judge = createJudge(capabilities);

  const ask = async (
    question: Question,
    prompt: Prompt,
    source: string,
    signal: AbortSignal,
    notes: CallNotes = {},
  ): Promise<JudgedAnswer> => {
    const { format } = capabilities;
    const asked = { prompt, format, schema: answerSchemas[question], notes };
    const modelQuestion = questionOf(asked, source, usualAnswerTokens(source.length), capabilities);
    return judge.accepted(await askModel(modelQuestion, signal), modelQuestion);
  };

  const hasRoom = ({ instructions, brief, data }: Prompt, source: string, answerShare: number): boolean => {
    const { windowTokens = Number.POSITIVE_INFINITY } = capabilities;
    const { sourceTokens: mostTokens = Number.POSITIVE_INFINITY } = capabilities.learned;
    const sourceTokens = estimateTokens(source);
    const promptTokens = estimateTokens(instructions + brief) + estimateTokens(data);
    const neededTokens = capabilities.asCounted(promptTokens + answerShare * sourceTokens) + answerTokensBeside;
    return sourceTokens <= mostTokens && neededTokens <= windowTokens;
  };

  const requireRoom = (prompt: Prompt, source: string, answerShare: number): void => {
    if (!hasRoom(prompt, source, answerShare)) throw new EngineError('too-long', 'the window is too small');
  };

  /** With as much of the brief as the window has room for. */
  const promptFor = (request: TranslateRequest, question: 'translate' | 'edit' = 'translate'): Prompt => {
    const { windowTokens, learned, format } = capabilities;
    // A server that only says that a text was too long has a window of some thousand tokens at most.
    const window = windowTokens ?? (learned.sourceTokens === undefined ? Number.POSITIVE_INFINITY : 0);
    const rules = window < leastForRules ? 'translateShort' : 'translate';
    const promptOf = (brief: BookBrief): Prompt =>
      question === 'edit'
        ? editPrompt(texts, { ...request, brief }, format)
        : translatePrompt(texts, { ...request, brief }, format, rules);
    const hasRoomFor = (brief: BookBrief): boolean =>
      window === Number.POSITIVE_INFINITY ||
      capabilities.asCounted(estimateTokens(promptOf(brief).brief)) <= window * briefShare;
    return promptOf(fitBrief(request.brief ?? { core: [] }, hasRoomFor));
  };
  const fits = (request: TranslateRequest): boolean => hasRoom(promptFor(request), sourceOf(request), translationShare);

  return {
    name: config.name,
    revision: `${createHash('sha256').update(`${kind} ${model}`).digest('hex').slice(0, 12)}-${texts.revision}`,
    capabilities: {
      provider: config.provider ?? (baseUrl === undefined ? kind : new URL(baseUrl).hostname),
      followsInstructions: true,
      keepsInlineTags: config.inlineTags,
      instructions: texts.sentences,
      maxInputCharacters: config.maxInputCharacters,
      maxConcurrency: config.concurrency,
      ...(kind === 'ollama' ? { local: true } : {}),
      ...namedPairs(config.sourceLanguages, config.targetLanguages),
    },
    learned: capabilities,
    prices: config.prices,
    budgetPerDay: config.budgetPerDay,
    partsOf(request) {
      const { format, isProven } = capabilities;
      const parts = partsThatFit(request, format.isPlain ? 1 : request.blocks.length, fits);
      // Any text passes for a single line. Until a few were answered not all of them are asked for; the others are asked for again.
      return format.isPlain && !isProven ? parts.slice(0, linesOfTrial) : parts;
    },
    canRead: (request) => hasRoom(extractPrompt(texts, request, capabilities.format), request.text, extractShare),
    async translate(request, signal, notes) {
      await askServerFacts(config, capabilities, signal);
      if (capabilities.format.isPlain && request.blocks.length > 1)
        throw new EngineError('too-long', 'the model takes one paragraph at a time', { adapted: true });
      const prompt = promptFor(request.blocks.length > 1 || fits(request) ? request : withoutContext(request));
      return judge.translation(await ask('translate', prompt, sourceOf(request), signal, notes), request);
    },
    async examine(signal) {
      await askServerFacts(config, capabilities, signal);
      return await examineModel(askModel, capabilities, signal);
    },
    async extractTerms(request, signal, notes) {
      await askServerFacts(config, capabilities, signal);
      const prompt = extractPrompt(texts, request, capabilities.format);
      return judge.terms(await ask(extractQuestion(request), prompt, request.text, signal, notes), request);
    },
    async compare(request, signal, notes) {
      await askServerFacts(config, capabilities, signal);
      const prompt = comparePrompt(texts, request, capabilities.format);
      requireRoom(prompt, '', 0);
      const { text, isRefused, usage } = await ask('compare', prompt, '', signal, notes);
      return { better: isRefused ? undefined : readVerdict(text), usage };
    },
    async edit(request, signal, notes) {
      await askServerFacts(config, capabilities, signal);
      if (capabilities.format.isPlain)
        throw new EngineError('malformed', 'the model keeps no format that edits can be read from');
      const prompt = promptFor(request, 'edit');
      const source = standingOf(request);
      requireRoom(prompt, source, 1);
      return judge.edits(await ask('edit', prompt, source, signal, notes), request);
    },
    async writeSheet(request, signal, notes) {
      await askServerFacts(config, capabilities, signal);
      const prompt = sheetPrompt(texts, request, capabilities.format);
      requireRoom(prompt, request.text, extractShare);
      return judge.sheet(await ask('sheet', prompt, request.text, signal, notes));
    },
  };
}

/**
 * Room for three tokens per source character; a model that loops is stopped there. Never more than 8,000, the
 * maximum of smaller services.
 */
function usualAnswerTokens(sourceCharacters: number): number {
  return Math.min(8_000, 3 * sourceCharacters + 512);
}

/** An answer has up to so many times the tokens of its source, and so many besides. */
const translationShare = 2;
const extractShare = 0.25;
/** Of a window, the brief takes this at most: the rules, the passage and its translation need the rest. */
const briefShare = 0.25;
/** A smaller window has room for short rules only, which take 120 tokens and not 1,100. */
const leastForRules = 6_000;
const answerTokensBeside = 128;

function sourceOf({ blocks }: TranslateRequest): string {
  return blocks.map(({ text }) => text).join('\n');
}

function standingOf({ blocks }: TranslateRequest): string {
  return blocks.map(({ standing = '' }) => standing).join('\n');
}

/**
 * What of a brief fits, without its least important parts. It is decided by the window alone and not by a passage: the brief is the same in
 * every call of a book.
 */
export function fitBrief(brief: BookBrief, fits: (brief: BookBrief) => boolean): BookBrief {
  let left = brief;
  for (const without of leastFirst) {
    if (fits(left)) return left;
    left = without(left);
  }
  return left;
}

const leastFirst: readonly ((brief: BookBrief) => BookBrief)[] = [
  ({ synopsis: _, ...brief }) => brief,
  // Voices and phrases stand at its end.
  ({ sheet = [], ...brief }) => ({ ...brief, sheet: sheet.slice(0, Math.ceil(sheet.length / 2)) }),
  ({ background: _, ...brief }) => brief,
  (brief) => ({ ...brief, core: brief.core.filter(({ type }) => type === 'person') }),
  (brief) => ({ ...brief, core: brief.core.slice(0, 10) }),
  ({ sheet: _, ...brief }) => brief,
  (brief) => ({ ...brief, core: [] }),
  () => ({ core: [] }),
];

/** Halves a request until every part fits. The blocks beside a part become its context. */
function partsThatFit(
  request: TranslateRequest,
  mostBlocks: number,
  fits: (part: TranslateRequest) => boolean,
): TranslateRequest[] {
  const { blocks } = request;
  if (blocks.length <= 1 || (blocks.length <= mostBlocks && fits(request))) return [request];
  const middle = Math.ceil(blocks.length / 2);
  return [partOf(request, 0, middle), partOf(request, middle, blocks.length)].flatMap((part) =>
    partsThatFit(part, mostBlocks, fits),
  );
}

/** For a text that fits into a window by itself only. */
function withoutContext(request: TranslateRequest): TranslateRequest {
  return { ...request, roster: [], brief: { core: [] }, context: { before: [], after: [] } };
}

/** Paragraphs of context on each side, as much as a segment has. */
const neighbours = 2;

function partOf(request: TranslateRequest, from: number, to: number): TranslateRequest {
  const { blocks, terms } = request;
  const { before, after, translatedBefore, translatedAfter, ...book } = request.context;
  const part = blocks.slice(from, to);
  const texts = blocks.map(({ text }) => stripInlineTags(text));
  return {
    ...request,
    blocks: part,
    terms: terms.filter(({ source }) => part.some(({ text }) => stripInlineTags(text).includes(source))),
    context: {
      ...book,
      before: from === 0 ? before : texts.slice(Math.max(0, from - neighbours), from),
      after: to === blocks.length ? after : texts.slice(to, to + neighbours),
      ...(from > 0 || translatedBefore === undefined ? {} : { translatedBefore }),
      ...(to < blocks.length || translatedAfter === undefined ? {} : { translatedAfter }),
    },
  };
}
