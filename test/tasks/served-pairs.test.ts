/** Asking for a pair that nobody serves must cost little: a refused create costs no credits, and any account can send many. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EngineCatalog } from '../../src/engines/catalog.ts';
import { AppError } from '../../src/errors.ts';
import { parseLanguage, supportedLanguages } from '../../src/language/languages.ts';
import { requireEngine, servedPairs } from '../../src/tasks/served-pairs.ts';
import type { TaskRequest } from '../../src/tasks/task-request.ts';

const capabilities = {
  followsInstructions: false,
  keepsInlineTags: false,
  maxInputCharacters: 1_000,
  maxConcurrency: 1,
  quality: 'draft' as const,
};

/** Serves English into French. */
function countingCatalog(): Pick<EngineCatalog, 'enginesFor'> & { asked: number } {
  return {
    asked: 0,
    enginesFor({ sourceLang, targetLang, withoutDrafts }) {
      this.asked += 1;
      const isServed = sourceLang === 'en' && targetLang.startsWith('fr') && withoutDrafts !== true;
      return isServed ? [{ name: 'one', revision: '', capabilities }] : [];
    },
  };
}

const undetected = async () => undefined;

const request = (source: string, target: string) =>
  ({
    action: 'translation',
    sourceLang: parseLanguage(source),
    targetLang: parseLanguage(target),
    acceptDraft: true,
  }) as TaskRequest;

test('every code of ours reads back as itself, as the library reads it', () => {
  for (const code of supportedLanguages) {
    assert.deepEqual(parseLanguage(code), { tag: code, code });
    assert.deepEqual(parseLanguage(code.toUpperCase()), { tag: code, code });
  }
});

test('all pairs are looked at once, however often another one is asked for, in any spelling', async () => {
  const catalog = countingCatalog();
  const refused = (error: unknown) => {
    assert.ok(error instanceof AppError);
    assert.equal(error.details?.reason, 'NO_ENGINE_FOR_PAIR');
    assert.deepEqual(error.details?.pairs, [{ source: ['en'], target: ['fr'], quality: 'draft' }]);
    return true;
  };
  await assert.rejects(requireEngine(catalog, request('en', 'de'), undetected), refused);
  const once = catalog.asked;
  for (let i = 0; i < 50; i++)
    await assert.rejects(requireEngine(catalog, request('en', `de-x-v${i}`), undetected), refused);
  assert.equal(catalog.asked, once + 50);
  await requireEngine(catalog, request('en', 'fr-CA'), undetected);
  assert.deepEqual(servedPairs(catalog), [{ source: ['en'], target: ['fr'], quality: 'draft' }]);
});
