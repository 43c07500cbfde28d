import { AppError } from '../errors.ts';
import type { Task } from '../tasks/task.ts';
import { lockTask } from '../tasks/task-store.ts';
import { removeApproval, saveApprovals } from './approval-store.ts';
import { type BookDependencies, openBook, requireText } from './read-book.ts';

/** An editor has looked at a paragraph and leaves it as it is, or takes that back. @throws NOT_FOUND, OUTPUT_EXPIRED */
export async function approveBlock(
  deps: BookDependencies,
  task: Task,
  { blockId, approved }: { blockId: string; approved: boolean },
): Promise<void> {
  const book = await openBook(deps, task);
  if (book.chapterOf(blockId) === undefined) throw new AppError('NOT_FOUND', 'The book has no such paragraph.');
  await deps.db.transaction().execute(async (trx) => {
    requireText(await lockTask(trx, task.id));
    if (approved) await saveApprovals(trx, task.id, [blockId]);
    else await removeApproval(trx, task.id, blockId);
  });
}
