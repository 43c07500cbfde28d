/** The tables of our schema, read from the catalogue: a table that a later migration adds is copied without being named here. */
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { migrationsFolder } from '../platform/migrate.ts';
import { hashingBody } from '../platform/storage/hashing-body.ts';
import type { TableEntry } from './manifest.ts';

export interface Table {
  name: string;
  /** Without generated columns, which the database computes. */
  columns: string[];
  /** By the primary key in byte order, so that the same rows are the same bytes on every server. */
  order: string;
  /** Tables that rows of this one refer to. */
  refersTo: string[];
}

/** The output of COPY depends on these. */
const plainSettings = `
  set local timezone = 'UTC'; set local datestyle = 'ISO, MDY'; set local intervalstyle = 'postgres';
  set local bytea_output = 'hex'; set local extra_float_digits = 1; set local client_encoding = 'UTF8';
  set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0; set local synchronize_seqscans = off`;

/** For the copying transaction: the same text format on every server, and no time limit. */
export async function preparePlainCopies(client: pg.PoolClient): Promise<void> {
  await client.query(plainSettings);
}

/**
 * Referred-to tables first. Left out: unlogged tables, which a crash empties as well, and the migrator's own, because
 * the schema is made by the migrations.
 */
export async function listTables(client: pg.PoolClient): Promise<Table[]> {
  const { rows } = await client.query<Table>(`
    select c.relname as name,
      array(select attname::text from pg_attribute a
        where a.attrelid = c.oid and attnum > 0 and not attisdropped and attgenerated = '' order by attnum) as columns,
      (select string_agg(format('%I', a.attname) || case when a.attcollation <> 0 then ' collate "C"' else '' end, ', ' order by k.place)
        from pg_index i, unnest(i.indkey) with ordinality as k(attnum, place), pg_attribute a
        where i.indrelid = c.oid and i.indisprimary and a.attrelid = c.oid and a.attnum = k.attnum) as order,
      array(select r.relname::text from pg_constraint f join pg_class r on r.oid = f.confrelid
        where f.contype = 'f' and f.conrelid = c.oid and f.confrelid <> c.oid) as "refersTo"
    from pg_class c
    where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and c.relpersistence = 'p'
      and c.relname not in ('schema_migrations', 'schema_migrations_lock')
    order by c.relname`);
  return sorted(rows);
}

function sorted(tables: Table[]): Table[] {
  const done: Table[] = [];
  while (done.length < tables.length) {
    const next = tables.find(
      (table) => !done.includes(table) && table.refersTo.every((name) => done.some((other) => other.name === name)),
    );
    if (!next) throw new Error('The tables refer to each other in a circle.');
    done.push(next);
  }
  return done;
}

/** The rows as COPY prints them. After the end `rowCount` tells how many there were. */
export function copyOut(client: pg.PoolClient, { name, order }: Table, columns: readonly string[]) {
  return client.query(
    copyTo(`copy (select ${columns.map(quoted).join(', ')} from ${quoted(name)} order by ${order}) to stdout`),
  );
}

/** Returns the number of rows. Values of identity columns are taken as they are. */
export async function copyIn(client: pg.PoolClient, entry: TableEntry, path: string): Promise<number> {
  const stream = client.query(
    copyFrom(`copy ${quoted(entry.name)} (${entry.columns.map(quoted).join(', ')}) from stdin`),
  );
  await pipeline(createReadStream(path), stream);
  return stream.rowCount;
}

/** Rows and checksum of what a table holds now. */
export async function readBack(client: pg.PoolClient, table: Table, columns: readonly string[]) {
  const stream = copyOut(client, table, columns);
  const hashing = hashingBody(stream, undefined);
  for await (const _chunk of hashing.chunks);
  return { rows: stream.rowCount, sha256: hashing.result().sha256 };
}

/** COPY leaves the counters behind identity columns where they were. */
export async function continueIdentities(client: pg.PoolClient): Promise<void> {
  const { rows } = await client.query<{ table: string; column: string }>(`
    select c.relname as table, a.attname as column from pg_attribute a join pg_class c on c.oid = a.attrelid
    where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' and a.attidentity <> '' and not a.attisdropped`);
  for (const { table, column } of rows) {
    await client.query(
      `select setval(pg_get_serial_sequence($1, $2), max(${quoted(column)})) from ${quoted(table)} having max(${quoted(column)}) is not null`,
      [quoted(table), column],
    );
  }
}

/** Rows of the audit of the books. */
export async function auditFaultsOf(client: pg.PoolClient): Promise<number> {
  const audit = await readFile(new URL('audit.sql', migrationsFolder), 'utf8');
  return (await client.query(audit)).rows.length;
}

export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
