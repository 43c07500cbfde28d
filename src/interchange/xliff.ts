/**
 * XLIFF 1.2: one `<file>` per chapter, one unit per paragraph. Version 1.2 and not 2.x because that is what the OmegaT of Debian
 * (3.6) opens, and every other tool does too. Inline tags are `<g>` and `<x/>`, which translators can move but not break.
 */
import { type EditedUnit, exportedHash } from '../correction.ts';
import { badRequest } from '../errors.ts';
import { inlineTagsNest, tokenizeInline } from '../inline-tags.ts';
import {
  type AboutBook,
  type BookWriter,
  type InterchangeBook,
  type InterchangeUnit,
  type UnitState,
  writeWhole,
} from './interchange-book.ts';
import { type InterchangeLanguages, sameLanguage } from './interchange-languages.ts';
import { localName, readXml, xmlAttribute, xmlText } from './xml.ts';

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
const exportedMark = 'exported:';

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

/** The tag that an inline element stands for. */
const inlineTags: ReadonlyMap<string, string> = new Map([
  ['g', '<n>'],
  ['x', '<n/>'],
  ['bx', '<n>'],
  ['ex', '</n>'],
]);

/** What 1.2 calls a target that nobody needs to look at any more. */
const finalStates: ReadonlySet<string> = new Set(['final', 'signed-off']);

/** The units of an XLIFF 1.2 file, inline elements back as numbered tags. @throws BAD_REQUEST */
export async function readXliff(xml: string, languages: InterchangeLanguages): Promise<EditedUnit[]> {
  const units: EditedUnit[] = [];
  let unit: EditedUnit | undefined;
  let part: 'source' | 'target' | undefined;
  /** `alt-trans` holds proposals with sources and targets of their own. */
  let aside = 0;
  let otherLanguages = false;
  /** What closes each open inline element; undefined for one that was only a frame. */
  const closing: (string | undefined)[] = [];
  await readXml(xml, {
    open({ name, attributes }) {
      const element = localName(name);
      if (element === 'alt-trans' || aside > 0) aside += 1;
      if (aside > 0) return;
      if (element === 'xliff' && !/^1\./.test(attributes.version ?? '1.2')) {
        const message = 'This is XLIFF of another version; send XLIFF 1.2, or TMX.';
        throw badRequest(message, { field: 'file', reason: 'UNSUPPORTED_FORMAT' });
      } else if (element === 'file') {
        otherLanguages = !isPair(attributes, languages);
      } else if (element === 'trans-unit') {
        const fault = otherLanguages ? ({ fault: 'OTHER_LANGUAGES' } as const) : {};
        const final = attributes.approved === 'yes' ? ({ isFinal: true } as const) : {};
        unit = { id: attributes.id, source: '', target: '', ...exportedIn(attributes.extradata), ...final, ...fault };
      } else if (unit && part === undefined && (element === 'source' || element === 'target')) {
        part = element;
        if (element === 'target' && finalStates.has(attributes.state ?? '')) unit.isFinal = true;
      } else if (unit && part !== undefined) {
        const { id = '' } = attributes;
        const tag = /^\d{1,6}$/.test(id) ? inlineTags.get(element) : undefined;
        if (tag !== undefined) unit[part] += tag.replace('n', id);
        else if (element !== 'mrk') unit.fault = 'UNKNOWN_MARKUP';
        closing.push(tag && element === 'g' ? `</${id}>` : undefined);
      }
    },
    close(element) {
      if (aside > 0) {
        aside -= 1;
      } else if (element === 'trans-unit' && unit) {
        units.push(unit);
        unit = undefined;
      } else if (part !== undefined && element === part && closing.length === 0) {
        part = undefined;
      } else if (unit && part !== undefined) {
        unit[part] += closing.pop() ?? '';
      }
    },
    text(text) {
      if (unit && part !== undefined && aside === 0) unit[part] += text;
    },
  });
  return units;
}

function exportedIn(extradata: string | undefined): Pick<EditedUnit, 'exported'> {
  return extradata?.startsWith(exportedMark) ? { exported: extradata.slice(exportedMark.length) } : {};
}

/** What a file does not say is not held against it. */
function isPair(attributes: Record<string, string>, { sourceLang, targetLang }: InterchangeLanguages): boolean {
  const agrees = (given: string | undefined, wanted: string | undefined): boolean =>
    given === undefined || wanted === undefined || sameLanguage(given, wanted);
  return agrees(attributes['source-language'], sourceLang) && agrees(attributes['target-language'], targetLang);
}
