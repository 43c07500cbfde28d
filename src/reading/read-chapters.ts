/** GET /tasks/{task_id}/chapters: what is translated of a book, while it runs and afterwards. */
import { AppError } from '../errors.ts';
import { stripInlineTags } from '../inline-tags.ts';
import type { Owner } from '../platform/owner-store.ts';
import type { Db } from '../platform/postgres.ts';
import type { Task } from '../tasks/task.ts';
import { findTask } from '../tasks/task-store.ts';
import { chapterBlocks } from '../translation/chapters.ts';
import { listChapters, readAccepted, readChapters } from './chapter-store.ts';
import { requireText } from './read-book.ts';

export type ChapterView = Awaited<ReturnType<typeof chaptersOf>>[number];

/** @throws NOT_FOUND, OUTPUT_EXPIRED, TASK_NOT_DOWNLOADABLE */
export async function chaptersOf(db: Db, owner: Owner, taskId: string) {
  const task = await readableTask(db, owner, taskId);
  return (await listChapters(db, taskId)).map(({ index, title, translatedTitle, characters, ready }) => ({
    index,
    title: title ?? null,
    translated_title: translatedTitle === undefined ? null : stripInlineTags(translatedTitle),
    characters,
    ...stateOf(task, ready),
  }));
}

/** With what is translated of it by now; a block that is not has no translation yet. @throws as `chaptersOf` */
export async function chapterText(db: Db, owner: Owner, taskId: string, index: number) {
  const task = await readableTask(db, owner, taskId);
  const [chapter] = await readChapters(db, taskId, index, 1);
  if (chapter?.index !== index) throw new AppError('NOT_FOUND', 'There is no such chapter.');
  const accepted = await readAccepted(db, taskId, chapter.segmentKeys);
  const blocks = chapterBlocks(chapter.content, accepted, task.targetLang ?? 'en');
  return {
    index,
    title: chapter.title ?? null,
    characters: chapter.characters,
    ...stateOf(task, chapter.ready),
    blocks: blocks.map(({ id, kind, source, translation, flags }) => ({
      id,
      kind,
      source: stripInlineTags(source),
      translation: translation === undefined ? null : stripInlineTags(translation),
      flags,
    })),
  };
}

async function readableTask(db: Db, owner: Owner, taskId: string): Promise<Task> {
  const task = await findTask(db, owner, taskId);
  requireText(task);
  // A task that failed has cost nothing, and so it delivers nothing.
  if (task.status === 'failed') throw new AppError('TASK_NOT_DOWNLOADABLE', 'The task failed; it has no chapters.');
  return task;
}

/** Nothing changes any more in a chapter that is final. */
function stateOf(task: Task, ready: boolean) {
  return { status: ready ? 'ready' : 'pending', final: task.status !== 'pending' };
}
