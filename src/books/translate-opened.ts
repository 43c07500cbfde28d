/** A source that has been read is translated, with everything that is needed from outside asked of the host. */
import type { WriteOptions } from '../documents/document.ts';
import type { JudgedSource } from '../documents/source-jobs.ts';
import type { GlossaryStrategy } from '../glossary/glossary.ts';
import type { Term } from '../term.ts';
import { planChapters } from '../translation/chapters.ts';
import type { OrderedSeries } from '../translation/memory/series-terms.ts';
import { type BookResult, translateBook } from '../translation/translate-book.ts';
import { bookEngines, HostCheckpoint, hostMemory, hostSeries, teach, tellAnalysis } from './ask-host.ts';
import type { BookHost, BookStart } from './book-host.ts';
import type { BookLanguages } from './book-languages.ts';
import type { FilesToMake } from './write-files.ts';

/** How a source is translated, wherever it comes from and wherever its files go. */
export interface Translating extends OrderedSeries {
  /** The date of the order and not of the writing: a retry has to write the same bytes. */
  edition: WriteOptions['edition'];
  /** File ids. */
  outputs: readonly string[];
  /** Of the supplied terms. */
  glossaryJson: string;
  strategy: GlossaryStrategy;
  /** What the translator should know, in the partner's words. */
  context: string | undefined;
  /** False: what a draft engine made is not taken over either. */
  acceptDraft: boolean;
  /** Calls in flight at once. */
  concurrency: number;
  order: 'runs' | 'free';
  /** An earlier attempt may have left a checkpoint. */
  mayResume: boolean;
}

interface TranslatedSource {
  opened: JudgedSource;
  book: BookResult;
  languages: BookLanguages;
}

export async function translateOpened(
  opened: JudgedSource,
  job: Translating,
  host: BookHost,
  warn: (warnings: BookLanguages['warnings']) => void,
): Promise<TranslatedSource> {
  const { languages, engines: able, series, paysAgain } = await begin(opened, host);
  warn(languages.warnings);
  const { sourceLang, targetLang, contradicting } = languages;
  const engines = bookEngines(host, able);
  const checkpoint = new HostCheckpoint(host, job.mayResume);
  const book = await translateBook({
    document: opened.document,
    sourceLang,
    targetLang,
    contradictingLang: contradicting,
    glossary: JSON.parse(job.glossaryJson) as Term[],
    strategy: job.strategy,
    style: job.style,
    background: job.context,
    engines,
    checkpoint,
    memory: hostMemory(host, {
      acceptDraft: job.acceptDraft,
      engines,
      series: series && hostSeries(host, series, job, checkpoint),
    }),
    concurrency: job.concurrency,
    order: job.order,
    signal: new AbortController().signal,
    onStage: (stage) => void host.stage(stage),
    onAnalysis: tellAnalysis(host),
    onPlan: (tasks, recalled) =>
      checkpoint.saveChapters(planChapters(opened.document.sections, tasks, recalled, sourceLang)),
  });
  await checkpoint.settled();
  await teach(host, book.memories, paysAgain ? book.paidPlaces : []);
  return { opened, book, languages };
}

export function filesOf(
  { opened, book, languages: { sourceLang, targetLang, warnings } }: TranslatedSource,
  fileName: string,
  { outputs, edition }: Pick<Translating, 'outputs' | 'edition'>,
): FilesToMake {
  const early = [...warnings, ...opened.warnings];
  return { opened, fileName, outputs, book, early, sourceLang, targetLang, edition };
}

export function begin({ language, document }: JudgedSource, host: BookHost): Promise<BookStart> {
  return host.begin({ language, declaredInBook: document.declaredLanguage, title: document.title });
}
