/** Elements of the package and the NCX whose text is shown to readers. */
import { countCharacters } from '../document.ts';
import { childElements, elementsOf, type MarkupElement, textOf } from '../markup/markup.ts';
import type { SkipTally } from '../skip-tally.ts';

/** `dc:title`, and `dc:description` unless it is markup in disguise. */
export function packageLabels(root: MarkupElement): MarkupElement[] {
  return [...elementsOf(root)].filter((element) => {
    const { name } = element;
    return name === 'dc:title' || (name === 'dc:description' && !/[<>]|\n\s*\n/.test(textOf(element)));
  });
}

/** Labels of chapters and the title; not the author. */
export function ncxLabels(root: MarkupElement): MarkupElement[] {
  return [...elementsOf(root)].filter((element) => {
    const parent = element.parent?.name;
    return element.name === 'text' && (parent === 'navLabel' || parent === 'docTitle');
  });
}

/** Where the chapter of a label is; undefined for the title of the book. */
export function ncxTarget(label: MarkupElement): string | undefined {
  const point = label.parent?.parent;
  return point === undefined ? undefined : childElements(point, 'content')[0]?.attributes.src;
}

/** Accounts for all text outside the labels. */
export function skipOtherText(root: MarkupElement, labels: readonly MarkupElement[], skipped: SkipTally): void {
  const known = new Set(labels);
  const stack: MarkupElement[] = [root];
  for (let element = stack.pop(); element !== undefined; element = stack.pop()) {
    if (known.has(element)) continue;
    for (const child of element.children) {
      if (child.kind === 'element') stack.push(child);
      else skipped.add(child.text.trim() === '' ? 'whitespace' : 'metadata', countCharacters(child.text));
    }
  }
}
