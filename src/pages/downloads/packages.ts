/** The client and the command line as npm packages, made from the sources of this very service: they always fit it. */
import { readdirSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { gzipSync } from 'node:zlib';

const root = new URL('../../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), 'utf8');

export function clientPackage(): Buffer {
  const { name, version, description, license } = JSON.parse(read('client/package.json'));
  const files = new Map([
    [
      'package.json',
      json({
        name,
        version,
        description,
        license,
        type: 'module',
        sideEffects: false,
        engines: { node: '>=22' },
        types: './client/types/index.d.ts',
        exports: {
          '.': { types: './client/types/index.d.ts', default: './client/src/index.js' },
          './package.json': './package.json',
        },
      }),
    ],
    ['README.md', read('client/README.md')],
    ...plainModules('client/src/index.ts'),
  ]);
  for (const file of readdirSync(new URL('client/types/', root)))
    files.set(`client/types/${file}`, read(`client/types/${file}`));
  return tarball(files);
}

export function commandLinePackage(): Buffer {
  const { version } = JSON.parse(read('client/package.json'));
  const entry = 'src/cli/partner/main.ts';
  const modules = plainModules(entry);
  const main = entry.replace(/\.ts$/, '.js');
  modules.set(main, `#!/usr/bin/env node\n${modules.get(main)}`);
  const description = 'The command line of the Toledo partner API';
  return tarball(
    new Map([
      [
        'package.json',
        json({
          name: '@toledo/cli',
          version,
          description,
          type: 'module',
          engines: { node: '>=22' },
          bin: { toledo: `./${main}` },
        }),
      ],
      ['README.md', read('docs/api/cli.md')],
      ...modules,
    ]),
  );
}

function json(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

const relativeImport = /(\bfrom\s*|\bimport\s*\(?\s*)'(\.[^']+)\.ts'/g;

/**
 * A program of ours as plain JavaScript: types taken out, as Node does when it runs them. An entry file and everything it
 * imports by relative path, by path below the root.
 * @throws when it needs a package
 */
function plainModules(entry: string): Map<string, string> {
  const modules = new Map<string, string>();
  const waiting = [entry];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    const name = path.replace(/\.ts$/, '.js');
    if (modules.has(name)) continue;
    const script = stripTypeScriptTypes(read(path));
    const foreign = /^(?:import|export)\b[^'";]*\bfrom\s+'(?!\.|node:)([^']+)'/m.exec(script);
    if (foreign) throw new Error(`${path} needs the package ${foreign[1]}.`);
    for (const [, , target] of script.matchAll(relativeImport))
      waiting.push(new URL(`${target}.ts`, new URL(path, root)).href.slice(root.href.length));
    modules.set(name, script.replace(relativeImport, "$1'$2.js'"));
  }
  return modules;
}

/**
 * A .tgz as npm reads it. Thirty lines of our own are enough. A package of a few text files with short names needs one header
 * per file and nothing else of the format.
 */
function tarball(files: ReadonlyMap<string, string>): Buffer {
  const parts: Buffer[] = [];
  for (const [name, text] of files) {
    const body = Buffer.from(text);
    parts.push(header(`package/${name}`, body.length), body, Buffer.alloc((512 - (body.length % 512)) % 512));
  }
  return gzipSync(Buffer.concat([...parts, Buffer.alloc(1024)]));
}

function header(name: string, sizeBytes: number): Buffer {
  if (Buffer.byteLength(name) > 100) throw new Error(`${name} is too long for a tar header.`);
  const block = Buffer.alloc(512);
  const octal = (value: number, length: number) => `${value.toString(8).padStart(length - 1, '0')}\0`;
  block.write(name, 0);
  block.write(octal(0o755, 8), 100);
  block.write(octal(0, 8), 108);
  block.write(octal(0, 8), 116);
  block.write(octal(sizeBytes, 12), 124);
  // A fixed time: the same files are the same bytes on every machine.
  block.write(octal(499_162_500, 12), 136);
  block.write(' '.repeat(8), 148);
  block.write('0', 156);
  block.write('ustar\x0000', 257);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return block;
}
