import type { Columns } from '../platform/database-types.ts';
import { change, readRows, readValues } from '../platform/from-row.ts';
import type { Db, Trx } from '../platform/postgres.ts';
import { type AcceptedSegments, acceptedOf, type PlannedChapter, type TitlePart } from '../translation/chapters.ts';
import { type CheckpointRecord, revisionKeys } from '../translation/checkpoint.ts';

/** Planned again by every run of a task: a plan that differs, because engines were changed meanwhile, replaces the one before. */
export async function saveChapters(trx: Trx, taskId: string, chapters: readonly PlannedChapter[]): Promise<void> {
  for (const chapter of chapters) {
    const { index, title, characters, segmentKeys, titleParts, content } = chapter;
    await change(trx)`
      insert into task_chapters as c (task_id, index, title, characters, segment_keys, title_parts, content)
      values (${taskId}, ${index}, ${title?.replaceAll('\0', '') ?? null}, ${characters}, ${segmentKeys}::text[],
        ${titleParts === undefined ? null : JSON.stringify(titleParts.map(storable))}::jsonb, ${Buffer.from(content)})
      on conflict (task_id, index) do update set title = excluded.title, characters = excluded.characters,
        segment_keys = excluded.segment_keys, title_parts = excluded.title_parts,
        content = excluded.content, ready_at = null
      where c.segment_keys <> excluded.segment_keys`;
  }
}

/**
 * Marks the chapters whose last segment is in the checkpoints, and returns those that nobody was told of. The task's row is
 * locked by the write that saves a segment, so that of two last ones the second sees the first.
 * @param key only chapters with this segment; undefined = all
 */
export async function markReady(
  trx: Trx,
  taskId: string,
  key: string | undefined,
): Promise<Columns<'task_chapters', 'index' | 'characters'>[]> {
  const rows = await readRows<Columns<'task_chapters', 'index' | 'characters'> & { told: boolean }>(trx)`
    update task_chapters c set ready_at = now()
    where c.task_id = ${taskId} and c.ready_at is null
      and (${key ?? null}::text is null or c.segment_keys && array[${key ?? null}::text])
      and not exists (
        select from unnest(c.segment_keys) needed where not exists (
          select from checkpoints s where s.task_id = ${taskId} and s.kind = 'segment' and s.key = needed))
    returning c.index, c.characters,
      exists (select from events e where e.task_id = ${taskId} and e.chapter = c.index and e.type = 'task.chapter_ready') as told`;
  return rows.filter(({ told }) => !told).sort((a, b) => a.index - b.index);
}

export interface ListedChapter {
  index: number;
  title: string | undefined;
  translatedTitle: string | undefined;
  characters: number;
  ready: boolean;
}

export async function listChapters(db: Db, taskId: string): Promise<ListedChapter[]> {
  return await readRows<ListedChapter>(db)`
    select c.index, c.title, c.characters, c.ready_at is not null as ready,
      (select case when bool_and(text is not null) then string_agg(text, '' order by number) end
        from (
          select p.number, coalesce(p.part ->> 'text', r.text, s.record -> 'outcome' -> 'units' -> (p.part ->> 'place')::integer ->> 'text') as text
          from jsonb_array_elements(c.title_parts) with ordinality as p(part, number)
          left join checkpoints s on s.task_id = c.task_id and s.kind = 'segment' and s.key = p.part ->> 'key'
          left join lateral (
            select record -> 'texts' ->> (p.part ->> 'place') as text from checkpoints
            where task_id = c.task_id and kind = 'revision'
              and key in ('edit-' || (p.part ->> 'key'), 'seam-' || (p.part ->> 'key'), p.part ->> 'key')
              and record -> 'texts' ->> (p.part ->> 'place') is not null
            order by key = p.part ->> 'key', key limit 1
          ) r on true
        ) parts) as translated_title
    from task_chapters c
    where c.task_id = ${taskId} order by c.index`;
}

export interface StoredChapter extends Omit<ListedChapter, 'translatedTitle'> {
  segmentKeys: string[];
  content: Buffer;
}

/** Chapters from an index on, in order. */
export async function readChapters(db: Db, taskId: string, from: number, limit: number): Promise<StoredChapter[]> {
  return await readRows<StoredChapter>(db)`
    select index, title, characters, segment_keys, content, ready_at is not null as ready from task_chapters
    where task_id = ${taskId} and index >= ${from} order by index limit ${limit}`;
}

/** What is accepted of these segments. */
export async function readAccepted(db: Db, taskId: string, keys: readonly string[]): Promise<AcceptedSegments> {
  const records = await readValues<CheckpointRecord>(db)`
    select record from checkpoints where task_id = ${taskId} and kind in ('segment', 'revision')
      and key = any(${keys.flatMap(revisionKeys)})`;
  return acceptedOf(records);
}

/** Neither U+0000 nor half a surrogate pair can be stored. */
function storable(part: TitlePart): TitlePart {
  return 'text' in part ? { text: part.text.toWellFormed().replaceAll('\0', '') } : part;
}
