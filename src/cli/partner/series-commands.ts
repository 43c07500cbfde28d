/** Series from the partner's side: stories that go on, their terms and their corrections. */
import { readFile } from 'node:fs/promises';
import type { Correction, Series, SeriesTermPage, Sheet, TermsToSet, Toledo } from '../../../client/src/index.ts';
import { limitOption, optionalText, requiredText, UsageError } from '../command.ts';
import { printJson, printLine, printTable } from '../output.ts';
import { number, optionalCount, partnerCommand, readableFile } from './partner-command.ts';

const createCommand = partnerCommand({
  name: 'series create',
  positionals: ['TITLE'],
  options: {
    to: { type: 'string', value: 'LANG', about: 'language to translate into, such as en' },
    from: { type: 'string', value: 'LANG', about: 'language of the story; detected when left out' },
    style: { type: 'string', value: 'TEXT', about: 'how the translation shall read' },
  },
  summary: 'Create a series: its later books pay only for what is new.',
  examples: ['series create "The Ferry House" --to fr'],
  async run(args, toledo) {
    const series = await toledo.createSeries({
      title: args.positionals[0] as string,
      target_lang: requiredText(args, 'to', 'en'),
      source_lang: optionalText(args, 'from'),
      style: optionalText(args, 'style'),
    });
    if (args.json) return printJson(series);
    printLine(`Series       ${series.series_id}`);
  },
});

const listCommand = partnerCommand({
  name: 'series list',
  positionals: [],
  options: limitOption,
  summary: 'List your series, newest first.',
  examples: ['series list'],
  async run(args, toledo) {
    const page = await toledo.listSeries({ limit: optionalCount(args, 'limit') ?? 20 });
    if (args.json) return printJson(page);
    printTable(seriesHeadings, page.series.map(seriesRow));
  },
});

const showCommand = partnerCommand({
  name: 'series show',
  positionals: ['SERIES'],
  options: {},
  summary: 'Show a series with what it holds.',
  examples: ['series show ser_n7121r6nn9dy8qdwpzkv720ew8'],
  async run(args, toledo) {
    const series = await toledo.getSeries(args.positionals[0] as string);
    if (args.json) return printJson(series);
    printLine(`Title        ${series.title}`);
    printLine(`Languages    ${pairOf(series)}`);
    if (series.style !== null) printLine(`Style        ${series.style}`);
    printLine(`Created      ${series.created_at.slice(0, 16).replace('T', ' ')}`);
    const { counts } = series;
    if (!counts) return;
    printLine(`Tasks        ${number(counts.tasks)}`);
    printLine(`Terms        ${number(counts.terms)}`);
    printLine(
      `Remembered   ${number(counts.remembered_paragraphs)} paragraphs, ${number(counts.remembered_characters)} characters`,
    );
  },
});

const termsCommand = partnerCommand({
  name: 'series terms',
  positionals: ['SERIES'],
  options: {
    set: { type: 'string', value: 'FILE', about: 'set the terms of a JSON, CSV or TBX file' },
    remove: { type: 'string', value: 'SOURCE', about: 'remove the term with this source' },
  },
  summary: 'List the terms of a series, or change them.',
  examples: ['series terms ser_n7121r6nn9dy8qdwpzkv720ew8 --set terms.csv'],
  async run(args, toledo) {
    const series = args.positionals[0] as string;
    const [file, source] = [optionalText(args, 'set'), optionalText(args, 'remove')];
    if (file !== undefined && source !== undefined) throw new UsageError('Give --set or --remove, not both.');
    if (file !== undefined) {
      const set = await toledo.setSeriesTerms(series, await readTerms(file));
      return args.json ? printJson(set) : printLine(`Set          ${number(set.terms)} terms`);
    }
    if (source !== undefined) {
      await toledo.deleteSeriesTerm(series, source);
      return args.json ? printJson({ source }) : printLine(`Removed      ${source}`);
    }
    const terms = await allTerms(toledo, series);
    if (args.json) return printJson({ terms });
    printTable(
      ['SOURCE', 'TARGET', 'TYPE', 'ORIGIN', 'OCCURRENCES'],
      terms.map((term) => [term.source, term.target, term.type, term.origin, term.occurrences]),
    );
  },
});

const sheetCommand = partnerCommand({
  name: 'series sheet',
  positionals: ['SERIES'],
  options: { set: { type: 'string', value: 'FILE', about: 'put a JSON file in its place' } },
  summary: 'Show how a series is translated, as JSON.',
  examples: ['series sheet ser_n7121r6nn9dy8qdwpzkv720ew8 --set sheet.json'],
  async run(args, toledo) {
    const series = args.positionals[0] as string;
    const file = optionalText(args, 'set');
    const { sheet } =
      file === undefined
        ? await toledo.getSeriesSheet(series)
        : await toledo.setSeriesSheet(series, await readJson(file));
    printJson(sheet);
  },
});

/** @throws UsageError */
async function readJson(path: string): Promise<Sheet> {
  const text = await readFile(await readableFile(path), 'utf8');
  try {
    return JSON.parse(text) as Sheet;
  } catch {
    throw new UsageError(`"${path}" is not JSON.`);
  }
}

const correctCommand = partnerCommand({
  name: 'series correct',
  positionals: ['SERIES', 'FILE'],
  options: { replace: { type: 'boolean', about: 'also overwrite what others have corrected since' } },
  summary: 'Send back corrections: an edited XLIFF or TMX file, or JSON [{"source", "target"}].',
  examples: ['series correct ser_n7121r6nn9dy8qdwpzkv720ew8 novel.en.xliff'],
  async run(args, toledo) {
    const [series, file] = args.positionals as [string, string];
    const options = args.options.replace === true ? { on_conflict: 'replace' as const } : {};
    const result = await toledo.correctSeries(series, await readCorrections(file), options);
    if (args.json) return printJson(result);
    printLine(`Taken        ${number(result.taken)}`);
    printLine(`Unchanged    ${number(result.unchanged)}`);
    printLine(`Refused      ${number(result.refused)}`);
    for (const { index, unit, reason } of result.refusals) printLine(`  ${unit ?? `number ${index + 1}`}: ${reason}`);
    if (result.conflicting > 0) {
      printLine(
        `In conflict  ${number(result.conflicting)}, corrected by others meanwhile and left as they are (--replace takes yours)`,
      );
      for (const { unit, current, sent } of result.conflicts) {
        printLine(`  ${unit}`);
        printLine(`    now:  ${current}`);
        printLine(`    sent: ${sent}`);
      }
    }
    for (const { source, target } of result.terms) printLine(`Term         ${source} → ${target}`);
  },
});

const updateCommand = partnerCommand({
  name: 'series update',
  positionals: ['SERIES'],
  options: {
    title: { type: 'string', value: 'TEXT', about: 'the new title' },
    style: { type: 'string', value: 'TEXT', about: 'how it shall read; another style makes every paragraph new' },
  },
  summary: 'Change the title or the style.',
  examples: ['series update ser_n7121r6nn9dy8qdwpzkv720ew8 --title "The Ferry House"'],
  async run(args, toledo) {
    const [title, style] = [optionalText(args, 'title'), optionalText(args, 'style')];
    if (title === undefined && style === undefined) throw new UsageError('Name what to change: --title or --style.');
    const series = await toledo.updateSeries(args.positionals[0] as string, {
      title,
      style: style === '' ? null : style,
    });
    if (args.json) return printJson(series);
    printTable(seriesHeadings, [seriesRow(series)]);
  },
});

const deleteCommand = partnerCommand({
  name: 'series delete',
  positionals: ['SERIES'],
  options: {},
  summary: 'Delete a series with its terms and everything it remembers; its tasks stay.',
  examples: ['series delete ser_n7121r6nn9dy8qdwpzkv720ew8'],
  async run(args, toledo) {
    const series_id = args.positionals[0] as string;
    await toledo.deleteSeries(series_id);
    if (args.json) return printJson({ series_id });
    printLine(`Deleted      ${series_id}`);
  },
});

export const seriesHeadings = ['SERIES', 'LANGUAGES', 'CREATED', 'TITLE'];

export function seriesRow(series: Pick<Series, 'series_id' | 'source_lang' | 'target_lang' | 'created_at' | 'title'>) {
  return [series.series_id, pairOf(series), series.created_at.slice(0, 10), series.title];
}

function pairOf({ source_lang, target_lang }: Pick<Series, 'source_lang' | 'target_lang'>): string {
  return `${source_lang ?? 'any'} → ${target_lang}`;
}

async function allTerms(toledo: Toledo, series: string): Promise<SeriesTermPage['terms']> {
  const terms: SeriesTermPage['terms'] = [];
  let cursor: string | undefined;
  do {
    const page = await toledo.listSeriesTerms(series, { limit: 100, cursor });
    terms.push(...page.terms);
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return terms;
}

/** JSON as the API takes it, or as `glossary` writes it. @throws UsageError */
async function readTerms(file: string): Promise<TermsToSet['terms'] | string> {
  const text = await readText(file);
  if (!isJson(file)) return text;
  const value = parsed(file, text);
  if (Array.isArray(value)) return value as TermsToSet['terms'];
  if ('terms' in value && Array.isArray(value.terms)) return value.terms as TermsToSet['terms'];
  return Object.entries(value).map(([source, entry]) => ({
    source,
    ...(typeof entry === 'string' ? { target: entry } : (entry as { target: string })),
  }));
}

async function readCorrections(file: string): Promise<Correction[] | string> {
  const text = await readText(file);
  return isJson(file) ? (parsed(file, text) as Correction[]) : text;
}

/** Tools on Windows write UTF-16. */
async function readText(file: string): Promise<string> {
  const bytes = await readFile(await readableFile(file));
  const encoding = bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : bytes[0] === 0xfe ? 'utf-16be' : 'utf-8';
  return new TextDecoder(encoding).decode(bytes);
}

function isJson(file: string): boolean {
  return /\.json$/i.test(file);
}

function parsed(file: string, text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value;
  } catch {
    // The one answer for everything that is not JSON of this kind.
  }
  throw new UsageError(`"${file}" is not a JSON object or list.`);
}

export const partnerSeriesCommands = [
  createCommand,
  listCommand,
  showCommand,
  termsCommand,
  sheetCommand,
  correctCommand,
  updateCommand,
  deleteCommand,
];
