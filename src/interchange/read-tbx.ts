/** A term base as TBX: ours (ISO 30042:2019), and the older form with `martif`, `termEntry` and `langSet`. */
import { termTypes } from '../term.ts';
import { type InterchangeLanguages, pairIn } from './interchange-languages.ts';
import { decodedXml, localName, readXml } from './read-xml.ts';

/** One concept as the entry of a glossary. */
export interface TermEntry {
  /** Both empty where the concept has no term in that language. */
  source: string;
  target: string;
  type?: string;
  gender?: string;
  aliases?: string[];
  note?: string;
}

interface Section {
  lang: string;
  terms: string[];
}

/** The parts that hold text of interest; everything else is passed over. */
const textElements = new Set(['term', 'note', 'descrip', 'termNote']);

/** @throws BAD_REQUEST */
export async function readTbx(
  bytes: Uint8Array,
  { sourceLang, targetLang }: InterchangeLanguages,
): Promise<TermEntry[]> {
  const entries: TermEntry[] = [];
  let declared = sourceLang;
  let sections: Section[] | undefined;
  let facts: { type?: string | undefined; gender?: string | undefined; note?: string } = {};
  let text: { element: string; kind: string; value: string } | undefined;
  const keep = ({ element, kind, value: raw }: { element: string; kind: string; value: string }): void => {
    const value = raw.replace(/\s+/g, ' ').trim();
    if (value === '') return;
    if (element === 'term') sections?.at(-1)?.terms.push(value);
    else if (element === 'note') facts.note ??= value;
    else if (kind === 'subjectField') facts.type ??= termTypes.find((type) => type === value.toLowerCase());
    else if (kind === 'grammaticalGender') facts.gender ??= genders[value];
  };
  await readXml(decodedXml(bytes), {
    open({ name, attributes }) {
      const element = localName(name);
      if (element === 'tbx' || element === 'martif') declared ??= attributes['xml:lang'];
      else if (element === 'conceptEntry' || element === 'termEntry') [sections, facts] = [[], {}];
      else if (element === 'langSec' || element === 'langSet')
        sections?.push({ lang: attributes['xml:lang'] ?? '', terms: [] });
      else if (sections && textElements.has(element)) text = { element, kind: attributes.type ?? '', value: '' };
    },
    close(element) {
      if (text?.element === element) {
        keep(text);
        text = undefined;
      } else if (sections && (element === 'conceptEntry' || element === 'termEntry')) {
        entries.push({ ...entryOf(sections, { sourceLang: declared, targetLang }), ...facts });
        sections = undefined;
      }
    },
    text(value) {
      if (text) text.value += value;
    },
  });
  return entries;
}

const genders: Partial<Record<string, string>> = { masculine: 'male', feminine: 'female', neuter: 'neutral' };

/** The first term of each language is the term, the others of the source language are other forms of it. */
function entryOf(sections: readonly Section[], languages: InterchangeLanguages): TermEntry {
  const { source, target } = pairIn(sections, languages);
  const [first = '', ...aliases] = source?.terms ?? [];
  return { source: first, target: target?.terms[0] ?? '', ...(aliases.length === 0 ? {} : { aliases }) };
}
