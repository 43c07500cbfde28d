import { type RawBuilder, sql } from 'kysely';
import type { Columns, Row } from '../platform/database-types.ts';
import { readCount, readRow, readRows, readValue } from '../platform/from-row.ts';
import type { Owner } from '../platform/owner-store.ts';
import type { Db, Trx } from '../platform/postgres.ts';
import { anyContext, type BlockPlace, contextRange, correctedVariant } from '../translation/memory/block-keys.ts';

import type { Grade } from '../translation/memory/choose.ts';
import type { NewMemory } from '../translation/memory/remember.ts';

/** Whose memory it is: a series', or an account's own for its tasks outside of series. */
export interface MemoryOwner extends Owner {
  seriesId: string | undefined;
}

/** Undefined while nothing was remembered, and after the series was deleted. */
export async function findMemory(db: Db, owner: MemoryOwner) {
  return await readRow<Columns<'memories', 'id' | 'characters'>>(db)`
    select id, characters from memories where ${isOf(owner)}`;
}

function isOf({ accountId, sandbox, seriesId }: MemoryOwner): RawBuilder<unknown> {
  const ofSeries = seriesId === undefined ? sql`series_id is null` : sql`series_id = ${seriesId}`;
  return sql`account_id = ${accountId} and sandbox = ${sandbox} and ${ofSeries}`;
}

export interface RememberedRow extends Omit<NewMemory, 'characters'> {
  /** The task that it belongs to, outside of series. */
  task: { completed: boolean; creditsCharged: number; charLimit: number | undefined } | undefined;
}

type BlockRow = Columns<'memory_blocks', 'variant' | 'context' | 'grade' | 'target'> & {
  text: string;
  status: string | undefined;
  creditsCharged: number | undefined;
  charLimit: number | undefined;
};

const blockColumns = sql`
  b.text_key as text, b.variant, b.context, b.grade, b.target, t.status, t.credits_charged, t.char_limit`;

/**
 * What is remembered for some texts: one look at the primary key for each.
 * @param rowsPerText a line such as "Yes." may stand in thousands of places
 */
export async function findBlocks(
  db: Db,
  accountId: string,
  memoryId: number,
  textKeys: readonly string[],
  rowsPerText: number,
): Promise<RememberedRow[]> {
  const rows = await readRows<BlockRow>(db)`
    select ${blockColumns}
    from unnest(${textKeys}::uuid[]) asked (text_key)
    cross join lateral (
      select * from memory_blocks where memory_id = ${memoryId} and text_key = asked.text_key
      order by variant, context limit ${rowsPerText}
    ) b
    join memories m on m.id = b.memory_id and m.account_id = ${accountId}
    left join tasks t on t.id = b.task_id
    order by b.text_key, b.variant, b.context`;
  return rows.map(toRemembered);
}

/** So many places of a text are read and chosen from; of more, the database chooses. */
const fewPlaces = 32;
/** Places that are looked through for the paragraph after. The one before is found by the index. */
const searchedPlaces = 2_000;
const takenPlaces = 4;

/** Everything that may be chosen at some places; not more than a few rows for each. */
export async function findFitting(
  db: Db,
  accountId: string,
  memoryId: number,
  places: readonly BlockPlace[],
  accepted: readonly Grade[],
): Promise<RememberedRow[]> {
  const texts = [...new Set(places.map(({ text }) => text))];
  const found = Map.groupBy(await findBlocks(db, accountId, memoryId, texts, fewPlaces + 1), ({ text }) => text);
  const isMany = (text: string): boolean => (found.get(text)?.length ?? 0) > fewPlaces;
  const crowded = places.filter(({ text }) => isMany(text));
  const few = [...found.values()].filter((rows) => rows.length <= fewPlaces).flat();
  return crowded.length === 0 ? few : [...few, ...(await findPlaces(db, accountId, memoryId, crowded, accepted))];
}

/** For each place: the same neighbours, the same one before, the same one after, and some others; corrections too. */
async function findPlaces(
  db: Db,
  accountId: string,
  memoryId: number,
  places: readonly BlockPlace[],
  accepted: readonly Grade[],
): Promise<RememberedRow[]> {
  const ofText = sql`memory_id = ${memoryId} and text_key = asked.text_key and variant = kind.variant`;
  // Places first, blocks afterwards: joined the other way round, every block of a text would look for its places again.
  const rows = await readRows<BlockRow>(db)`
    with place as materialized (
      select distinct asked.text_key, kind.variant, found.context
      from unnest(${places.map(({ text }) => text)}::uuid[], ${places.map(({ variant }) => variant)}::bigint[],
        ${places.map(({ context }) => context)}::bigint[]) asked (text_key, variant, context)
      cross join lateral (values (asked.variant), (${correctedVariant})) kind (variant)
      cross join lateral (
        (select context from memory_blocks where ${ofText} and context = asked.context)
        union all
        (select context from memory_blocks where ${ofText} and context >= asked.context - asked.context % ${contextRange}
          and context < asked.context - asked.context % ${contextRange} + ${contextRange} order by context limit ${takenPlaces})
        union all
        (select context from (select context from memory_blocks where ${ofText} order by context limit ${searchedPlaces}) near
          where context % ${contextRange} = asked.context % ${contextRange} limit ${takenPlaces})
        union all
        (select context from memory_blocks where ${ofText} order by context limit ${takenPlaces})
      ) found
    )
    select ${blockColumns}
    from place cross join lateral (
      select * from memory_blocks where memory_id = ${memoryId} and text_key = place.text_key and variant = place.variant
        and context = place.context and grade = any(${accepted.map((grade) => grades.indexOf(grade))}::smallint[]) limit 1
    ) b
    join memories m on m.id = b.memory_id and m.account_id = ${accountId}
    left join tasks t on t.id = b.task_id
    order by b.text_key, b.variant, b.context`;
  return rows.map(toRemembered);
}

function toRemembered({ status, creditsCharged = 0, charLimit, ...row }: BlockRow): RememberedRow {
  const task = status === undefined ? undefined : { completed: status === 'completed', creditsCharged, charLimit };
  return { ...row, grade: grades[row.grade] ?? 'translated', task };
}

/** The memory to write to. Undefined when the series is gone: then there is nothing to remember for. */
export async function openMemory(trx: Trx, owner: MemoryOwner): Promise<number | undefined> {
  const { accountId, sandbox, seriesId } = owner;
  if (seriesId === undefined) {
    const memory = await lockMemory(trx, owner);
    if (memory !== undefined) return memory;
    await sql`
      insert into memories (account_id, sandbox) values (${accountId}, ${sandbox})
      on conflict (account_id, sandbox) where series_id is null do nothing`.execute(trx);
  } else {
    // A request that deletes the series waits for this, or has done it.
    const { rows } = await sql`
      select from series where id = ${seriesId} and account_id = ${accountId} for key share`.execute(trx);
    if (rows.length === 0) return undefined;
  }
  return await lockMemory(trx, owner);
}

/** One writer at a time. A task that adds blocks counts them in this row, and two that add the same ones must not deadlock. */
async function lockMemory(trx: Trx, owner: MemoryOwner): Promise<number | undefined> {
  return await readValue<Row<'memories'>['id']>(trx)`
    select id from memories where ${isOf(owner)} for no key update`;
}

/** Of a series that the transaction has locked and will delete. */
export async function deleteBlocksOf(trx: Trx, seriesId: string): Promise<void> {
  await sql`
    delete from memory_blocks where memory_id in (select id from memories where series_id = ${seriesId})`.execute(trx);
}

const blocksPerStatement = 1_000;

/**
 * What is there stays: two tasks of a series that end together have the same right. A correction takes the place of the one
 * before, and a translation that of a draft or of the sandbox's words.
 * @param taskId outside of series: the task that the blocks go with
 */
export async function rememberBlocks(
  trx: Trx,
  memoryId: number,
  blocks: readonly NewMemory[],
  taskId: string | undefined,
): Promise<void> {
  // In one order, so that two tasks never wait for each other in a circle.
  const sorted = blocks.toSorted((a, b) => (a.text < b.text ? -1 : a.text > b.text ? 1 : a.context - b.context));
  for (let at = 0; at < sorted.length; at += blocksPerStatement)
    await insertBlocks(trx, memoryId, sorted.slice(at, at + blocksPerStatement), taskId);
}

async function insertBlocks(
  trx: Trx,
  memoryId: number,
  blocks: readonly NewMemory[],
  taskId: string | undefined,
): Promise<void> {
  await sql`
    with sent as (
      select * from unnest(${blocks.map(({ text }) => text)}::uuid[], ${blocks.map(({ variant }) => variant)}::bigint[],
        ${blocks.map(({ context }) => context)}::bigint[], ${blocks.map(({ grade }) => grades.indexOf(grade))}::smallint[],
        ${blocks.map(({ target }) => target)}::text[], ${blocks.map(({ characters }) => characters)}::bigint[])
        as block (text_key, variant, context, grade, target, characters)
    ), written as (
      insert into memory_blocks (memory_id, text_key, variant, context, grade, target, task_id)
      select ${memoryId}, text_key, variant, context, grade, target, ${taskId ?? null} from sent
      on conflict (memory_id, text_key, variant, context) do update set target = excluded.target, grade = excluded.grade,
        task_id = excluded.task_id
      where excluded.grade = 2 or (excluded.grade = 0 and memory_blocks.grade in (1, 3))
      returning text_key, variant, context, xmax = 0 as is_new
    )
    update memories m set blocks = m.blocks + added.blocks, characters = m.characters + added.characters
    from (
      select count(*) as blocks, coalesce(sum(sent.characters), 0) as characters
      from written join sent using (text_key, variant, context) where written.is_new
    ) added where m.id = ${memoryId} and added.blocks > 0`.execute(trx);
}

/** What a memory would deliver at a place whatever the terms are. */
export interface CorrectedPlace {
  /** Whether the text is remembered at all. */
  isKnown: boolean;
  /** The correction for the place, or for every place. */
  correction: string | undefined;
}

/** In the order of the places. */
export async function correctedAt(
  db: Db,
  memoryId: number,
  places: readonly Pick<BlockPlace, 'text' | 'context'>[],
): Promise<CorrectedPlace[]> {
  const corrected: CorrectedPlace[] = [];
  for (let at = 0; at < places.length; at += blocksPerStatement) {
    const part = places.slice(at, at + blocksPerStatement);
    const rows = await readRows<CorrectedPlace>(db)`
      select exists (select from memory_blocks where memory_id = ${memoryId} and text_key = asked.text_key) as is_known,
        (select target from memory_blocks where memory_id = ${memoryId} and text_key = asked.text_key
          and variant = ${correctedVariant} and context in (asked.context, ${anyContext}) and grade = ${grades.indexOf('corrected')}
          order by context desc limit 1) as correction
      from unnest(${part.map(({ text }) => text)}::uuid[], ${part.map(({ context }) => context)}::bigint[])
        with ordinality asked (text_key, context, place)
      order by asked.place`;
    corrected.push(...rows);
  }
  return corrected;
}

/** What the corrections of some texts take. */
export async function correctedBytes(trx: Trx, memoryId: number, texts: readonly string[]): Promise<number> {
  return await readCount(trx)`
    select coalesce(sum(octet_length(b.target)), 0)::bigint as bytes
    from (select distinct text_key from unnest(${texts}::uuid[]) text_key) asked
    join memory_blocks b on b.memory_id = ${memoryId} and b.text_key = asked.text_key and b.variant = ${correctedVariant}`;
}

/** Every change of its corrections has a number. */
export async function correctionsVersion(db: Db, memoryId: number): Promise<number> {
  return await readCount(db)`
    select corrections_version from memories where id = ${memoryId}`;
}

export async function countCorrections(trx: Trx, memoryId: number, moreBytes: number): Promise<void> {
  await sql`
    update memories set corrected_bytes = corrected_bytes + ${moreBytes}, corrections_version = corrections_version + 1
    where id = ${memoryId}`.execute(trx);
}

/** Corrections of the texts of these blocks, at whatever place. */
export async function forgetCorrections(
  trx: Trx,
  memoryId: number,
  blocks: readonly Pick<NewMemory, 'text' | 'characters'>[],
): Promise<void> {
  if (blocks.length === 0) return;
  await sql`
    with sent as (
      select * from unnest(${blocks.map(({ text }) => text)}::uuid[], ${blocks.map(({ characters }) => characters)}::bigint[])
        as block (text_key, characters)
    ), gone as (
      delete from memory_blocks b using sent
      where b.memory_id = ${memoryId} and b.text_key = sent.text_key and b.grade = 2 returning sent.characters
    )
    update memories set blocks = blocks - (select count(*) from gone),
      characters = characters - (select coalesce(sum(characters), 0) from gone)
    where id = ${memoryId}`.execute(trx);
}

/** The blocks go with another task from now on, because it has paid for them too. */
export async function moveBlocks(
  trx: Trx,
  memoryId: number,
  places: readonly BlockPlace[],
  taskId: string,
): Promise<void> {
  for (let at = 0; at < places.length; at += blocksPerStatement) {
    const part = places.slice(at, at + blocksPerStatement);
    await sql`
      update memory_blocks b set task_id = ${taskId}
      from unnest(${part.map(({ text }) => text)}::uuid[], ${part.map(({ variant }) => variant)}::bigint[],
        ${part.map(({ context }) => context)}::bigint[]) as moved (text_key, variant, context)
      where b.memory_id = ${memoryId} and b.text_key = moved.text_key and b.variant = moved.variant
        and b.context = moved.context`.execute(trx);
  }
}

/** In the order of the numbers in the database. */
const grades: readonly Grade[] = ['translated', 'draft', 'corrected', 'sandbox'];
