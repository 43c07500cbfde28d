/**
 * Labels repeat headings: a table of contents, the title of a page or of the book. One that equals a block's text takes
 * that block's translation; any other is a block of its own, once however often it stands.
 */
import { stripInlineTags } from '../../inline-tags.ts';
import { plainLine } from '../assemble-document.ts';
import { type Block, countCharacters, type Translations } from '../document.ts';
import type { SkipTally } from '../skip-tally.ts';

/** No label is longer; paragraphs need not be looked at. */
const maxLabelLength = 160;

export class LabelIndex {
  #ids = new Map<string, { id: string; isHeading: boolean }>();

  add(block: Pick<Block, 'id' | 'kind' | 'text'>): void {
    if (block.text.length > maxLabelLength) return;
    const key = plainLine(block.text);
    const known = this.#ids.get(key);
    const isHeading = block.kind === 'heading';
    if (known === undefined || (isHeading && !known.isHeading)) this.#ids.set(key, { id: block.id, isHeading });
  }

  has(text: string): boolean {
    return this.#ids.has(plainLine(text));
  }

  /** The id of the block whose text the label repeats. */
  idOf(text: string): string | undefined {
    return this.#ids.get(plainLine(text))?.id;
  }
}

/** The text of a label as it is counted and shown: one line. */
export function labelText(raw: string): string {
  return raw.replace(/\s+/g, ' ').trim();
}

/**
 * Takes a label found while reading: it repeats a known text, becomes a block (returned), or holds no words.
 * `raw` is its text as it stands, so that every character is accounted for.
 */
export function takeLabel(raw: string, index: LabelIndex, skipped: SkipTally): Omit<Block, 'id'> | undefined {
  const text = labelText(raw);
  const characters = countCharacters(text);
  skipped.add('whitespace', countCharacters(raw) - characters);
  if (index.has(text)) skipped.add('repeats-heading', characters);
  // A label that looks like an inline tag is left alone: it has no markup that could carry it.
  else if (stripInlineTags(text) !== text) skipped.add('metadata', characters);
  else if (!/\p{L}/u.test(text)) skipped.add('separator', characters);
  else {
    const block = { kind: 'label', text, characters } as const;
    index.add({ id: '', ...block });
    return block;
  }
  return undefined;
}

/** What a label becomes: the translation of the block it repeats, on one line and without markup. Undefined when it keeps its text. */
export function labelTranslator(
  labels: LabelIndex,
  translations: Translations,
  variant: 'translated' | 'bilingual',
): (raw: string) => string | undefined {
  // Bilingual labels show both, as a contents list has one line for each.
  return (raw) => {
    const source = labelText(raw);
    const id = labels.idOf(source);
    const translation = id === undefined ? undefined : translations.get(id);
    if (translation === undefined) return undefined;
    const text = plainLine(translation);
    if (text === '' || text === source) return undefined;
    return variant === 'bilingual' ? `${source} — ${text}` : text;
  };
}
