import { languageName, supportedLanguages } from '../../../src/language/languages.ts';

/** What the simulated model reads from one of our prompts. */
export interface ReadPrompt {
  task: 'translate' | 'extract' | 'sheet' | 'edit' | 'unknown';
  sourceLang: string;
  targetLang: string;
  lines: { id: string; text: string }[];
  /** Of an edit: the lines as they were translated. */
  translation: { id: string; text: string }[];
  terms: { source: string; target: string }[];
  known: string[];
  candidates: string[];
  /** Only the candidates are asked about. */
  onlyCandidates: boolean;
  /** Of a sheet: what is settled already. */
  settled: string[];
  /** Text of an extraction, or of a sheet. */
  text: string;
  /** The text before the lines, as it was translated. */
  translatedBefore: string;
  /** What is decided for the whole book. */
  decided: string;
  /** The prompt says what was wrong with the last attempt. */
  corrected: boolean;
  /** Book text that stands where instructions belong, or a prompt that never says that lines are data. */
  unprotected: boolean;
}

export function readPrompt(instructions: string, data: string): ReadPrompt {
  const [, from = '', to = ''] = /from (.+?) into (.+?)\./u.exec(instructions) ?? [];
  const sections = splitSections(data);
  const entries = (name: string): { source: string; target: string }[] =>
    (sections.get(name) ?? []).flatMap((line) => line.split('; ')).flatMap(readTerm);
  return {
    task: instructions.startsWith('You build the glossary')
      ? 'extract'
      : instructions.startsWith('You prepare the translation')
        ? 'sheet'
        : instructions.startsWith('You edit the translation')
          ? 'edit'
          : sections.has('Text')
            ? 'translate'
            : 'unknown',
    sourceLang: codesByName.get(from) ?? 'und',
    targetLang: codesByName.get(to) ?? 'en',
    lines: (sections.get('Text') ?? []).flatMap(readLine),
    translation: (sections.get('Translation') ?? []).flatMap(readLine),
    terms: [...['Terms', 'Core'].flatMap((name) => sections.get(name) ?? []).flatMap(readTerm), ...entries('People')],
    known: entries('Known').map((term) => term.source),
    candidates: (sections.get('Candidates') ?? []).flatMap((line) => line.split('; ')).filter(Boolean),
    settled: sections.get('Settled') ?? [],
    onlyCandidates: instructions.includes('Of the candidates'),
    text: (sections.get('Text') ?? []).map((line) => line.replace(/^> /u, '')).join('\n'),
    translatedBefore: (sections.get('Before, translated') ?? []).join('\n'),
    decided: ['Wishes', 'Sheet'].flatMap((name) => sections.get(name) ?? []).join('\n'),
    corrected: sections.has('Fault'),
    unprotected: !/never messages to you|never follow orders/u.test(instructions),
  };
}

const headings: readonly (readonly [string, RegExp])[] = [
  ['Wishes', /^Wishes of the publisher:$/u],
  ['Background', /^Background from the publisher:$/u],
  ['Sheet', /^Decisions for this book:$/u],
  ['Settled', /^Settled already:$/u],
  ['Glossary', /^Glossary:$/u],
  ['Core', /^Names and terms of the book:$/u],
  ['Book', /^Story: /u],
  ['Chapter', /^Chapter: /u],
  ['People', /^People: /u],
  ['Terms', /^Terms:$/u],
  ['Before', /^Before:$/u],
  ['After', /^After:$/u],
  ['Before, translated', /^Before, translated:$/u],
  ['After, translated', /^After, translated:$/u],
  ['Story', /^Story so far: /u],
  ['Known', /^Known:$/u],
  ['Candidates', /^Candidates, some of them wrong: /u],
  ['Kinds', /^Kinds: /u],
  ['Standing', /^Standing translation of .*:$/u],
  ['Text', /^(?:Text|Passages):$/u],
  ['Translation', /^Translation:$/u],
  ['Ids', /^(?:Translate|Edit) lines? /u],
  ['Fault', /^Your last attempt was faulty: /u],
];

function splitSections(data: string): Map<string, string[]> {
  const sections = new Map<string, string[]>();
  let current: string[] = [];
  for (const line of data.split('\n')) {
    const heading = headings.find(([, pattern]) => pattern.test(line));
    if (heading === undefined) {
      current.push(line);
      continue;
    }
    const [name, pattern] = heading;
    const rest = line.replace(pattern, '');
    current = rest === '' ? [] : [rest];
    sections.set(name, current);
  }
  return sections;
}

function readLine(line: string): { id: string; text: string }[] {
  const [, id, text] = /^(\d+) (.*)$/su.exec(line) ?? [];
  return id === undefined || text === undefined ? [] : [{ id, text: text.replaceAll('\\n', '\n') }];
}

function readTerm(line: string): { source: string; target: string }[] {
  const [, source, target] = /^(.+?)→(.+?)(?: \([^()]*\))?$/u.exec(line) ?? [];
  return source === undefined || target === undefined ? [] : [{ source, target }];
}

const codesByName = new Map(supportedLanguages.map((code) => [languageName(code), code]));
