/** DeepL through its own client: XML tags are carried, the terms of a passage travel as a glossary. */

import { createHash } from 'node:crypto';
import * as deepl from 'deepl-node';
import { baseCode } from '../../language/languages.ts';
import { type Engine, namedPairs, noUsage, type TermHint, type TranslateRequest } from '../engine.ts';
import { EngineError } from '../engine-error.ts';
import type { ServiceEngineConfig } from '../engine-settings.ts';
import { providerMessage } from '../provider-message.ts';
import { fromMarkup, toMarkup, xmlStyle } from './markup-tags.ts';

/** What DeepL translates from and into, by our codes. */
const sources =
  'ar bg cs da de el en es et fi fr he hu id it ja ko lt lv nb no nl pl pt ro ru sk sl sv th tr uk vi zh-Hans zh-Hant'.split(
    ' ',
  );

export function createDeepLEngine(config: ServiceEngineConfig): Engine {
  // Its client takes no empty key, and a process that never translates has none.
  const key = config.apiKey?.reveal() ?? 'none';
  const client = new deepl.DeepLClient(key, {
    // Retries, waits and failover are the catalog's business.
    maxRetries: 0,
    minTimeout: config.timeoutMs,
    sendPlatformInfo: false,
    ...(config.baseUrl === undefined ? {} : { serverUrl: config.baseUrl }),
  });
  const glossaries = createGlossaryCache(client);

  const translate = async (request: TranslateRequest, terms: readonly TermHint[]): Promise<deepl.TextResult[]> => {
    const [source, target] = [sourceCode(request.sourceLang), targetCode(request.targetLang)];
    const glossary = await glossaries.forTerms(source, target, terms);
    const context = [...request.context.before, ...request.context.after].join('\n');
    return await client.translateText(
      request.blocks.map(({ text }) => toMarkup(text, xmlStyle)),
      source,
      target,
      {
        tagHandling: 'xml',
        splitSentences: 'nonewlines',
        preserveFormatting: true,
        ...(context === '' ? {} : { context }),
        ...(glossary === undefined ? {} : { glossary }),
      },
    );
  };

  return {
    name: config.name,
    revision: 'deepl-1',
    capabilities: {
      followsInstructions: false,
      keepsInlineTags: true,
      maxInputCharacters: config.maxInputCharacters,
      maxConcurrency: config.concurrency,
      ...namedPairs(config.sourceLanguages ?? sources, config.targetLanguages ?? sources),
    },
    async translate(request, signal) {
      signal.throwIfAborted();
      try {
        const results = await translate(request, request.terms);
        if (results.length !== request.blocks.length)
          throw new EngineError('malformed', 'the answer has another number of texts than the question');
        const translations = new Map(
          request.blocks.map(({ id, text }, i) => [id, fromMarkup(results[i]?.text ?? '', text, xmlStyle)]),
        );
        return { translations, finish: 'complete', usage: noUsage };
      } catch (error) {
        signal.throwIfAborted();
        throw faultOf(error, key, request);
      }
    },
    close: () => glossaries.close(),
  };
}

function faultOf(error: unknown, key: string, request: TranslateRequest): EngineError {
  if (error instanceof EngineError) return error;
  const { before, after } = request.context;
  const texts = [...request.blocks.map(({ text }) => text), ...before, ...after];
  const message = providerMessage(error instanceof Error ? error.message : '', { keys: [key], texts });
  if (error instanceof deepl.QuotaExceededError)
    return new EngineError('spend-limit', `answered 456: ${message}`, { status: 456 });
  if (error instanceof deepl.TooManyRequestsError)
    return new EngineError('rate-limited', `answered 429: ${message}`, { status: 429 });
  if (error instanceof deepl.AuthorizationError)
    return new EngineError('rejected', `answered 403: ${message}`, { status: 403 });
  if (error instanceof deepl.ConnectionError) return new EngineError('transport', `connection failed: ${message}`);
  // The client tells other statuses in words only: "Unexpected status code: 500 …", "Service unavailable", "Bad request".
  const status = Number(/status code: (\d{3})/u.exec(message)?.[1] ?? (/unavailable/iu.test(message) ? 503 : 400));
  return new EngineError(status >= 500 ? 'overloaded' : 'rejected', message, { status });
}

function sourceCode(language: string): deepl.SourceLanguageCode {
  return baseCode(language === 'no' ? 'nb' : language) as deepl.SourceLanguageCode;
}

/** English and Portuguese exist only in a variant, Chinese in two scripts. */
function targetCode(language: string): deepl.TargetLanguageCode {
  const base = baseCode(language === 'no' ? 'nb' : language);
  const isVariant = /^(?:en-(?:GB|US)|pt-(?:BR|PT))$/u.test(language);
  return (isVariant ? language : (variants[language] ?? variants[base] ?? base)) as deepl.TargetLanguageCode;
}

const variants: Readonly<Record<string, string>> = {
  en: 'en-US',
  pt: 'pt-PT',
  zh: 'zh-HANS',
  'zh-Hant': 'zh-HANT',
  'zh-TW': 'zh-HANT',
};

/** An account may keep a thousand; passages that follow each other often have the same terms. */
const kept = 16;

/**
 * DeepL takes terms as a glossary that is created first and named in the call. A passage gets a glossary of exactly its
 * own terms: one that grew with a book would force one partner's names upon another's text.
 */
function createGlossaryCache(client: deepl.DeepLClient) {
  /** By a hash of pair and terms; the one that was used last stands last. */
  const glossaries = new Map<string, Promise<string | undefined>>();
  const drop = (name: string): void => {
    const glossary = glossaries.get(name);
    glossaries.delete(name);
    void glossary?.then((id) => (id === undefined ? undefined : client.deleteGlossary(id))).catch(() => {});
  };

  const create = async (
    source: string,
    target: string,
    entries: Record<string, string>,
    name: string,
  ): Promise<string | undefined> => {
    try {
      const { glossaryId } = await client.createGlossary(
        name,
        source as deepl.SourceLanguageCode,
        target.split('-')[0] as deepl.SourceLanguageCode,
        new deepl.GlossaryEntries({ entries }),
      );
      return glossaryId;
    } catch (error) {
      // A pair without glossaries, or a term it does not like: the translation is still worth having.
      const isOurs = error instanceof deepl.DeepLError && /bad request/iu.test(error.message);
      if (isOurs || error instanceof deepl.ArgumentError) return undefined;
      throw error;
    }
  };

  return {
    /** Undefined when there are no terms, or DeepL has no glossaries for this pair. */
    async forTerms(source: string, target: string, terms: readonly TermHint[]): Promise<string | undefined> {
      const entries = Object.fromEntries(
        terms.filter((term) => isEntry(term.source) && isEntry(term.target)).map((term) => [term.source, term.target]),
      );
      if (Object.keys(entries).length === 0) return undefined;
      const content = JSON.stringify([source, target, Object.entries(entries).sort()]);
      const name = `toledo-${createHash('sha256').update(content).digest('hex').slice(0, 24)}`;
      const glossary = glossaries.get(name) ?? create(source, target, entries, name);
      glossaries.delete(name);
      glossaries.set(name, glossary);
      const [oldest = ''] = glossaries.keys();
      if (glossaries.size > kept) drop(oldest);
      try {
        return await glossary;
      } catch (error) {
        glossaries.delete(name);
        throw error;
      }
    },
    close() {
      for (const name of [...glossaries.keys()]) drop(name);
    },
  };
}

function isEntry(text: string): boolean {
  return text.trim() !== '' && !/[\p{Cc}]/u.test(text);
}
