/** LibreTranslate, self-hosted or bought: POST /translate with a list of texts, GET /languages for what it knows. */
import { stripInlineTags } from '../../inline-tags.ts';
import { baseCode } from '../../language/languages.ts';
import { type Engine, namedPairs, noUsage } from '../engine.ts';
import { EngineError, type EngineFaultKind } from '../engine-error.ts';
import type { ServiceEngineConfig } from '../engine-settings.ts';
import { fieldOf, jsonOf } from '../json-value.ts';
import { retryAfterMs } from '../llm/rate-headers.ts';
import { providerMessage } from '../provider-message.ts';
import { fromMarkup, htmlStyle, toMarkup } from './markup-tags.ts';

export function createLibreTranslateEngine(config: ServiceEngineConfig): Engine {
  const { baseUrl = '', apiKey } = config;
  let languages: ServerLanguage[] | undefined;

  const ask = async (
    path: string,
    body: Record<string, unknown> | undefined,
    texts: readonly string[],
    signal: AbortSignal,
  ): Promise<unknown> => {
    const timeout = AbortSignal.timeout(config.timeoutMs);
    let response: Response;
    let answer: string;
    try {
      response = await fetch(`${baseUrl}${path}`, {
        signal: AbortSignal.any([signal, timeout]),
        ...(body === undefined
          ? {}
          : {
              method: 'POST',
              headers: { 'content-type': 'application/json' },
              body: JSON.stringify(apiKey === undefined ? body : { ...body, api_key: apiKey.reveal() }),
            }),
      });
      answer = await response.text();
    } catch (error) {
      signal.throwIfAborted();
      if (timeout.aborted) throw new EngineError('timeout', `no answer within ${config.timeoutMs} ms`);
      const { cause } = error as { cause?: { code?: string } };
      throw new EngineError('transport', `connection failed: ${cause?.code ?? 'network error'}`);
    }
    if (!response.ok) {
      const waitMs = retryAfterMs(Object.fromEntries(response.headers), undefined, Date.now());
      const said = providerMessage(answer, { keys: [apiKey?.reveal() ?? ''], texts });
      const { status } = response;
      const words = `answered ${status}${said === '' ? '' : `: ${said}`}`;
      throw new EngineError(faultKind(status), words, { status, retryAfterMs: waitMs });
    }
    const value = jsonOf(answer);
    if (value === undefined) throw new EngineError('malformed', 'the answer is not JSON');
    return value;
  };

  const codesOf = async (source: string, target: string, signal: AbortSignal): Promise<[string, string]> => {
    // Each caller asks until one has an answer: the leaving of the first is nobody else's fault.
    const known = languages ?? (await ask('/languages', undefined, [], signal));
    // A proxy in front of a server that starts says something else.
    if (!isListOfLanguages(known)) throw new EngineError('overloaded', 'the server does not list its languages');
    languages = known;
    const from = known.find(({ code }) => isCodeFor(code, source));
    const into = (from?.targets ?? known.map(({ code }) => code)).find((code) => isCodeFor(code, target));
    if (from === undefined || into === undefined)
      throw new EngineError('rejected', `the server has no ${source} to ${target}`);
    return [from.code, into];
  };

  return {
    name: config.name,
    revision: 'libretranslate-1',
    capabilities: {
      followsInstructions: false,
      keepsInlineTags: true,
      maxInputCharacters: config.maxInputCharacters,
      maxConcurrency: config.concurrency,
      ...namedPairs(config.sourceLanguages, config.targetLanguages),
    },
    async translate({ sourceLang, targetLang, blocks }, signal) {
      const [source, target] = await codesOf(sourceLang, targetLang, signal);
      const translations = new Map<string, string>();
      // Tags need the HTML mode, which costs plain text its line breaks: each block goes the way it needs.
      for (const format of ['text', 'html'] as const) {
        const blocksOfFormat = blocks.filter(({ text }) => (stripInlineTags(text) === text) === (format === 'text'));
        if (blocksOfFormat.length === 0) continue;
        const q = blocksOfFormat.map(({ text }) => (format === 'html' ? toMarkup(text, htmlStyle) : text));
        const answer = await ask('/translate', { q, source, target, format }, q, signal);
        const texts = fieldOf(answer, 'translatedText');
        if (
          !Array.isArray(texts) ||
          texts.length !== blocksOfFormat.length ||
          texts.some((text) => typeof text !== 'string')
        )
          throw new EngineError('malformed', 'the answer has another number of texts than the question');
        blocksOfFormat.forEach(({ id, text }, i) => {
          translations.set(id, format === 'html' ? fromMarkup(texts[i], text, htmlStyle) : texts[i]);
        });
      }
      return { translations, finish: 'complete', usage: noUsage };
    },
  };
}

interface ServerLanguage {
  code: string;
  targets?: string[];
}

function isListOfLanguages(answer: unknown): answer is ServerLanguage[] {
  return Array.isArray(answer) && answer.every((language) => typeof fieldOf(language, 'code') === 'string');
}

/** Servers differ in their codes for Chinese and Portuguese. */
const otherCodes: Readonly<Record<string, readonly string[]>> = {
  'zh-Hans': ['zh-Hans', 'zh-CN', 'zh'],
  'zh-Hant': ['zh-Hant', 'zh-TW', 'zt'],
  fil: ['tl', 'fil'],
  no: ['nb', 'no'],
};

function isCodeFor(code: string, wanted: string): boolean {
  const codes = otherCodes[wanted] ?? [wanted, baseCode(wanted), ...(wanted === 'pt' ? ['pt-BR', 'pb'] : [])];
  return codes.some((one) => one.toLowerCase() === code.toLowerCase());
}

/** It answers 403 to a missing or wrong key and to an exhausted quota alike, 429 to too many calls. */
function faultKind(status: number): EngineFaultKind {
  if (status === 429) return 'rate-limited';
  if (status === 402) return 'spend-limit';
  if (status === 408 || status === 504) return 'timeout';
  return status >= 500 ? 'overloaded' : 'rejected';
}
