/** Counts a source that is ordered in a series: all of it, and what the series remembers of it. */
import type { EngineCatalog } from '../engines/catalog.ts';
import type { Db } from '../platform/postgres.ts';
import { jobModule } from '../sandbox/job-module.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { CountJob } from './remembered-book.ts';
import type { SourceFiles, SourceRange } from './source-files.ts';
import { type MemoryHost, pairEngines, type RememberingTask, TaskMemory } from './task-memory.ts';
import { readBudget } from './work-budget.ts';

const rememberedJobs = jobModule<typeof import('./remembered-book.ts')>(
  new URL('./remembered-book.ts', import.meta.url),
);

export interface SeriesOrder {
  owner: RememberingTask;
  range: SourceRange;
  source: { key: string; text?: Uint8Array };
  order: Omit<CountJob, 'source'>;
}

export class SeriesCounts {
  readonly #deps: {
    db: Db;
    sandbox: Sandbox;
    sources: SourceFiles;
    engines: EngineCatalog;
    sandboxEngines: EngineCatalog;
  };

  constructor(deps: {
    db: Db;
    sandbox: Sandbox;
    sources: SourceFiles;
    engines: EngineCatalog;
    sandboxEngines: EngineCatalog;
  }) {
    this.#deps = deps;
  }

  /** @throws BAD_REQUEST with a stable reason, PAYLOAD_TOO_LARGE, UNAVAILABLE */
  async count({ owner, range, source, order }: SeriesOrder): Promise<{
    characters: number;
    rememberedCharacters: number;
  }> {
    const { db, sandbox, sources, engines, sandboxEngines } = this.#deps;
    const memory = new TaskMemory(db, owner);
    const catalog = owner.sandbox ? sandboxEngines : engines;
    const host: MemoryHost = {
      enginesFor: async (pair) => pairEngines(catalog, pair, !order.acceptDraft),
      findRemembered: (question) => memory.find(question),
    };
    return await sources.withSource(source.text ?? source.key, range, (file) =>
      sandbox.run(
        rememberedJobs,
        'countRemembered',
        { ...order, source: file },
        { ...readBudget(file), owner: owner.accountId, host },
      ),
    );
  }
}
