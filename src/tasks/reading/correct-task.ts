/** Corrections of a delivered book, from an editor's file, from a program or from the reader. */
import type { EditedUnit } from '../../interchange/edited-unit.ts';
import { type Correction, type MatchedCorrections, matchCorrections } from '../../interchange/match-corrections.ts';
import type { Db } from '../../platform/postgres.ts';
import type { Storage } from '../../platform/storage/storage.ts';
import type { Task } from '../task.ts';
import { lockTask } from '../task-store.ts';
import { saveCorrections } from './correction-store.ts';
import { openBook } from './read-book.ts';
import { escapedForm, type Replacement, replacedIn } from './replace-term.ts';

export interface CorrectionDependencies {
  db: Db;
  storage: Storage;
}

/** @throws TASK_NOT_READY, TASK_NOT_DOWNLOADABLE, OUTPUT_EXPIRED */
export async function correctTask(
  deps: CorrectionDependencies,
  task: Task,
  units: readonly EditedUnit[],
): Promise<MatchedCorrections> {
  const book = await openBook(deps, task);
  const blocks: { id: string; source: string; target: string }[] = [];
  for await (const { block } of book.blocks())
    blocks.push({ id: block.id, source: block.source, target: block.target });
  const matched = matchCorrections(units, blocks);
  await save(deps, task, matched.taken);
  return matched;
}

/** Writes one rendering of a name in place of another, wherever the name stands in the source. Returns the changed blocks. */
export async function correctTerm(deps: CorrectionDependencies, task: Task, replacement: Replacement): Promise<number> {
  const book = await openBook(deps, task);
  const forms = book.index.terms.find(({ source }) => source === replacement.source);
  const sources = [replacement.source, ...(forms?.aliases ?? [])].map(escapedForm);
  const corrections: Correction[] = [];
  for await (const { block } of book.blocks()) {
    if (!sources.some((form) => form.test(block.source))) continue;
    const target = replacedIn(block.target, replacement);
    if (target !== block.target) corrections.push({ blockId: block.id, source: block.source, target });
  }
  await save(deps, task, corrections);
  return corrections.length;
}

/** The lock keeps a purge from passing between the look and the write. */
async function save({ db }: CorrectionDependencies, task: Task, corrections: readonly Correction[]): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const now = await lockTask(trx, task.id);
    if (!now.purgedAt) await saveCorrections(trx, task.id, corrections);
  });
}
