/** The book's side of its host: what `translation/` expects, made of calls to the worker. */
import { EngineError } from '../engines/engine-error.ts';
import type { Term } from '../term.ts';
import type { ExtractTerms } from '../translation/analyse-book.ts';
import type { BookEngines } from '../translation/book.ts';
import { BookTranslationError } from '../translation/book-translation-error.ts';
import type { PlannedChapter } from '../translation/chapters.ts';
import type { CheckpointRecord } from '../translation/checkpoint.ts';
import type { BlockPlace } from '../translation/memory/block-keys.ts';
import type { BookMemory, SeriesAccess } from '../translation/memory/book-memory.ts';
import type { NewMemory } from '../translation/memory/remember.ts';
import { asOrdered, type OrderedSeries, type SeriesState } from '../translation/memory/series-terms.ts';
import { type BookHost, type FinishedHost, resultOf, type SavedRecord } from './book-host.ts';
import { acceptedGrades } from './remembered-book.ts';
import type { PairEngines } from './task-memory.ts';

/** @throws BookTranslationError when no engine serves the pair */
export function bookEngines(host: BookHost, { capabilities, policy, editor }: PairEngines): BookEngines {
  if (capabilities.length === 0)
    throw BookTranslationError.unavailable(new EngineError('rejected', 'no engine serves this language pair'));
  return {
    translate: (request, { engineIndex, signal }) =>
      resultOf(host.ask({ kind: 'translate', request, engineIndex }, signal)),
    extractTerms: extractTermsOf(host),
    // An engine that reads no instructions could not follow it.
    ...(capabilities[0]?.followsInstructions === true
      ? { writeSheet: (request) => resultOf(host.ask({ kind: 'writeSheet', request }, new AbortController().signal)) }
      : {}),
    ...(editor && {
      editor: {
        capabilities: editor,
        edit: (request, { signal }) => resultOf(host.ask({ kind: 'edit', request }, signal)),
      },
    }),
    capabilities,
    policy,
  };
}

export function extractTermsOf(host: BookHost): ExtractTerms {
  return (request, { signal }) => resultOf(host.ask({ kind: 'extractTerms', request }, signal));
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

export function hostCheckpoint(host: BookHost) {
  return {
    load: () => recordsOf(host),
    save: (record: CheckpointRecord) => host.saveRecord(savedRecord(record)),
    async saveChapters(chapters: readonly PlannedChapter[]) {
      for (let at = 0; at < chapters.length; at += chaptersPerMessage) {
        const next = at + chaptersPerMessage;
        await host.saveChapters({ chapters: chapters.slice(at, next), last: next >= chapters.length });
      }
    },
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

/** So many steps are seen by a partner who polls; more would only be statements. */
const analysisSteps = 10;

export function tellAnalysis(host: BookHost): (done: number, total: number) => void {
  let told = 0;
  return (done, total) => {
    const step = Math.floor((done / total) * analysisSteps);
    if (step <= told) return;
    told = step;
    void host.analysed(step / analysisSteps);
  };
}

function savedRecord(record: CheckpointRecord): SavedRecord {
  return {
    kind: record.kind,
    key: record.key,
    characters: 'characters' in record ? record.characters : 0,
    paidCharacters: 'paidCharacters' in record ? record.paidCharacters : 0,
    json: toJson(record),
  };
}

/** What earlier tasks left, of the series or of the account. */
export function hostMemory(
  host: BookHost,
  options: {
    acceptDraft: boolean;
    engines: Pick<BookEngines, 'capabilities'>;
    series: SeriesAccess | undefined;
  },
): BookMemory {
  const accepted = acceptedGrades(options.acceptDraft, options.engines);
  return {
    find: (places) => host.findRemembered({ places, grades: [...accepted] }),
    accepted,
    series: options.series,
  };
}

/** Hands over what the finished book teaches. @param paid places that are paid for once more */
export async function teach(
  host: Pick<BookHost, 'remember' | 'payFor'>,
  memories: readonly NewMemory[],
  paid: readonly BlockPlace[],
): Promise<void> {
  await Promise.all([
    ...partsOf(memories, (part) => host.remember(part)),
    ...partsOf(paid, (places) => host.payFor(places)),
  ]);
}

export function hostSeries(
  host: BookHost,
  state: SeriesState,
  order: OrderedSeries & { glossaryJson: string },
): SeriesAccess {
  return {
    read: async () => asOrdered(state, order),
    freeze: (version, record) =>
      host.freezeTerms({ version, terms: joining(record.terms, order), record: savedRecord(record) }),
  };
}

/** The task's own terms, and the found ones that the book has. Those of the series are there, or were removed meanwhile. */
function joining(terms: readonly Term[], { glossaryJson }: { glossaryJson: string }): Term[] {
  const ownSources = new Set((JSON.parse(glossaryJson) as Term[]).map(({ source }) => source));
  return terms.filter(({ origin, source, occurrences }) =>
    origin === 'supplied' ? ownSources.has(source) : occurrences > 0,
  );
}

const partsPerMessage = 500;

function partsOf<T>(all: readonly T[], send: (part: readonly T[]) => Promise<void>): Promise<void>[] {
  const parts = Math.ceil(all.length / partsPerMessage);
  return Array.from({ length: parts }, (_, n) => send(all.slice(n * partsPerMessage, (n + 1) * partsPerMessage)));
}

/** PostgreSQL cannot hold U+0000 in text; no book needs it. */
function toJson(record: CheckpointRecord): string {
  return JSON.stringify(record, (_key, value) =>
    typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '') : value,
  );
}
