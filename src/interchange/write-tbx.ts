/** TBX-Basic (ISO 30042): the names and terms of a book, one concept each. */
import type { Term } from '../term.ts';
import { xmlAttribute, xmlText } from './xml-text.ts';

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
