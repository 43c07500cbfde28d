/** How stores read: the names of columns become those of code, and null becomes undefined. JSON within a column stays as it is. */
import { type RawBuilder, sql } from 'kysely';
import type { Columns, Tables } from './database-types.ts';
import type { Db } from './postgres.ts';

type CodeName<Name> = Name extends `${infer Start}_${infer Rest}` ? `${Start}${Capitalize<CodeName<Rest>>}` : Name;
type CodeValue<Value> = null extends Value ? Exclude<Value, null> | undefined : Value;
export type FromRow<Row> = { [Name in keyof Row as CodeName<Name>]: CodeValue<Row[Name]> };

export type Read<Result> = (strings: TemplateStringsArray, ...parameters: unknown[]) => Promise<Result>;

/** A tag for a statement: `readRows<Account>(db)` before its text. */
export function readRows<Result>(db: Db): Read<Result[]> {
  return async (...statement) => (await sql<object>(...statement).execute(db)).rows.map(fromRow<Result>);
}

/** The first row. */
export function readRow<Result>(db: Db): Read<Result | undefined> {
  return async (...statement) => (await readRows<Result>(db)(...statement))[0];
}

/** The first column of every row. */
export function readValues<Value>(db: Db): Read<Value[]> {
  return async (...statement) => (await readRows<object>(db)(...statement)).map((row) => Object.values(row)[0]);
}

/** The first column of the first row. */
export function readValue<Value>(db: Db): Read<Value | undefined> {
  return async (...statement) => (await readValues<Value>(db)(...statement))[0];
}

/** A number, such as a count or a sum; 0 where there is no row. */
export function readCount(db: Db): Read<number> {
  return async (...statement) => (await readValue<number>(db)(...statement)) ?? 0;
}

/** For a statement that changes rows: how many. */
export function change(db: Db): Read<number> {
  return async (...statement) => Number((await sql(...statement).execute(db)).numAffectedRows ?? 0n);
}

function fromRow<Result>(row: object): Result {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [codeName(name), value ?? undefined])) as Result;
}

const codeNames = new Map<string, string>();
export function codeName(column: string): string {
  return codeNames.getOrInsertComputed(column, () => column.replace(/_(.)/g, (_, letter) => letter.toUpperCase()));
}

type Word<Text> = Text extends `${infer First} ${infer Rest}` ? First | Word<Rest> : Text;

/** Columns of a table for a statement, from lists of their names with blanks between. `RowOf` is the type of what they give. */
export function columnsOf<Table extends keyof Tables, List extends string>(table: Table, ...lists: List[]) {
  const names = lists.flatMap((list) => list.split(' ').map((name) => `${table}.${name}`));
  return sql.raw<FromRow<Columns<Table, Word<List> & keyof Tables[Table]>>>(names.join(', '));
}

export type RowOf<Selected> = Selected extends RawBuilder<infer Row> ? Row : never;
