/** Proves that a backup is whole before anything is done with it. Reads every byte, writes nothing. */
import { createHash } from 'node:crypto';
import { constants, open, readdir, readFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { eachOf } from './each-of.ts';
import {
  BackupFault,
  checksumsName,
  filePath,
  type Manifest,
  manifestName,
  parseManifest,
  secretName,
  tablePath,
} from './manifest.ts';

export type CheckedBackup = Awaited<ReturnType<typeof checkBackup>>;

const readsAtOnce = 4;
/** More would not help anybody who reads them. */
const faultsTold = 5;

/** @throws BackupFault naming what is damaged, missing or too much */
export async function checkBackup(folder: string, signal: AbortSignal) {
  const path = resolve(folder);
  const checksums = await readChecksums(path);
  const faults: string[] = [];
  await eachOf([...checksums], readsAtOnce, async ([name, expected]) => {
    signal.throwIfAborted();
    const fault = await compare(join(path, name), expected);
    if (fault) faults.push(`${name} ${fault}`);
  });
  for (const name of await listFiles(path)) if (!checksums.has(name)) faults.push(`${name} does not belong to it`);
  if (!checksums.has(manifestName)) faults.push(`${manifestName} is not listed in ${checksumsName}`);
  refuse(path, faults);
  const manifest = parseManifest(await readFile(join(path, manifestName), 'utf8'));
  refuse(path, unlisted(manifest, checksums));
  const secret = checksums.has(secretName) ? await readFile(join(path, secretName), 'utf8') : undefined;
  return { path, manifest, checksums, secret };
}

/** Lines of the list itself may be lost: the manifest tells what must be there. */
function unlisted(manifest: Manifest, checksums: ReadonlyMap<string, string>): string[] {
  const faults = manifest.tables.map(({ name }) => tablePath(name)).filter((name) => !checksums.has(name));
  if (manifest.secret.included && !checksums.has(secretName)) faults.push(secretName);
  const files = [...checksums.keys()].filter((name) => name.startsWith(filePath(''))).length;
  if (files !== manifest.files.count) faults.push(`${manifest.files.count - files} of ${manifest.files.count} files`);
  return faults.map((name) => `${name} not listed in ${checksumsName}`);
}

function refuse(path: string, faults: string[]): void {
  if (faults.length === 0) return;
  const more = faults.length > faultsTold ? ` and ${faults.length - faultsTold} more` : '';
  const told = faults.sort().slice(0, faultsTold).join('; ');
  throw new BackupFault(`The backup in ${path} is damaged or incomplete, and nothing was changed: ${told}${more}.`);
}

/** SHA-256 by name in the folder. */
async function readChecksums(path: string): Promise<Map<string, string>> {
  let text: string;
  try {
    text = await readFile(join(path, checksumsName), 'utf8');
  } catch (cause) {
    throw new BackupFault(`${path} is not a backup: it has no readable ${checksumsName}.`, { cause });
  }
  const checksums = new Map<string, string>();
  for (const line of text.split('\n')) {
    if (line === '') continue;
    // Names are ours: table names and storage keys, so nothing can lead out of the folder.
    const [, sha256, name] = /^([0-9a-f]{64}) {2}([A-Za-z0-9_-]+(?:[./][A-Za-z0-9_-]+)*)$/.exec(line) ?? [];
    if (sha256 === undefined || name === undefined) refuse(path, [`a line of ${checksumsName} is not readable`]);
    else checksums.set(name, sha256);
  }
  return checksums;
}

async function compare(path: string, expected: string): Promise<string | undefined> {
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
    const hash = createHash('sha256');
    for await (const chunk of file.createReadStream()) hash.update(chunk);
    return hash.digest('hex') === expected ? undefined : 'differs from its checksum';
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT'
      ? 'is missing'
      : `cannot be read (${(error as Error).message})`;
  }
}

async function listFiles(path: string): Promise<string[]> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(path, join(entry.parentPath, entry.name)))
    .filter((name) => name !== checksumsName);
}
