/** One question to a model and its answer, whatever protocol is between. */
import type { JSONSchema7 } from 'ai';
import { estimateTokens } from '../../language/estimate-tokens.ts';
import type { CallNotes, EngineUsage } from '../engine.ts';
import { EngineError } from '../engine-error.ts';
import type { LlmEngineConfig } from '../engine-settings.ts';
import { fieldOf, isRecord, jsonOf } from '../json-value.ts';
import type { AnswerFormat } from './answer-formats.ts';
import type { Capabilities } from './capabilities.ts';
import { answerInFault, callFault } from './engine-fault.ts';
import type { Prompt } from './prompt.ts';
import { rateAllowances } from './rate-headers.ts';
import { type RequestShape, shapeRequest } from './shape-request.ts';

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

/**
 * @param source what of the prompt is to be worked on
 * @param neededTokens what its answer takes at most
 */
export function questionOf(
  asked: Pick<ModelQuestion, 'prompt' | 'format' | 'schema' | 'notes'>,
  source: string,
  neededTokens: number,
  capabilities: Capabilities,
): ModelQuestion {
  const { instructions, brief, data } = asked.prompt;
  const stableTokens = estimateTokens(instructions) + estimateTokens(brief);
  const promptTokens = stableTokens + estimateTokens(data);
  const answerTokens = capabilities.answerLimit(neededTokens, capabilities.asCounted(promptTokens));
  return { ...asked, promptTokens, sourceTokens: estimateTokens(source), stableTokens, answerTokens };
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
      const fault = http.timedOut() ?? callFault(error, { sent, capabilities, keys, texts });
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

type WatchedFetch = ReturnType<typeof watchedFetch>;

interface Watch {
  /** Until the first byte of the answer: a model may have to be loaded, or thinks before it speaks. */
  firstMs: number;
  /** Between two of them. */
  silenceMs: number;
  /** Altogether: a server that drips a byte a minute is no server. */
  totalMs: number;
  maxBytes: number;
  /** Changes the request before it goes. */
  shape(body: Record<string, unknown>): Record<string, unknown>;
  /** Called as soon as the server answers. */
  onHeaders(headers: Readonly<Record<string, string>>): void;
}

/**
 * `fetch` for one call to a model. What counts is silence, not how long an answer takes: a long one that keeps coming is a good one. It
 * also stops reading at so many bytes: 400 MB of answer became 2.1 GB of memory.
 */
function watchedFetch(watch: Watch) {
  const stop = new AbortController();
  const started = performance.now();
  let sent: Record<string, unknown> = {};
  let whole: string | undefined;
  let timer: NodeJS.Timeout | undefined;
  const waitFor = (limitMs: number): void => {
    clearTimeout(timer);
    const leftMs = started + watch.totalMs - performance.now();
    const waitMs = Math.max(0, Math.min(limitMs, leftMs));
    timer = setTimeout(() => {
      const said = limitMs <= leftMs ? `no answer within ${limitMs} ms` : `not done within ${watch.totalMs} ms`;
      stop.abort(new EngineError('timeout', said));
    }, waitMs);
  };

  const read = async (response: Response): Promise<Response> => {
    watch.onHeaders(Object.fromEntries(response.headers));
    if (response.body === null) return response;
    waitFor(watch.silenceMs);
    let left = watch.maxBytes;
    const bounded = response.body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          waitFor(watch.silenceMs);
          left -= chunk.byteLength;
          if (left >= 0) controller.enqueue(chunk);
          else controller.error(new EngineError('malformed', `the answer has more than ${watch.maxBytes} bytes`));
        },
      }),
    );
    const { status, statusText, headers } = response;
    return new Response(bounded, { status, statusText, headers });
  };

  const watched: typeof fetch = async (input, init = {}) => {
    sent = watch.shape(JSON.parse(String(init.body)) as Record<string, unknown>);
    const asksForStream = sent.stream === true || String(input).includes(':streamGenerateContent');
    waitFor(watch.firstMs);
    const signal = init.signal ? AbortSignal.any([init.signal, stop.signal]) : stop.signal;
    const response = await read(await fetch(input, { ...init, body: JSON.stringify(sent), signal }));
    const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
    if (!response.ok || !asksForStream || !isJson) return response;
    const text = await response.text();
    const status = statusInside(text);
    if (status === undefined) whole = text;
    return new Response(text, { status: status ?? 200, headers: response.headers });
  };

  return {
    fetch: watched,
    /** The request as it went over the wire. */
    sentBody: () => sent,
    /** Set when it was us who ended the call. */
    timedOut: () => (stop.signal.aborted ? (stop.signal.reason as EngineError) : undefined),
    /** The whole answer, where a server sends none of the stream that it was asked for. */
    wholeAnswer: () => whole,
    end: () => clearTimeout(timer),
  };
}

/** An error in the body of a 200: OpenRouter's way, and that of some builds of llama.cpp. */
function statusInside(text: string): number | undefined {
  const answer = jsonOf(text);
  if (!isRecord(answer) || answer.choices !== undefined || answer.candidates !== undefined) return undefined;
  if (answer.error === undefined || answer.error === null) return undefined;
  const code = Number(fieldOf(answer.error, 'code'));
  return code >= 400 && code < 600 ? code : 500;
}
