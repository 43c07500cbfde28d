import { createHash } from 'node:crypto';
import { type FinishReason, generateText, type JSONSchema7, type LanguageModelUsage, Output } from 'ai';
import {
  type Engine,
  EngineError,
  type EngineUsage,
  type ExtractRequest,
  type ExtractResult,
  type TranslateRequest,
  type TranslateResult,
} from '../engine.ts';
import type { LlmEngineConfig } from '../engine-settings.ts';
import { readRecords } from './answer-records.ts';
import { candidatesSchema, extractSchema, translateSchema } from './answer-schemas.ts';
import { readTerms } from './answer-terms.ts';
import { engineFault } from './engine-fault.ts';
import { extractPrompt, type Prompt, readPromptTexts, translatePrompt } from './prompt.ts';
import { providerModel } from './provider-model.ts';

/** A language model behind HTTP. One call per request: no SDK retries, no tools, its own time limit. */
export function createLlmEngine(config: LlmEngineConfig): Engine {
  const model = providerModel(config);
  const texts = readPromptTexts();

  const ask = async (
    prompt: Prompt,
    schema: JSONSchema7,
    outputTokens: number,
    signal: AbortSignal,
  ): Promise<Answer> => {
    const timer = new AbortController();
    const timeout = setTimeout(() => timer.abort(), config.timeoutMs);
    try {
      const result = await generateText({
        model,
        instructions: prompt.instructions,
        prompt: prompt.data,
        maxRetries: 0,
        maxOutputTokens: config.maxOutputTokens ?? outputTokens,
        abortSignal: AbortSignal.any([signal, timer.signal]),
        ...(config.temperature === undefined ? {} : { temperature: config.temperature }),
        ...(config.structuredOutput === 'none'
          ? {}
          : { output: rawJson(config.structuredOutput === 'schema' ? schema : undefined) }),
        providerOptions: providerOptions(config),
      });
      return { text: result.text, finish: result.finishReason, usage: usageOf(result.usage) };
    } catch (error) {
      signal.throwIfAborted();
      if (timer.signal.aborted) throw new EngineError('timeout', `no answer within ${config.timeoutMs} ms`);
      const keys = [config.apiKey?.reveal() ?? '', ...Object.values(config.headers)];
      throw engineFault(error, Date.now(), { keys, texts: [prompt.instructions, prompt.data] });
    } finally {
      clearTimeout(timeout);
    }
  };

  return {
    name: config.name,
    revision: `${createHash('sha256').update(`${config.kind} ${config.model}`).digest('hex').slice(0, 12)}-${texts.revision}`,
    capabilities: {
      followsInstructions: true,
      keepsInlineTags: config.inlineTags,
      instructions: texts.sentences,
      maxInputCharacters: config.maxInputCharacters,
      maxConcurrency: config.concurrency,
      ...(config.sourceLanguages === undefined ? {} : { sourceLanguages: config.sourceLanguages }),
      ...(config.targetLanguages === undefined ? {} : { targetLanguages: config.targetLanguages }),
    },
    async translate(request, signal) {
      const length = request.blocks.reduce((sum, block) => sum + block.text.length, 0);
      const answer = await ask(translatePrompt(texts, request), translateSchema, outputCeiling(length), signal);
      return translated(answer, request);
    },
    async extractTerms(request, signal) {
      const answer = await ask(
        extractPrompt(texts, request),
        request.passages === true ? candidatesSchema : extractSchema,
        outputCeiling(request.text.length),
        signal,
      );
      return extracted(answer, request);
    },
  };
}

interface Answer {
  text: string;
  finish: FinishReason;
  usage: EngineUsage;
}

/**
 * Room for three tokens per source character; a model that loops is stopped there. Never more than 8,000, the
 * maximum of smaller services.
 */
function outputCeiling(sourceCharacters: number): number {
  return Math.min(8_000, 3 * sourceCharacters + 512);
}

/** Asks for JSON but returns the text unparsed: we salvage an answer that breaks the schema instead of discarding it. */
function rawJson(schema: JSONSchema7 | undefined): ReturnType<typeof Output.text> {
  const format = schema === undefined ? { type: 'json' as const } : { type: 'json' as const, name: 'answer', schema };
  return { ...Output.text(), responseFormat: Promise.resolve(format) };
}

function providerOptions(config: LlmEngineConfig): NonNullable<Parameters<typeof generateText>[0]['providerOptions']> {
  const key = config.kind === 'openai-compatible' ? 'engine' : config.kind;
  // By default the Anthropic provider passes a tool for models it does not know; we never pass tools.
  const own = config.kind === 'anthropic' ? { structuredOutputMode: 'outputFormat' } : {};
  return { [key]: { ...own, ...config.providerOptions } };
}

function translated(answer: Answer, request: TranslateRequest): TranslateResult {
  const { usage } = answer;
  if (answer.finish === 'content-filter') return { translations: new Map(), finish: 'refused', usage };
  const records = readRecords(answer.text, request.blocks.length);
  const truncated = answer.finish === 'length';
  if (records.size === 0 && !truncated) {
    if (soundsLikeRefusal(answer.text)) return { translations: new Map(), finish: 'refused', usage };
    throw new EngineError(
      'malformed',
      answer.text.trim() === '' ? 'the answer is empty' : 'the answer has no numbered lines',
    );
  }
  const translations = new Map<string, string>();
  request.blocks.forEach((block, index) => {
    const text = records.get(index + 1);
    if (text !== undefined) translations.set(block.id, restoreBreaks(text, block.text));
  });
  return { translations, finish: truncated ? 'truncated' : 'complete', usage };
}

/** Models sometimes escape a break twice; then the two characters arrive instead of the break. */
function restoreBreaks(text: string, source: string): string {
  return source.includes('\n') && !source.includes('\\n') ? text.replaceAll('\\n', '\n') : text;
}

function extracted(answer: Answer, request: ExtractRequest): ExtractResult {
  const { usage } = answer;
  const refused: ExtractResult = { terms: [], digest: '', finish: 'refused', usage };
  if (answer.finish === 'content-filter') return refused;
  const read = readTerms(answer.text, request);
  if (read !== undefined) return { ...read, finish: answer.finish === 'length' ? 'truncated' : 'complete', usage };
  if (answer.finish === 'length') return { terms: [], digest: '', finish: 'truncated', usage };
  if (soundsLikeRefusal(answer.text)) return refused;
  throw new EngineError('malformed', 'the answer is not a glossary');
}

/** Only asked of answers without a single record, so a novel that contains such a sentence is safe. */
function soundsLikeRefusal(text: string): boolean {
  return /\b(?:I['’]?m sorry|I apologi[sz]e|I can(?:['’]t|not)|I['’]?m (?:unable|not able)|As an AI)\b|抱歉|我无法|无法协助|申し訳/iu.test(
    text.slice(0, 300),
  );
}

function usageOf(usage: LanguageModelUsage): EngineUsage {
  return {
    inputTokens: usage.inputTokens ?? 0,
    outputTokens: usage.outputTokens ?? 0,
    cachedInputTokens: usage.inputTokenDetails?.cacheReadTokens ?? 0,
  };
}
