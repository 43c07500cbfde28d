/** Counts a source that is ordered in a series: all of it, and what the series remembers of it. */

import { jobModule } from '../sandbox/job-module.ts';
import type { SeriesCounter } from '../tasks/series-order.ts';
import { readBudget } from '../tasks/work-budget.ts';
import type { ActionDependencies } from './actions.ts';
import { type MemoryHost, pairEngines, taskMemory } from './task-memory.ts';

const rememberedJobs = jobModule<typeof import('./remembered-book.ts')>(
  new URL('./remembered-book.ts', import.meta.url),
);

type Dependencies = Pick<ActionDependencies, 'db' | 'sandbox' | 'sources' | 'engines' | 'sandboxEngines'>;

export function seriesCounter(deps: Dependencies): SeriesCounter {
  return {
    async count({ owner, range, source, order }) {
      const catalog = owner.sandbox ? deps.sandboxEngines : deps.engines;
      const host: MemoryHost = {
        enginesFor: async (pair) => pairEngines(catalog, pair, !order.acceptDraft),
        findRemembered: taskMemory(deps.db, owner),
      };
      return await deps.sources.withSource(source.text ?? source.key, range, (file) => {
        const options = { ...readBudget(file), owner: owner.accountId, host };
        return deps.sandbox.run(rememberedJobs, 'countRemembered', { ...order, source: file }, options);
      });
    },
  };
}
