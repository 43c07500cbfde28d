/** TBX-Basic (ISO 30042): the names and terms of a book, one concept each. The older form with `martif`, `termEntry` and `langSet` is read too. */
import { type Term, termTypes } from '../term.ts';
import { type InterchangeLanguages, pairIn } from './interchange-languages.ts';
import { decodedXml, localName, readXml, xmlAttribute, xmlText } from './xml.ts';

export function writeTbx(terms: readonly Term[], sourceLang: string, targetLang: string, title: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<tbx type="TBX-Basic" style="dca" xml:lang="${xmlAttribute(sourceLang)}" xmlns="urn:iso:std:iso:30042:ed-2">
  <tbxHeader>
    <fileDesc>
      <titleStmt><title>${xmlText(title)}</title></titleStmt>
      <sourceDesc><p>Names and terms of the book, with the translations used in it.</p></sourceDesc>
    </fileDesc>
  </tbxHeader>
  <text>
    <body>
${terms.map((term, i) => concept(term, i + 1, sourceLang, targetLang)).join('\n')}
    </body>
  </text>
</tbx>
`;
}

const genders: Partial<Record<Term['gender'], string>> = { male: 'masculine', female: 'feminine', neutral: 'neuter' };

function concept(term: Term, number: number, sourceLang: string, targetLang: string): string {
  const gender = genders[term.gender];
  const section = (form: string, isName: boolean) =>
    `        <termSec>
          <term>${xmlText(form)}</term>${isName ? '\n          <termNote type="partOfSpeech">properNoun</termNote>' : ''}${
            gender === undefined ? '' : `\n          <termNote type="grammaticalGender">${gender}</termNote>`
          }
        </termSec>`;
  const isName = ['person', 'place', 'organization'].includes(term.type);
  return `      <conceptEntry id="c${number}">
        <descrip type="subjectField">${xmlText(term.type)}</descrip>${
          term.note === undefined ? '' : `\n        <note>${xmlText(term.note)}</note>`
        }
        <langSec xml:lang="${xmlAttribute(sourceLang)}">
${[term.source, ...term.aliases].map((form) => section(form, isName)).join('\n')}
        </langSec>
        <langSec xml:lang="${xmlAttribute(targetLang)}">
${section(term.target, isName)}
        </langSec>
      </conceptEntry>`;
}

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
    else if (kind === 'grammaticalGender') facts.gender ??= genderNamed(value);
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

function genderNamed(word: string): string | undefined {
  return Object.entries(genders).find((named) => named[1] === word)?.[0];
}

/** The first term of each language is the term, the others of the source language are other forms of it. */
function entryOf(sections: readonly Section[], languages: InterchangeLanguages): TermEntry {
  const { source, target } = pairIn(sections, languages);
  const [first = '', ...aliases] = source?.terms ?? [];
  return { source: first, target: target?.terms[0] ?? '', ...(aliases.length === 0 ? {} : { aliases }) };
}
