/** References between the parts of a book. */
import { resolvePath } from '../archive/archive-names.ts';

export interface Reference {
  /** Name of the archive entry. */
  path: string;
  fragment: string | undefined;
}

/** Where `href`, written in the part `base`, leads inside the book; undefined for other places. */
export function resolveReference(base: string, href: string): Reference | undefined {
  const trimmed = href.trim();
  if (/^[a-z][a-z0-9+.-]*:/i.test(trimmed) || trimmed.startsWith('//')) return undefined;
  const hash = trimmed.indexOf('#');
  const target = (hash < 0 ? trimmed : trimmed.slice(0, hash)).split('?')[0] ?? '';
  const fragment = hash < 0 ? undefined : decode(trimmed.slice(hash + 1));
  if (target === '') return { path: base, fragment };
  return { path: resolvePath(base, decode(target)), fragment };
}

/** The reference to `path` as written in the part `base`. */
export function relativeReference(base: string, path: string): string {
  const from = base.split('/').slice(0, -1);
  const to = path.split('/');
  let same = 0;
  while (same < from.length && same < to.length - 1 && from[same] === to[same]) same++;
  const steps = [...from.slice(same).map(() => '..'), ...to.slice(same).map(encodeURIComponent)];
  return steps.join('/');
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
