/** What every operator must see at once: engines that cannot be called. */
import type { EngineState } from './engine-state-store.ts';

/** One sentence for each engine that no worker, or only some of them, can call. */
export function engineAlerts(states: readonly EngineState[]): string[] {
  return [...new Set(states.map(({ engine }) => engine))].flatMap((engine) => {
    const seen = states.filter((each) => each.engine === engine);
    const spent = seen.some(({ overBudget }) => overBudget);
    const down = seen.filter(({ state }) => state === 'open');
    if (spent)
      return [`${engine} has used up its budget of the day; tasks wait for the next day (UTC) or a higher budget.`];
    if (down.length === 0) return [];
    const where = down.length < seen.length ? ` for ${down.length} of ${seen.length} workers` : '';
    const said = down.find(({ lastFault }) => lastFault !== undefined)?.lastFault;
    return [`${engine} is down${where}; its tasks wait${said === undefined ? '.' : `: ${said}`}`];
  });
}
