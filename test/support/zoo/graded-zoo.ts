/** Animals that translate well or badly by script, and one that judges them: for what compares engines. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { modelText } from './model.ts';
import type { ZooRequest } from './wire.ts';
import { openZoo, type Resident } from './zoo.ts';

export const good = 'openai';
export const bad = 'mistral';
export const judge = 'anthropic';

export interface GradedZoo {
  enginesFile: string;
  /** How often an animal was asked for something. */
  asked(name: string, task: keyof Resident['tasks']): number;
  /** What a good and a bad translation say at the end of a paragraph. */
  marks: Readonly<Record<string, string>>;
  /** What the judge answers; by merit unless a test says otherwise. */
  verdict: (data: string) => string;
  /** What everybody answers who is asked for a sheet or for edits; their usual answer unless a test says otherwise. */
  sheet: string | undefined;
  edits: string | undefined;
}

/** @param more engines beside the animals */
export async function openGradedZoo(more: readonly object[]): Promise<GradedZoo> {
  const zoo = await openZoo();
  after(() => zoo.stop());
  const animalNames = [good, bad, judge];
  const residents = new Map(animalNames.map((name) => [name, zoo.tell(name, 'plain')]));
  const folder = await mkdtemp(join(tmpdir(), 'toledo-graded-'));
  after(() => rm(folder, { recursive: true, force: true }));
  const enginesFile = join(folder, 'engines.json');
  const animals = zoo.engines.filter(({ name }) => animalNames.includes(name));
  await writeFile(enginesFile, JSON.stringify({ engines: [...animals, ...more] }));
  const graded: GradedZoo = {
    enginesFile,
    asked: (name, task) => residents.get(name)?.tasks[task] ?? 0,
    marks: { [good]: 'Well and truly said.', [bad]: 'So or like that, said.' },
    verdict: (data) => byMerit(data, graded.marks),
    sheet: undefined,
    edits: undefined,
  };
  zoo.answers = (name, request) =>
    request.data.includes('\nTranslation B:\n') ? graded.verdict(request.data) : answered(name, request, graded);
  return graded;
}

/** The answer of the zoo; in a translation with the mark of the animal behind every long paragraph. */
function answered(name: string, request: ZooRequest, { marks, sheet, edits }: GradedZoo): string | undefined {
  const mark = marks[name];
  const { task, text } = modelText(request, 'plain', () => 0);
  if (task === 'sheet') return sheet;
  if (task === 'edit') return edits;
  if (task !== 'translate' || mark === undefined || !text.startsWith('{"t"')) return undefined;
  const { t } = JSON.parse(text) as { t: string[] };
  return JSON.stringify({ t: t.map((line) => (line.length < 100 ? line : `${line} ${mark}`)) });
}

/** The good animal before the bad one, both before words that mean something, and these before words that mean nothing. */
function byMerit(data: string, marks: GradedZoo['marks']): string {
  const [, first = '', second = ''] = /\nTranslation A:\n([\s\S]*)\nTranslation B:\n([\s\S]*)$/u.exec(data) ?? [];
  const [one, other] = [meritOf(first, marks), meritOf(second, marks)];
  return JSON.stringify({ better: one > other ? 'A' : other > one ? 'B' : 'equal' });
}

function meritOf(text: string, marks: GradedZoo['marks']): number {
  if (text.includes(marks[good] ?? '')) return 3;
  if (text.includes(marks[bad] ?? '')) return 2;
  // The sandbox has little words of the language, and never a noun.
  return /\b(?:letter|mill|door|brother|father|lamp|river|water|house|hand|table|watch|key|man|woman|day)s?\b/iu.test(
    text,
  )
    ? 1
    : 0;
}
