/**
 * The client's declarations, checked in as `client/types`: the running service packs the client for download and has no
 * compiler in production.
 */
import { cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { emitClient, withEmittedNames } from './emit-client.ts';

const root = new URL('../', import.meta.url);

/** @param wireTypes as they are about to be written: the declarations must fit them and not the ones before */
export async function clientDeclarations(wireTypes: string): Promise<Record<string, string>> {
  const folder = await mkdtemp(join(tmpdir(), 'toledo-declarations-'));
  try {
    await cp(new URL('client/src/', root), join(folder, 'src'), { recursive: true });
    await writeFile(join(folder, 'src/wire-types.ts'), wireTypes);
    await symlink(fileURLToPath(new URL('node_modules', root)), join(folder, 'node_modules'));
    const outDir = join(folder, 'types');
    await emitClient(join(folder, 'src/index.ts'), { outDir, module: 'esnext', emitDeclarationOnly: 'true' });
    const names = (await readdir(outDir)).sort();
    const texts = await Promise.all(names.map((name) => readFile(join(outDir, name), 'utf8')));
    return Object.fromEntries(names.map((name, i) => [`client/types/${name}`, withEmittedNames(texts[i] ?? '')]));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
