/** Runs a program of `examples/` as a partner would, on a book of its own. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const root = new URL('../../', import.meta.url);

export async function runExample(
  program: string,
  name: string,
  service: { rootUrl: string; key: string },
): Promise<{ stdout: string; written: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'toledo-example-'));
  try {
    const code = await readFile(new URL(`examples/${name}`, root), 'utf8');
    const client = new URL('client/src/index.ts', root).href;
    await writeFile(join(folder, name), code.replace("'@toledo/client'", `'${client}'`));
    await writeFile(join(folder, 'package.json'), '{"type": "module"}');
    await writeFile(join(folder, 'novel.md'), '# Uno\n\nLa carta llegó un martes.\n\nAna no la abrió.\n');
    const env = { ...process.env, TOLEDO_BASE_URL: `${service.rootUrl}/api/v1`, TOLEDO_API_KEY: service.key };
    const { stdout } = await promisify(execFile)(program, [name, 'novel.md', 'en'], { cwd: folder, env });
    return { stdout, written: await readFile(join(folder, 'novel.md.en'), 'utf8') };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
