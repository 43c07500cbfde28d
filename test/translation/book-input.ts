/** A book to translate with an engine that answers as it is told. */
import type { Document } from '../../src/documents/document.ts';
import type { TranslateRequest, TranslateResult } from '../../src/engines/engine.ts';
import type { BookInput } from '../../src/translation/book.ts';
import { MemoryCheckpoint } from './memory-checkpoint.ts';
import { capabilities, noUsage, render } from './scripted-engine.ts';

export type Answer = (request: TranslateRequest) => TranslateResult | Promise<TranslateResult>;

export function good(request: TranslateRequest): TranslateResult {
  const translations = new Map(request.blocks.map(({ id, text }) => [id, render(text, request.terms)]));
  return { translations, finish: 'complete', usage: noUsage };
}

export function bookInput(document: Document, translate: Answer = good, more: Partial<BookInput> = {}): BookInput {
  return {
    document,
    sourceLang: 'en',
    targetLang: 'ru',
    glossary: [],
    strategy: 'replace',
    engines: { translate: async (request) => translate(request), capabilities: [capabilities], policy: 'test' },
    checkpoint: new MemoryCheckpoint(),
    concurrency: 8,
    ...more,
  };
}
