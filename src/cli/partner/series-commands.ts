/** Series from the partner's side: stories that go on, their terms and their corrections. */
import type { Correction, Series, SeriesTermPage, Sheet, TermsToSet, Toledo } from '../../../client/src/index.ts';
import { flag, limitOption, option, requiredText, UsageError } from '../command.ts';
import { fields, printAnswer, printJson, table } from '../output.ts';
import { fromJson, isObject, number, optionalCount, partnerCommands, readText } from './partner-command.ts';

export const partnerSeriesCommands = partnerCommands({
  'series create TITLE': {
    options: {
      to: option('LANG', 'language to translate into, such as en'),
      from: option('LANG', 'language of the story; detected when left out'),
      style: option('TEXT', 'how the translation shall read'),
    },
    summary: 'Create a series: its later books pay only for what is new.',
    examples: ['series create "The Ferry House" --to fr'],
    async run(args, toledo) {
      const [title = ''] = args.positionals;
      const { from: source_lang, style } = args.options;
      const target_lang = requiredText(args, 'to', 'en');
      const series = await toledo.createSeries({ title, target_lang, source_lang, style });
      printAnswer(args, series, fields({ Series: series.series_id }));
    },
  },

  'series list': {
    options: limitOption,
    summary: 'List your series, newest first.',
    examples: ['series list'],
    async run(args, toledo) {
      const page = await toledo.listSeries({ limit: optionalCount(args, 'limit') ?? 20 });
      printAnswer(args, page, table(seriesHeadings, page.series.map(seriesRow)));
    },
  },

  'series show SERIES': {
    summary: 'Show a series with what it holds.',
    examples: ['series show ser_n7121r6nn9dy8qdwpzkv720ew8'],
    async run(args, toledo) {
      const series = await toledo.getSeries(args.positionals[0] ?? '');
      const { counts } = series;
      const words = fields({
        Title: series.title,
        Languages: pairOf(series),
        Style: series.style,
        Created: series.created_at.slice(0, 16).replace('T', ' '),
        Tasks: counts?.tasks,
        Terms: counts?.terms,
        Remembered:
          counts &&
          `${number(counts.remembered_paragraphs)} paragraphs, ${number(counts.remembered_characters)} characters`,
      });
      printAnswer(args, series, words);
    },
  },

  'series terms SERIES': {
    options: {
      set: option('FILE', 'set the terms of a JSON, CSV or TBX file'),
      remove: option('SOURCE', 'remove the term with this source'),
    },
    summary: 'List the terms of a series, or change them.',
    examples: ['series terms ser_n7121r6nn9dy8qdwpzkv720ew8 --set terms.csv'],
    async run(args, toledo) {
      const [series = ''] = args.positionals;
      const { set: file, remove: source } = args.options;
      if (file !== undefined && source !== undefined) throw new UsageError('Give --set or --remove, not both.');
      if (file !== undefined) {
        const set = await toledo.setSeriesTerms(series, await readTerms(file));
        return printAnswer(args, set, fields({ Set: `${number(set.terms)} terms` }));
      }
      if (source !== undefined) {
        await toledo.deleteSeriesTerm(series, source);
        return printAnswer(args, { source }, fields({ Removed: source }));
      }
      const terms = await allTerms(toledo, series);
      const rows = terms.map((term) => [term.source, term.target, term.type, term.origin, term.occurrences]);
      printAnswer(args, { terms }, table(['SOURCE', 'TARGET', 'TYPE', 'ORIGIN', 'OCCURRENCES'], rows));
    },
  },

  'series sheet SERIES': {
    options: { set: option('FILE', 'put a JSON file in its place') },
    summary: 'Show how a series is translated, as JSON.',
    examples: ['series sheet ser_n7121r6nn9dy8qdwpzkv720ew8 --set sheet.json'],
    async run(args, toledo) {
      const [series = ''] = args.positionals;
      const { set: file } = args.options;
      const { sheet } =
        file === undefined
          ? await toledo.getSeriesSheet(series)
          : await toledo.setSeriesSheet(series, await readJson(file));
      printJson(sheet);
    },
  },

  'series correct SERIES FILE': {
    options: { replace: flag('also overwrite what others have corrected since') },
    summary: 'Send back corrections: an edited XLIFF or TMX file, or JSON [{"source", "target"}].',
    examples: ['series correct ser_n7121r6nn9dy8qdwpzkv720ew8 novel.en.xliff'],
    async run(args, toledo) {
      const [series = '', file = ''] = args.positionals;
      const options = args.flags.replace ? { on_conflict: 'replace' as const } : {};
      const result = await toledo.correctSeries(series, await readCorrections(file), options);
      const { taken, unchanged, refused, conflicting } = result;
      const conflicts = [
        `In conflict  ${number(conflicting)}, corrected by others meanwhile and left as they are (--replace takes yours)`,
        ...result.conflicts.flatMap(({ unit, current, sent }) => [
          `  ${unit}`,
          `    now:  ${current}`,
          `    sent: ${sent}`,
        ]),
      ];
      const words = [
        fields({ Taken: taken, Unchanged: unchanged, Refused: refused }),
        ...result.refusals.map(({ index, unit, reason }) => `  ${unit ?? `number ${index + 1}`}: ${reason}`),
        ...(conflicting > 0 ? conflicts : []),
        ...result.terms.map(({ source, target }) => `Term         ${source} → ${target}`),
      ];
      printAnswer(args, result, words.join('\n'));
    },
  },

  'series update SERIES': {
    options: {
      title: option('TEXT', 'the new title'),
      style: option('TEXT', 'how it shall read; another style makes every paragraph new'),
    },
    summary: 'Change the title or the style.',
    examples: ['series update ser_n7121r6nn9dy8qdwpzkv720ew8 --title "The Ferry House"'],
    async run(args, toledo) {
      const { title, style } = args.options;
      if (title === undefined && style === undefined) throw new UsageError('Name what to change: --title or --style.');
      const changes = { title, style: style === '' ? null : style };
      const series = await toledo.updateSeries(args.positionals[0] ?? '', changes);
      printAnswer(args, series, table(seriesHeadings, [seriesRow(series)]));
    },
  },

  'series delete SERIES': {
    summary: 'Delete a series with its terms and everything it remembers; its tasks stay.',
    examples: ['series delete ser_n7121r6nn9dy8qdwpzkv720ew8'],
    async run(args, toledo) {
      const [series_id = ''] = args.positionals;
      await toledo.deleteSeries(series_id);
      printAnswer(args, { series_id }, fields({ Deleted: series_id }));
    },
  },
});

export const seriesHeadings = ['SERIES', 'LANGUAGES', 'CREATED', 'TITLE'];

export function seriesRow(series: Pick<Series, 'series_id' | 'source_lang' | 'target_lang' | 'created_at' | 'title'>) {
  return [series.series_id, pairOf(series), series.created_at.slice(0, 10), series.title];
}

function pairOf({ source_lang, target_lang }: Pick<Series, 'source_lang' | 'target_lang'>): string {
  return `${source_lang ?? 'any'} → ${target_lang}`;
}

/** @throws UsageError */
async function readJson(path: string): Promise<Sheet> {
  const value = fromJson(await readText(path));
  if (value === undefined) throw new UsageError(`"${path}" is not JSON.`);
  return value as Sheet;
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

function isJson(file: string): boolean {
  return /\.json$/i.test(file);
}

function parsed(file: string, text: string): object {
  const value = fromJson(text);
  if (isObject(value)) return value;
  throw new UsageError(`"${file}" is not a JSON object or list.`);
}
