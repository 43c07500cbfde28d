import { strict as assert } from 'node:assert';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { promisify } from 'node:util';

interface LockedPackage {
  version: string;
  integrity?: string;
  resolved?: string;
  dev?: boolean;
  link?: boolean;
}

const lock = JSON.parse(readFileSync('package-lock.json', 'utf8'));
const locked = Object.entries(lock.packages as Record<string, LockedPackage>).filter(([path]) => path !== '');

test('every locked package comes from one registry over HTTPS, with a SHA-512 that npm compares', () => {
  assert.ok(locked.length > 200);
  const places = new Set(locked.flatMap(([, { resolved }]) => (resolved ? [new URL(resolved).origin] : [])));
  assert.ok(places.size <= 1 && [...places].every((place) => place.startsWith('https://')), [...places].join());
  const faults = locked.filter(
    ([, { integrity, resolved, link }]) =>
      link || !integrity?.startsWith('sha512-') || (resolved && !resolved.endsWith('.tgz')),
  );
  assert.deepEqual(faults, []);
});

test('every dependency is pinned to one version, and the lock agrees', () => {
  const wanted = JSON.parse(readFileSync('package.json', 'utf8'));
  const all: Record<string, string> = {
    ...wanted.dependencies,
    ...wanted.optionalDependencies,
    ...wanted.devDependencies,
  };
  for (const [name, version] of Object.entries(all)) {
    assert.match(version, /^\d+\.\d+\.\d+(-[\w.]+)?$/, name);
    assert.equal(lock.packages[`node_modules/${name}`]?.version, version, name);
  }
});

test('"npm run sbom" lists exactly the packages that run in production, with their checksums and who needs them', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['scripts/sbom.ts'], { maxBuffer: 50_000_000 });
  const bom = JSON.parse(stdout);
  assert.deepEqual([bom.bomFormat, bom.specVersion], ['CycloneDX', '1.5']);
  const components: { 'bom-ref': string; name: string; version: string; hashes: { content: string }[] }[] =
    bom.components;
  const production = locked.filter(([, { dev }]) => !dev).map(([path]) => path);
  assert.deepEqual(
    components.map((component) => component['bom-ref']),
    production,
  );
  for (const { name, hashes } of components) assert.match(hashes[0]?.content ?? '', /^[0-9a-f]{128}$/, name);
  assert.ok(components.some(({ name }) => name === 'pg-protocol'));
  // Everything is reached from the root: nothing is listed that nobody needs, and no edge leads nowhere.
  const edges = new Map<string, string[]>(
    bom.dependencies.map(({ ref, dependsOn }: { ref: string; dependsOn: string[] }) => [ref, dependsOn]),
  );
  const reached = new Set<string>();
  const visit = (ref: string): void => {
    if (reached.has(ref)) return;
    reached.add(ref);
    for (const next of edges.get(ref) ?? assert.fail(`${ref} is not listed`)) visit(next);
  };
  visit('toledo');
  const peers = production.filter((path) => !reached.has(path) && !lock.packages[path].peer);
  assert.deepEqual(peers, []);
});
