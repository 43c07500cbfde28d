/** An editor's paragraphs come back: from now on the series delivers them, whatever its terms or engines say. */
import { isTooLong, tooLong } from '../correction.ts';
import { countCharacters } from '../documents/document.ts';
import { keepsInlineTags, stripInlineTags } from '../inline-tags.ts';
import { Pauses } from '../pauses.ts';
import type { Owner } from '../platform/owner-store.ts';
import type { Db, Trx } from '../platform/postgres.ts';
import {
  anyContext,
  contextAgreement,
  contextAt,
  correctedVariant,
  textKey,
} from '../translation/memory/block-keys.ts';
import type { NewMemory } from '../translation/memory/remember.ts';
import { type CorrectedName, correctedNames, type EditedParagraph } from './corrected-names.ts';
import { findBlocks, forgetCorrections, openMemory, type RememberedRow, rememberBlocks } from './memory-store.ts';
import { type Series, seriesNotFound } from './series.ts';
import { findSeries } from './series-store.ts';
import { lockTermsVersion, putNames, readTerms } from './term-store.ts';

export interface Correction {
  /** Of a unit of a file. */
  id?: string | undefined;
  /** The paragraph of the source, with its inline tags or without any. */
  source: string;
  target: string;
  /** Why the file that it comes from cannot be used here. */
  fault?: 'UNKNOWN_MARKUP' | 'OTHER_LANGUAGES' | undefined;
}

export const refusalReasons = [
  'EMPTY_TARGET',
  'BAD_TEXT',
  'DAMAGED_TAGS',
  'CORRECTED_TWICE',
  'UNKNOWN_SOURCE',
  'UNKNOWN_MARKUP',
  'OTHER_LANGUAGES',
] as const;
export type RefusalReason = (typeof refusalReasons)[number];

export interface Refusal {
  /** Its place in what was sent, from 0. */
  index: number;
  reason: RefusalReason;
}

export interface CorrectionResult {
  taken: number;
  unchanged: number;
  refused: Refusal[];
  /** Names that are corrected wherever they stand, which are terms of the series now. */
  names: CorrectedName[];
}

const correctionsPerQuestion = 500;
/** A line that stands in more places is corrected in those, or everywhere. */
const placesPerText = 2_000;

/**
 * What is wrong with one correction does not concern the others.
 * @param isFile the paragraphs stand as they do in the book, those that nobody edited among them
 * @throws NOT_FOUND, BAD_REQUEST for a paragraph that is too long
 */
export async function correctSeries(
  db: Db,
  caller: Owner,
  seriesId: string,
  corrections: readonly Correction[],
  { isFile }: { isFile: boolean },
): Promise<CorrectionResult> {
  const series = await findSeries(db, caller, seriesId);
  return await db.transaction().execute(async (trx) => {
    if ((await lockTermsVersion(trx, caller.accountId, seriesId)) === undefined) throw seriesNotFound();
    const memoryId = await openMemory(trx, { ...caller, seriesId });
    if (memoryId === undefined) throw seriesNotFound();
    const sources = corrections.map(({ source }) => source);
    const taking = new Taking(isFile);
    const pauses = new Pauses();
    for (let at = 0; at < corrections.length; at += correctionsPerQuestion) {
      const part: Sent[] = [];
      for (const [i, correction] of corrections.slice(at, at + correctionsPerQuestion).entries()) {
        if (pauses.isDue) await pauses.take();
        const index = at + i;
        const context = isFile ? contextAt(sources, index) : undefined;
        const unit = correction.id ?? `number ${index + 1}`;
        part.push({ ...correction, index, context, unit, text: textKey(correction.source) });
      }
      await takePart(trx, caller.accountId, memoryId, part, taking, pauses);
    }
    await write(trx, memoryId, taking.taken());
    const names = await learnNames(trx, series, taking.paragraphs);
    return { ...taking.result, taken: taking.taken().length, names };
  });
}

interface Sent extends Correction {
  index: number;
  /** What a person finds it by. */
  unit: string;
  /** The key of its source. */
  text: string;
  /** Its place in the file; undefined where it says nothing about its place. */
  context: number | undefined;
}

/** What becomes of the corrections of one request. */
class Taking {
  readonly isFile: boolean;
  readonly result: { unchanged: number; refused: Refusal[] } = { unchanged: 0, refused: [] };
  /** Everything that the series knows, as it was and as it is now. */
  readonly paragraphs: EditedParagraph[] = [];
  readonly #said = new Map<string, NewMemory>();

  constructor(isFile: boolean) {
    this.isFile = isFile;
  }

  taken(): NewMemory[] {
    return [...this.#said.values()];
  }

  /** False when another correction of the same place says something else. */
  take({ source, target }: Correction, text: string, context: number): boolean {
    const place = `${text} ${context}`;
    const there = this.#said.get(place);
    if (there === undefined) this.#said.set(place, memoryOf({ source, target }, text, context));
    return there === undefined || there.target === target;
  }

  /** Whether the same has been said already. */
  has(text: string, context: number, target: string): boolean {
    return this.#said.get(`${text} ${context}`)?.target === target;
  }
}

function memoryOf({ source, target }: Correction, text: string, context: number): NewMemory {
  const characters = countCharacters(stripInlineTags(source));
  return { text, context, variant: correctedVariant, grade: 'corrected', target, characters };
}

async function takePart(
  trx: Trx,
  accountId: string,
  memoryId: number,
  part: readonly Sent[],
  taking: Taking,
  pauses: Pauses,
): Promise<void> {
  const texts = new Set(part.map(({ text }) => text));
  const rows = Map.groupBy(await findBlocks(trx, accountId, memoryId, [...texts], placesPerText), ({ text }) => text);
  for (const correction of part) {
    if (pauses.isDue) await pauses.take();
    const reason = correction.fault ?? takeOne(correction, rows.get(correction.text) ?? [], taking);
    if (reason !== undefined) taking.result.refused.push({ index: correction.index, reason });
  }
}

/** The reason why it is refused. */
function takeOne(sent: Sent, rows: readonly RememberedRow[], taking: Taking): RefusalReason | undefined {
  const { source, target, text } = sent;
  if (rows.length === 0) {
    // In a file such a unit is a separator, or a paragraph that nobody has translated.
    if (!taking.isFile || target !== source) return faultOf(sent) ?? 'UNKNOWN_SOURCE';
    taking.result.unchanged++;
    return undefined;
  }
  const context = placeOf(sent.context, rows);
  const before = deliveredAt(rows, context);
  const isSame = taking.isFile ? before.includes(target) : before.every((each) => each === target);
  if (!isSame && isTooLong(target, source)) throw tooLong(sent.unit, source);
  const fault = isSame ? undefined : faultOf(sent);
  if (fault !== undefined) return fault;
  const isCorrected = rows.some(
    ({ grade, context: at }) => grade === 'corrected' && (at === context || at === anyContext),
  );
  taking.paragraphs.push({ source, before, after: target, corrected: !isSame || isCorrected });
  if (isSame || taking.has(text, context, target)) taking.result.unchanged++;
  else if (!taking.take(sent, text, context)) return 'CORRECTED_TWICE';
  return undefined;
}

function faultOf({ source, target }: Correction): RefusalReason | undefined {
  if (stripInlineTags(target).trim() === '') return 'EMPTY_TARGET';
  const isText = (text: string): boolean => text.isWellFormed() && !/[\0-\u0008\u000b\u000c\u000e-\u001f]/.test(text);
  if (!isText(source) || !isText(target)) return 'BAD_TEXT';
  return keepsInlineTags(target, source) ? undefined : 'DAMAGED_TAGS';
}

/** The remembered place with the same neighbours, or with one of them; everywhere when the file has the paragraph elsewhere. */
function placeOf(context: number | undefined, rows: readonly RememberedRow[]): number {
  if (context === undefined) return anyContext;
  let best = { place: anyContext, agreement: 1 };
  for (const { context: place } of rows) {
    const agreement = place === anyContext ? 1 : contextAgreement(context, place);
    if (agreement > best.agreement) best = { place, agreement };
  }
  return best.place;
}

/** What the series may deliver at a place: a correction, else what was translated there. Several where terms have changed. */
function deliveredAt(rows: readonly RememberedRow[], context: number): string[] {
  const corrected = rows.filter(({ grade }) => grade === 'corrected');
  const here = corrected.find((row) => row.context === context) ?? corrected.find((row) => row.context === anyContext);
  if (here !== undefined) return [here.target];
  const same = rows.filter((row) => row.context === context);
  return (same.length > 0 ? same : rows).map(({ target }) => target);
}

async function write(trx: Trx, memoryId: number, taken: readonly NewMemory[]): Promise<void> {
  // Said for every place, it takes back what was said for single ones.
  await forgetCorrections(
    trx,
    memoryId,
    taken.filter(({ context }) => context === anyContext),
  );
  await rememberBlocks(trx, memoryId, taken, undefined);
}

/** The caller has locked the series. */
async function learnNames(trx: Trx, series: Series, paragraphs: readonly EditedParagraph[]): Promise<CorrectedName[]> {
  if (!paragraphs.some(({ corrected }) => corrected)) return [];
  const terms = (await readTerms(trx, series.id)).filter(({ origin }) => origin !== 'supplied');
  const names = await correctedNames(terms, paragraphs, series.sourceLang ?? 'und', { isWholeBook: false });
  await putNames(trx, series.id, terms, names);
  return names;
}
