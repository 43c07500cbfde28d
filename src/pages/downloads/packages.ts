/** The client and the command line as npm packages, made from the sources of this very service: they always fit it. */
import { readdirSync, readFileSync } from 'node:fs';
import { plainModules } from './plain-modules.ts';
import { tarball } from './tarball.ts';

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
    ...plainModules('client/src/index.ts', root),
  ]);
  for (const file of readdirSync(new URL('client/types/', root)))
    files.set(`client/types/${file}`, read(`client/types/${file}`));
  return tarball(files);
}

export function commandLinePackage(): Buffer {
  const { version } = JSON.parse(read('client/package.json'));
  const entry = 'src/cli/partner/main.ts';
  const modules = plainModules(entry, root);
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
