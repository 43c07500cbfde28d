import { change, readCount, readRow, readRows, readValues } from '../platform/from-row.ts';
import type { Db, Trx } from '../platform/postgres.ts';

/** One text for all the blocks that have it. */
export interface SavedText {
  target: string;
  blockIds: readonly string[];
}

/** Text for a whole book would stop everybody while it is made. */
const textsPerStatement = 500;
const blocksPerStatement = 5_000;

/**
 * A later correction of the same block replaces the earlier one, which becomes history. The caller has locked the task.
 */
export async function saveCorrections(trx: Trx, taskId: string, texts: readonly SavedText[]): Promise<void> {
  let bytes = 0;
  for (const part of partsOf(texts)) bytes += await savePart(trx, taskId, part);
  await countChange(trx, taskId, bytes);
}

/** The block has the machine's text again. The caller has locked the task. */
export async function removeCorrection(trx: Trx, taskId: string, blockId: string): Promise<void> {
  const forgotten = await keepHistory(trx, taskId, [blockId]);
  await change(trx)`delete from task_corrections where task_id = ${taskId} and block_id = ${blockId}`;
  await countChange(trx, taskId, -(await removeUnused(trx, taskId, forgotten)));
}

/** Of one paragraph. */
const keptVersions = 10;

/** What the blocks say now becomes history. Returns the texts that are too old to be kept for them. */
async function keepHistory(trx: Trx, taskId: string, blockIds: readonly string[]): Promise<string[]> {
  await change(trx)`
    insert into task_correction_history (task_id, block_id, saved_at, text_key)
    select task_id, block_id, created_at, text_key from task_corrections
    where task_id = ${taskId} and block_id = any(${blockIds}::text[])
    on conflict (task_id, block_id, saved_at) do nothing`;
  const removed = await readValues<string>(trx)`
    with aged as (
      select block_id, saved_at, row_number() over (partition by block_id order by saved_at desc) as age
      from task_correction_history where task_id = ${taskId} and block_id = any(${blockIds}::text[])
    )
    delete from task_correction_history h using aged
    where h.task_id = ${taskId} and h.block_id = aged.block_id and h.saved_at = aged.saved_at and aged.age > ${keptVersions}
    returning h.text_key`;
  return [...new Set(removed)];
}

function* partsOf(texts: readonly SavedText[]): Generator<SavedText[]> {
  let part: SavedText[] = [];
  let blocks = 0;
  for (const { target, blockIds } of texts)
    for (let at = 0; at < blockIds.length; at += blocksPerStatement) {
      const some = blockIds.slice(at, at + blocksPerStatement);
      part.push({ target, blockIds: some });
      blocks += some.length;
      if (part.length < textsPerStatement && blocks < blocksPerStatement) continue;
      yield part;
      part = [];
      blocks = 0;
    }
  if (part.length > 0) yield part;
}

async function savePart(trx: Trx, taskId: string, part: readonly SavedText[]): Promise<number> {
  const blockIds = part.flatMap((text) => text.blockIds);
  const forgotten = await keepHistory(trx, taskId, blockIds);
  const added = await readCount(trx)`
    with sent as (
      select target, blocks, substr(encode(sha256(convert_to(target, 'UTF8')), 'hex'), 1, 32)::uuid as key
      from json_to_recordset(${JSON.stringify(part.map(({ target, blockIds: blocks }) => ({ target, blocks })))}::json)
        as c(target text, blocks json)
    ), added as (
      insert into task_correction_texts (task_id, key, target) select distinct on (key) ${taskId}, key, target from sent
      on conflict (task_id, key) do nothing returning octet_length(target) as bytes
    ), written as (
      insert into task_corrections (task_id, block_id, text_key)
      select ${taskId}, block_id, key from sent, json_array_elements_text(blocks) as block_id
      on conflict (task_id, block_id) do update set text_key = excluded.text_key, created_at = now()
    )
    select coalesce(sum(bytes), 0)::bigint as bytes from added`;
  return added - (await removeUnused(trx, taskId, forgotten));
}

/** Returns the bytes of the texts that no block has, or had lately. */
async function removeUnused(trx: Trx, taskId: string, keys: readonly string[]): Promise<number> {
  if (keys.length === 0) return 0;
  return await readCount(trx)`
    with gone as (
      delete from task_correction_texts t where task_id = ${taskId} and key = any(${keys}::uuid[])
        and not exists (select from task_corrections c where c.task_id = ${taskId} and c.text_key = t.key)
        and not exists (select from task_correction_history h where h.task_id = ${taskId} and h.text_key = t.key)
      returning octet_length(target) as bytes
    )
    select coalesce(sum(bytes), 0)::bigint as bytes from gone`;
}

async function countChange(trx: Trx, taskId: string, bytes: number): Promise<void> {
  await change(trx)`
    update tasks set stored_bytes = stored_bytes + ${bytes}, corrections_version = corrections_version + 1
    where id = ${taskId}`;
}

/** Changes with every change of the task's corrections. */
export async function correctionsVersion(db: Db, taskId: string): Promise<number> {
  return await readCount(db)`
    select corrections_version from tasks where id = ${taskId}`;
}

/** Which edition of the book a file that is made now holds; XLIFF tells of approvals too. */
export async function currentEditions(db: Db, taskId: string): Promise<(fileId: string) => number> {
  const versions = await readRow<{ corrections: number; approvals: number }>(db)`
    select corrections_version as corrections, approvals_version as approvals from tasks where id = ${taskId}`;
  const { corrections = 0, approvals = 0 } = versions ?? {};
  return (fileId) => (fileId === 'xliff' ? corrections + approvals : corrections);
}

/** By block id; blocks with the same text share it. */
export async function readCorrections(
  db: Db,
  taskId: string,
  blockIds: readonly string[],
): Promise<Map<string, string>> {
  const rows = await readRows<{ blockId: string; textKey: string }>(db)`
    select block_id, text_key from task_corrections where task_id = ${taskId} and block_id = any(${blockIds}::text[])`;
  if (rows.length === 0) return new Map();
  const keys = [...new Set(rows.map((row) => row.textKey))];
  const texts = await readRows<{ key: string; target: string }>(db)`
    select key, target from task_correction_texts where task_id = ${taskId} and key = any(${keys}::uuid[])`;
  const targets = new Map(texts.map(({ key, target }) => [key, target]));
  return new Map(
    rows.flatMap(({ blockId, textKey }): [string, string][] => {
      // Gone when it was replaced between the two questions; the next look finds the new one.
      const target = targets.get(textKey);
      return target === undefined ? [] : [[blockId, target]];
    }),
  );
}

export interface EarlierText {
  target: string;
  savedAt: Date;
}

/** What a block said before, the latest first. */
export async function readHistory(db: Db, taskId: string, blockId: string): Promise<EarlierText[]> {
  return await readRows<EarlierText>(db)`
    select t.target, h.saved_at from task_correction_history h
    join task_correction_texts t on t.task_id = h.task_id and t.key = h.text_key
    where h.task_id = ${taskId} and h.block_id = ${blockId} order by h.saved_at desc`;
}

export async function correctedBlocks(db: Db, taskId: string): Promise<Set<string>> {
  const listed = await readValues<string>(db)`
    select block_id from task_corrections where task_id = ${taskId}`;
  return new Set(listed);
}

/** A later fix of the same term replaces the earlier one. */
export async function saveTermFix(trx: Trx, taskId: string, fix: { source: string; target: string }): Promise<void> {
  await change(trx)`
    insert into task_term_fixes (task_id, source, target) values (${taskId}, ${fix.source}, ${fix.target})
    on conflict (task_id, source) do update set target = excluded.target, created_at = now()`;
  await countChange(trx, taskId, 0);
}

/** By the source form of the term. */
export async function readTermFixes(db: Db, taskId: string): Promise<Map<string, string>> {
  const rows = await readRows<{ source: string; target: string }>(db)`
    select source, target from task_term_fixes where task_id = ${taskId}`;
  return new Map(rows.map((row) => [row.source, row.target]));
}
