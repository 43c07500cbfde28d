/** A source that has been read is translated, with everything that is needed from outside asked of the host. */
import type { BookWriting, WriteOptions } from '../../documents/document.ts';
import type { JudgedSource } from '../../documents/source-jobs.ts';
import type { GlossaryStrategy } from '../../glossary/glossary.ts';
import type { Term } from '../../term.ts';
import { planChapters } from '../../translation/chapters.ts';
import type { OrderedSeries } from '../../translation/memory/series-terms.ts';
import { type BookResult, translateBook } from '../../translation/translate-book.ts';
import { ReadingPack } from '../reading/pack-reading.ts';
import { bookEngines, HostCheckpoint, HostLearning, hostMemory, hostSeries, tellAnalysis } from './ask-host.ts';
import type { BookHost, BookStart } from './book-host.ts';
import type { BookLanguages } from './book-languages.ts';
import { WriteAhead } from './write-ahead.ts';
import { beginBooks, type FilesToMake } from './write-files.ts';

/** How a source is translated, wherever it comes from and wherever its files go. */
export interface Translating extends OrderedSeries {
  /** The date of the order and not of the writing: a retry has to write the same bytes. */
  edition: WriteOptions['edition'];
  /** File ids. */
  outputs: readonly string[];
  /** Of the supplied terms. */
  glossaryJson: string;
  strategy: GlossaryStrategy;
  /** False: what a draft engine made is not taken over either. */
  acceptDraft: boolean;
  /** Calls in flight at once. */
  concurrency: number;
  /** An earlier attempt may have left a checkpoint. */
  mayResume: boolean;
}

interface TranslatedSource {
  opened: JudgedSource;
  book: BookResult;
  /** What has been written of it already. */
  books: BookWriting;
  reading: ReadingPack | undefined;
  languages: BookLanguages;
  /** Until everything is with the host. */
  settled(): Promise<unknown>;
}

export async function translateOpened(
  opened: JudgedSource,
  job: Translating,
  host: BookHost,
  warn: (warnings: BookLanguages['warnings']) => void,
): Promise<TranslatedSource> {
  const { languages, engines: able, series, paysAgain, rememberedCharacters } = await begin(opened, host);
  warn(languages.warnings);
  const { sourceLang, targetLang, contradicting } = languages;
  const engines = bookEngines(host, able);
  const checkpoint = new HostCheckpoint(host, job.mayResume);
  const { outputs, edition } = job;
  const ahead = new WriteAhead(() => beginBooks({ opened, outputs, sourceLang, targetLang, edition }));
  const learning = new HostLearning(host);
  let taught: Promise<void> | undefined;
  const book = await translateBook({
    document: opened.document,
    sourceLang,
    targetLang,
    contradictingLang: contradicting,
    glossary: JSON.parse(job.glossaryJson) as Term[],
    strategy: job.strategy,
    engines,
    checkpoint,
    memory: hostMemory(host, {
      acceptDraft: job.acceptDraft,
      engines,
      series: series && hostSeries(host, series, job, checkpoint),
      characters: rememberedCharacters,
    }),
    concurrency: job.concurrency,
    signal: new AbortController().signal,
    onStage: (stage) => void host.stage(stage),
    onAnalysis: tellAnalysis(host),
    onPlan: (tasks, recalled) =>
      checkpoint.saveChapters(planChapters(opened.document.sections, tasks, recalled, sourceLang)),
    onTerms: (terms) => {
      ahead.reading = new ReadingPack({ document: opened.document, terms, sourceLang });
    },
    onTexts: (texts) => ahead.more(texts),
    onMemories: (memories) => learning.more(memories),
    onTextsFinal: () => learning.textsAreFinal(),
    onTaught(memories, paidPlaces) {
      // The host writes it while the report and the files are made here.
      taught = learning.finish(memories, paysAgain ? paidPlaces : []);
      taught.catch(() => {});
    },
  }).finally(() => ahead.stop());
  const settled = () => Promise.all([checkpoint.settled(), taught]);
  return { opened, book, books: ahead.writing(), reading: ahead.reading, languages, settled };
}

export function filesOf(
  { opened, book, books, reading, languages: { sourceLang, targetLang, warnings } }: TranslatedSource,
  fileName: string,
  { outputs, edition }: Pick<Translating, 'outputs' | 'edition'>,
): FilesToMake {
  const early = [...warnings, ...opened.warnings];
  return { opened, fileName, outputs, book, books, reading, early, sourceLang, targetLang, edition };
}

export function begin({ language, document }: JudgedSource, host: BookHost): Promise<BookStart> {
  return host.begin({ language, declaredInBook: document.declaredLanguage });
}
