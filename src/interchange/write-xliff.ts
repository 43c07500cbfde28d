/**
 * XLIFF 1.2: one `<file>` per chapter, one unit per paragraph. Version 1.2 and not 2.x because that is what the OmegaT of Debian
 * (3.6) opens, and every other tool does too. Inline tags are `<g>` and `<x/>`, which translators can move but not break.
 */
import { exportedHash } from '../correction.ts';
import { inlineTagsNest, tokenizeInline } from '../inline-tags.ts';
import {
  type AboutBook,
  type BookWriter,
  type InterchangeBook,
  type InterchangeUnit,
  type UnitState,
  writeWhole,
} from './interchange-book.ts';
import { xmlAttribute, xmlText } from './xml-text.ts';

export function writeXliff(book: InterchangeBook): string {
  return writeWhole(xliffWriter(book), book.chapters);
}

export function xliffWriter({ fileName, sourceLang, targetLang }: AboutBook): BookWriter {
  const languages = `source-language="${xmlAttribute(sourceLang)}" target-language="${xmlAttribute(targetLang)}"`;
  return {
    begin: () =>
      '<?xml version="1.0" encoding="UTF-8"?>\n<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2">\n',
    beginChapter: (
      title,
      number,
    ) => `  <file original="${xmlAttribute(fileName)}#${String(number).padStart(3, '0')}" ${languages} datatype="plaintext">
    <header>${title === undefined ? '' : `<note>${xmlText(title)}</note>`}</header>
    <body>
`,
    units: (units) => units.map((unit) => `${unitElement(unit)}\n`).join(''),
    endChapter: () => '    </body>\n  </file>\n',
    end: () => '</xliff>\n',
  };
}

const states: Record<UnitState, string> = {
  translated: 'translated',
  untranslated: 'needs-translation',
  review: 'needs-review-translation',
  final: 'final',
};

/** In `extradata`, which the format has for the tool that made the file, and which tools of editors leave as it is. */
export const exportedMark = 'exported:';

function unitElement({ id, source, target, state, notes }: InterchangeUnit): string {
  const said = notes.map((note) => `\n        <note from="Toledo">${xmlText(note)}</note>`).join('');
  return `      <trans-unit id="${xmlAttribute(id)}" extradata="${exportedMark}${exportedHash(target)}" xml:space="preserve"${state === 'final' ? ' approved="yes"' : ''}>
        <source>${inlineElements(source)}</source>
        <target state="${states[state]}">${inlineElements(target)}</target>${said}
      </trans-unit>`;
}

function inlineElements(text: string): string {
  const nests = inlineTagsNest(text);
  return tokenizeInline(text)
    .map((token) => {
      if (token.kind === 'text') return xmlText(token.text);
      if (token.kind === 'standalone') return `<x id="${token.number}"/>`;
      // Tags that overlap cannot be elements around text; a pair of empty ones says the same.
      if (!nests) return `<${token.kind === 'open' ? 'bx' : 'ex'} id="${token.number}"/>`;
      return token.kind === 'open' ? `<g id="${token.number}">` : '</g>';
    })
    .join('');
}
