import { change, readValues } from '../platform/from-row.ts';
import type { Db, Trx } from '../platform/postgres.ts';

const blocksPerStatement = 5_000;

/** The caller has locked the task. */
export async function saveApprovals(trx: Trx, taskId: string, blockIds: readonly string[]): Promise<void> {
  let added = 0;
  for (let at = 0; at < blockIds.length; at += blocksPerStatement) {
    added += await change(trx)`
      insert into task_approvals (task_id, block_id)
      select ${taskId}, block_id from unnest(${blockIds.slice(at, at + blocksPerStatement)}::text[]) as block_id
      on conflict (task_id, block_id) do nothing`;
  }
  if (added > 0) await countChange(trx, taskId);
}

/** The caller has locked the task. */
export async function removeApproval(trx: Trx, taskId: string, blockId: string): Promise<void> {
  const changed = await change(trx)`
    delete from task_approvals where task_id = ${taskId} and block_id = ${blockId}`;
  if (changed > 0) await countChange(trx, taskId);
}

async function countChange(trx: Trx, taskId: string): Promise<void> {
  await change(trx)`update tasks set approvals_version = approvals_version + 1 where id = ${taskId}`;
}

/** @param among undefined = of the whole book */
export async function approvedBlocks(db: Db, taskId: string, among?: readonly string[]): Promise<Set<string>> {
  const listed = await readValues<string>(db)`
    select block_id from task_approvals
    where task_id = ${taskId} and (${among ?? null}::text[] is null or block_id = any(${among ?? null}::text[]))`;
  return new Set(listed);
}
