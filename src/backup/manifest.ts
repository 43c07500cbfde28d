/**
 * The description of a backup. A backup is a folder:
 *
 *     manifest.json          this
 *     SHA256SUMS             every other file, as `sha256sum --check` reads it
 *     secret                 when the installation kept it in its data directory
 *     tables/<table>.tsv     rows in PostgreSQL's COPY text form
 *     files/<storage key>    sources and outputs
 */

/** A backup that cannot be taken, trusted or loaded: one sentence for the operator. */
export class BackupFault extends Error {
  override readonly name = 'BackupFault';
}

export interface Manifest {
  format: 1;
  toledo_version: string;
  postgres_version: string;
  /** Time of the snapshot, by the database's clock. */
  taken_at: string;
  /** Names of the applied migrations. */
  schema: string[];
  tables: TableEntry[];
  files: { count: number; size_bytes: number };
  secret: { fingerprint: string; included: boolean };
  tasks: { total: number; unfinished: number };
  /** Rows that audit.sql returned; null when this release's audit does not fit the schema. */
  audit_faults: number | null;
  /** Tasks that their owner or the retention removed while the backup ran: they are removed again when it is loaded. */
  deleted_tasks: string[];
  /** Files that were missing or damaged in the installation itself. */
  lost_files: LostFile[];
}

export interface TableEntry {
  name: string;
  columns: string[];
  rows: number;
}

export interface LostFile {
  key: string;
  task_id: string;
  reason: 'missing' | 'damaged';
}

export const manifestName = 'manifest.json';
export const checksumsName = 'SHA256SUMS';
export const secretName = 'secret';
export const tablePath = (table: string): string => `tables/${table}.tsv`;
export const filePath = (key: string): string => `files/${key}`;

/** Its checksum was verified before, so anything unexpected was written by another release. @throws BackupFault */
export function parseManifest(text: string): Manifest {
  const manifest = JSON.parse(text) as Manifest;
  if (manifest.format !== 1) {
    throw new BackupFault(
      `It has format ${JSON.stringify(manifest.format)}, and this release of Toledo reads format 1.`,
    );
  }
  return manifest;
}
