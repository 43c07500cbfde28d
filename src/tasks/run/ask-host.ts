/** The book's side of its host: what `translation/` expects, made of calls to the worker. */
import { EngineError } from '../../engines/engine.ts';
import type { ExtractTerms } from '../../translation/analyse-book.ts';
import type { BookEngines, BookInput } from '../../translation/book.ts';
import { BookTranslationError } from '../../translation/book-translation-error.ts';
import type { PlannedChapter } from '../../translation/chapters.ts';
import type { Checkpoint, CheckpointRecord } from '../../translation/checkpoint.ts';
import type { SegmentOutcome } from '../../translation/translate-segment.ts';
import { type BookHost, type FinishedHost, resultOf } from './book-host.ts';

/** @throws BookTranslationError when no engine serves the pair */
export async function bookEngines(
  host: BookHost,
  { sourceLang, targetLang }: { sourceLang: string; targetLang: string },
): Promise<BookEngines> {
  const { capabilities, policy } = await host.enginesFor({ sourceLang, targetLang });
  if (capabilities.length === 0)
    throw BookTranslationError.unavailable(new EngineError('rejected', 'no engine serves this language pair'));
  return {
    translate: (request, { engineIndex, signal }) => resultOf(host.translate({ request, engineIndex }, signal)),
    extractTerms: extractTermsOf(host),
    capabilities,
    policy,
  };
}

export function extractTermsOf(host: BookHost): ExtractTerms {
  return (request, { signal }) => resultOf(host.extractTerms(request, signal));
}

export async function recordsOf(host: Pick<BookHost, 'loadRecords'>): Promise<CheckpointRecord[]> {
  const records: CheckpointRecord[] = [];
  let after: string | undefined;
  do {
    const page = await host.loadRecords(after);
    for (const json of page.records) records.push(JSON.parse(json) as CheckpointRecord);
    after = page.next;
  } while (after !== undefined);
  return records;
}

/** A first attempt has nothing to load, and a short task notices every question that it need not ask. */
export function hostCheckpoint(host: BookHost, mayResume: boolean): Checkpoint {
  return {
    load: async () => (mayResume ? await recordsOf(host) : []),
    save: (record) =>
      host.saveRecord({
        kind: record.kind,
        key: record.key,
        characters: 'characters' in record ? record.characters : 0,
        json: toJson(record),
      }),
  };
}

export async function chaptersOf(host: FinishedHost): Promise<Uint8Array[]> {
  const chapters: Uint8Array[] = [];
  for (;;) {
    const part = await host.loadChapters(chapters.length + 1);
    if (part.length === 0) return chapters;
    chapters.push(...part);
  }
}

/** A few hundred kilobytes of compressed text in one message. */
const chaptersPerMessage = 10;

export async function tellChapters(host: BookHost, chapters: readonly PlannedChapter[]): Promise<void> {
  for (let at = 0; at < chapters.length; at += chaptersPerMessage) {
    const next = at + chaptersPerMessage;
    await host.saveChapters({ chapters: chapters.slice(at, next), last: next >= chapters.length });
  }
}

/** A whole book is asked for in parts: each is one statement of the worker, and one message. */
const keysPerQuestion = 200;

export function reuseOf(host: BookHost): NonNullable<BookInput['reuse']> {
  return async (keys) => {
    const found = new Map<string, SegmentOutcome>();
    for (let at = 0; at < keys.length; at += keysPerQuestion) {
      const part = await host.findReusable(keys.slice(at, at + keysPerQuestion));
      for (const [key, json] of part) found.set(key, JSON.parse(json) as SegmentOutcome);
    }
    return found;
  };
}

/** PostgreSQL cannot hold U+0000 in text; no book needs it. */
function toJson(record: CheckpointRecord): string {
  return JSON.stringify(record, (_key, value) =>
    typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '') : value,
  );
}
