/** One question to a model and its answer, whatever protocol is between. */
import type { JSONSchema7 } from 'ai';
import { estimateTokens } from '../../language/estimate-tokens.ts';
import type { CallNotes, EngineUsage } from '../engine.ts';
import type { LlmEngineConfig } from '../engine-settings.ts';
import type { AnswerFormat } from './answer-formats.ts';
import type { Capabilities } from './capabilities.ts';
import { answerInFault, callFault } from './engine-fault.ts';
import type { Prompt } from './prompt.ts';
import { rateAllowances } from './rate-headers.ts';
import { type RequestShape, shapeRequest } from './shape-request.ts';
import { type WatchedFetch, watchedFetch } from './watched-fetch.ts';

export interface ModelQuestion {
  prompt: Prompt;
  format: AnswerFormat;
  schema: JSONSchema7;
  /** Our estimates; the server may count otherwise. */
  promptTokens: number;
  sourceTokens: number;
  /** Of the tokens of the prompt, those at its front that are the same in every call of a book. */
  stableTokens: number;
  /** The limit of the answer. */
  answerTokens: number;
  notes: CallNotes;
}

export interface ModelAnswer {
  text: string;
  /** Why it ended, in the words of the server. */
  finish: string | undefined;
  /** It ended with its connection, or in silence. */
  isBroken: boolean;
  /** The model has thought, outside of its text. */
  hasThoughts: boolean;
  usage: EngineUsage;
}

/** @throws EngineError; the signal's reason */
export type AskModel = (question: ModelQuestion, signal: AbortSignal) => Promise<ModelAnswer>;

/** What has come of an answer. */
export interface Collected {
  text: string;
  thoughts: string;
  finish: string | undefined;
  /** As the server reports it; undefined when it does not. */
  usage: EngineUsage | undefined;
}

/** A protocol: how a question is written, and how its answer is read. */
export interface Transport {
  shape(question: ModelQuestion): RequestShape;
  /** Fills `soFar` while the answer comes. @throws what the server said instead, or why the connection ended */
  collect(question: ModelQuestion, soFar: Collected, http: WatchedFetch, signal: AbortSignal): Promise<void>;
}

const silenceMs = 60_000;
const totalMs = 30 * 60_000;
/**
 * 8,000 tokens of text written as `\\u` escapes have some 200,000 bytes, and each token of a stream has a frame of 200 around it. An
 * engine with a larger output of its own gets as much more.
 */
const leastAnswerBytes = 8 * 1024 * 1024;
const bytesPerToken = 512;

export function modelAsker(config: LlmEngineConfig, capabilities: Capabilities, transport: Transport): AskModel {
  const keys = [config.apiKey?.reveal() ?? '', ...Object.values(config.headers)];
  return async (question, signal) => {
    const { prompt, format, promptTokens, sourceTokens, notes } = question;
    const { revision } = capabilities;
    const http = watchedFetch({
      firstMs: config.timeoutMs,
      silenceMs: Math.min(silenceMs, config.timeoutMs),
      totalMs: Math.max(totalMs, config.timeoutMs),
      maxBytes: Math.max(leastAnswerBytes, question.answerTokens * bytesPerToken),
      shape: (body) => shapeRequest(body, transport.shape(question)),
      onHeaders: (headers) => notes.onAllowances?.(rateAllowances(headers, Date.now())),
    });
    const soFar: Collected = { text: '', thoughts: '', finish: undefined, usage: undefined };
    let isBroken = false;
    const answered = (): ModelAnswer => ({
      text: soFar.text,
      finish: soFar.finish,
      isBroken: isBroken || soFar.finish === undefined,
      hasThoughts: soFar.thoughts !== '',
      usage: soFar.usage ?? estimatedUsage(soFar, question, capabilities),
    });
    try {
      await transport.collect(question, soFar, http, signal);
    } catch (error) {
      if (signal.aborted) {
        notes.spent = estimatedUsage(soFar, question, capabilities);
        throw signal.reason;
      }
      const written = answerInFault(error);
      if (written !== undefined) return { ...answered(), text: written, finish: 'stop', isBroken: false };
      const sent = { format, revision, body: http.sentBody(), promptTokens, sourceTokens };
      const texts = [prompt.instructions, prompt.brief, prompt.data];
      const fault = http.timedOut() ?? callFault(error, { sent, capabilities, keys, texts, nowMs: Date.now() });
      isBroken = fault.kind === 'transport' || fault.kind === 'timeout' || fault.kind === 'overloaded';
      if (fault.kind === 'timeout') notes.spent = estimatedUsage(soFar, question, capabilities);
      // What came before the line broke is worth reading; the reader finds out how much of it is whole.
      if (!isBroken || soFar.text === '') throw fault;
    } finally {
      http.end();
    }
    if (soFar.usage !== undefined) capabilities.counted(promptTokens, soFar.usage.inputTokens);
    return answered();
  };
}

function estimatedUsage(
  { text, thoughts }: Collected,
  { promptTokens }: ModelQuestion,
  capabilities: Capabilities,
): EngineUsage {
  return {
    inputTokens: capabilities.asCounted(promptTokens),
    outputTokens: capabilities.asCounted(estimateTokens(text) + estimateTokens(thoughts)),
    cachedInputTokens: 0,
    isEstimated: true,
  };
}
