import type { EditedUnit } from '../correction.ts';
import { badRequest } from '../errors.ts';
import { type InterchangeLanguages, sameLanguage } from './interchange-languages.ts';
import { localName, readXml } from './read-xml.ts';
import { exportedMark } from './write-xliff.ts';

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
