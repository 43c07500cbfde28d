/**
 * `npm run --silent sbom > sbom.json`: what runs in production, as CycloneDX 1.5, from the lock file alone. Without a
 * timestamp, so that the same lock gives the same bytes. `npm sbom --omit dev` (11.19) left out 21 packages that
 * production and development share, `pg-protocol` among them; a test compares this list with the lock.
 */
import { readFile } from 'node:fs/promises';

interface LockedPackage {
  version: string;
  integrity?: string;
  license?: string;
  dev?: boolean;
  optional?: boolean;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}

const root = new URL('../', import.meta.url);
const { name, version, description } = JSON.parse(await readFile(new URL('package.json', root), 'utf8'));
const packages: Record<string, LockedPackage> = JSON.parse(
  await readFile(new URL('package-lock.json', root), 'utf8'),
).packages;
const production = Object.entries(packages).filter(([path, { dev }]) => path !== '' && !dev);

const bom = {
  bomFormat: 'CycloneDX',
  specVersion: '1.5',
  version: 1,
  metadata: { component: { type: 'application', 'bom-ref': name, name, version, description } },
  components: production.map(([path, locked]) => component(path, locked)),
  dependencies: Object.entries(packages)
    .filter(([, { dev }]) => !dev)
    .map(([path, locked]) => ({ ref: path || name, dependsOn: dependencies(path, locked) })),
};
process.stdout.write(`${JSON.stringify(bom, null, 2)}\n`);

function component(path: string, locked: LockedPackage) {
  const full = nameOf(path);
  return {
    type: 'library',
    'bom-ref': path,
    name: full,
    version: locked.version,
    scope: locked.optional ? 'optional' : 'required',
    purl: `pkg:npm/${full.replace('@', '%40')}@${locked.version}`,
    ...(locked.integrity && { hashes: [{ alg: 'SHA-512', content: sha512(locked.integrity) }] }),
    ...(locked.license && { licenses: [licence(locked.license)] }),
  };
}

function licence(text: string) {
  if (/ (OR|AND|WITH) /.test(text)) return { expression: text.replace(/^\((.*)\)$/, '$1') };
  return { license: /^[\w.+-]+$/.test(text) ? { id: text } : { name: text } };
}

function sha512(integrity: string): string {
  return Buffer.from(integrity.replace(/^sha512-/, ''), 'base64').toString('hex');
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
}

/** In Node's order: in the package's own folder, then in each parent folder. */
function dependencies(path: string, locked: LockedPackage): string[] {
  const wanted = Object.keys({ ...locked.dependencies, ...locked.optionalDependencies });
  return wanted.flatMap((dependency) => {
    for (let folder = path; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('node_modules/') - 1))) {
      const found = `${folder}${folder ? '/' : ''}node_modules/${dependency}`;
      if (packages[found]) return [found];
      if (folder === '') return [];
    }
  });
}
