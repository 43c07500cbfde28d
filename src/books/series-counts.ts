/** Counts a source that is ordered in a series: all of it, and what the series remembers of it. */
import type { EngineCatalog } from '../engines/catalog.ts';
import type { Db } from '../platform/postgres.ts';
import { jobModule } from '../sandbox/job-module.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { SeriesCount, SeriesCounter, SeriesOrder } from '../tasks/series-order.ts';
import type { SourceFiles } from '../tasks/source-files.ts';
import { readBudget } from '../tasks/work-budget.ts';
import { type MemoryHost, pairEngines, TaskMemory } from './task-memory.ts';

const rememberedJobs = jobModule<typeof import('./remembered-book.ts')>(
  new URL('./remembered-book.ts', import.meta.url),
);

export class SeriesCounts implements SeriesCounter {
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
  async count({ owner, range, source, order }: SeriesOrder): Promise<SeriesCount> {
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
