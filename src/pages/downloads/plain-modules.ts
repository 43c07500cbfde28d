/** Programs of ours as plain JavaScript: types taken out, as Node does when it runs them. */
import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';

const relativeImport = /(\bfrom\s*|\bimport\s*\(?\s*)'(\.[^']+)\.ts'/g;

/** An entry file and everything it imports by relative path, by path below the root. @throws when it needs a package */
export function plainModules(entry: string, root: URL): Map<string, string> {
  const modules = new Map<string, string>();
  const waiting = [entry];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    const name = path.replace(/\.ts$/, '.js');
    if (modules.has(name)) continue;
    const url = new URL(path, root);
    const script = stripTypeScriptTypes(readFileSync(url, 'utf8'));
    const foreign = /^(?:import|export)\b[^'";]*\bfrom\s+'(?!\.|node:)([^']+)'/m.exec(script);
    if (foreign) throw new Error(`${path} needs the package ${foreign[1]}.`);
    for (const [, , target] of script.matchAll(relativeImport))
      waiting.push(new URL(`${target}.ts`, url).href.slice(root.href.length));
    modules.set(name, script.replace(relativeImport, "$1'$2.js'"));
  }
  return modules;
}
