/** An editor's paragraphs come back: from now on the series delivers them, whatever its terms or engines say. */
import {
  type Conflict,
  conflictOf,
  isChangedSince,
  isTooLong,
  isUnedited,
  listedUnits,
  type ReturnedText,
  tooLong,
} from '../correction.ts';
import { keepsInlineTags, stripInlineTags } from '../inline-tags.ts';
import { Pauses } from '../pauses.ts';
import type { Owner } from '../platform/owner-store.ts';
import type { Db, Trx } from '../platform/postgres.ts';
import { anyContext, contextAgreement, contextAt, textKey } from '../translation/memory/block-keys.ts';
import type { NewMemory } from '../translation/memory/remember.ts';
import { correctedMemory, writeCorrections } from './book-corrections.ts';
import type { EditedParagraph } from './corrected-names.ts';
import { findBlocks, openMemory, type RememberedRow } from './memory-store.ts';
import { seriesNotFound } from './series.ts';
import { findSeries } from './series-store.ts';
import { lockTermsVersion } from './term-store.ts';

export interface Correction extends ReturnedText {
  /** Of a unit of a file. */
  id?: string | undefined;
  /** The paragraph of the source, with its inline tags or without any. */
  source: string;
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
  conflicting: number;
  /** The first of them. */
  conflicts: Conflict[];
  /** What was taken. */
  edited: EditedParagraph[];
}

export interface CorrectionOptions {
  /** The paragraphs stand as they do in the book, those that nobody edited among them. */
  isFile: boolean;
  /** A paragraph that somebody else has corrected is corrected all the same. */
  replaces: boolean;
  /** Aborts when the client has left. */
  signal: AbortSignal;
  /** Asks for room for what will be kept. @throws STORAGE_QUOTA */
  claim(bytes: number): Promise<void>;
}

const correctionsPerQuestion = 500;
/** A line that stands in more places is corrected in those, or everywhere. */
const placesPerText = 2_000;

/**
 * What is wrong with one correction does not concern the others.
 * @throws NOT_FOUND, STORAGE_QUOTA, BAD_REQUEST for a paragraph that is too long
 */
export async function correctSeries(
  db: Db,
  caller: Owner,
  seriesId: string,
  corrections: readonly Correction[],
  options: CorrectionOptions,
): Promise<CorrectionResult> {
  await findSeries(db, caller, seriesId);
  return await db.transaction().execute(async (trx) => {
    if ((await lockTermsVersion(trx, caller.accountId, seriesId)) === undefined) throw seriesNotFound();
    const memoryId = await openMemory(trx, { ...caller, seriesId });
    if (memoryId === undefined) throw seriesNotFound();
    const sources = corrections.map(({ source }) => source);
    const taking = new Taking(options);
    const pauses = new Pauses();
    for (let at = 0; at < corrections.length; at += correctionsPerQuestion) {
      options.signal.throwIfAborted();
      const part: Sent[] = [];
      for (const [i, correction] of corrections.slice(at, at + correctionsPerQuestion).entries()) {
        if (pauses.isDue) await pauses.take();
        const index = at + i;
        const context = options.isFile ? contextAt(sources, index) : undefined;
        const unit = correction.id ?? `number ${index + 1}`;
        part.push({ ...correction, index, context, unit, text: textKey(correction.source) });
      }
      await takePart(trx, caller.accountId, memoryId, part, taking, pauses);
    }
    const memories = taking.memories();
    await options.claim(memories.reduce((sum, { target }) => sum + Buffer.byteLength(target), 0));
    await writeCorrections(trx, memoryId, memories);
    return taking.result();
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
  const known = new Map([...rows].map(([text, own]) => [text, new KnownText(own)]));
  for (const correction of part) {
    if (pauses.isDue) await pauses.take();
    taking.judge(correction, known.get(correction.text));
  }
}

/** What a series may deliver for a text. Looked up once for each place, however many units speak of it. */
class KnownText {
  readonly #rows: readonly RememberedRow[];
  readonly #places = new Map<number, number>();
  readonly #delivered = new Map<number, Delivered>();

  constructor(rows: readonly RememberedRow[]) {
    this.#rows = rows;
  }

  /** The remembered place with the same neighbours, or with one of them; everywhere when the file has the paragraph elsewhere. */
  placeOf(context: number | undefined): number {
    if (context === undefined) return anyContext;
    const there = this.#places.get(context);
    if (there !== undefined) return there;
    let best = { place: anyContext, agreement: 1 };
    for (const { context: place } of this.#rows) {
      const agreement = place === anyContext ? 1 : contextAgreement(context, place);
      if (agreement > best.agreement) best = { place, agreement };
    }
    this.#places.set(context, best.place);
    return best.place;
  }

  deliveredAt(place: number): Delivered {
    const there = this.#delivered.get(place);
    if (there !== undefined) return there;
    const isCorrected = ({ grade }: RememberedRow): boolean => grade === 'corrected';
    const corrected = this.#rows.filter(isCorrected);
    const correction =
      corrected.find((row) => row.context === place) ?? corrected.find((row) => row.context === anyContext);
    const translated = this.#rows.filter((row) => !isCorrected(row));
    const here = translated.filter((row) => row.context === place);
    const machines = new Set((here.length > 0 ? here : translated).map(({ target }) => target));
    const delivered = { now: correction ? [correction.target] : [...machines], machines };
    this.#delivered.set(place, delivered);
    return delivered;
  }
}

interface Delivered {
  /** A correction, else what was translated there. Several where terms have changed. */
  now: readonly string[];
  /** What was translated there. */
  machines: ReadonlySet<string>;
}

/** What becomes of the corrections of one request. */
class Taking {
  readonly #options: CorrectionOptions;
  readonly #counts = { unchanged: 0, conflicting: 0 };
  readonly #refused: Refusal[] = [];
  readonly #conflicts: Conflict[] = [];
  readonly #edited: EditedParagraph[] = [];
  /** By text and place. */
  readonly #taken = new Map<string, NewMemory>();

  constructor(options: CorrectionOptions) {
    this.#options = options;
  }

  memories(): NewMemory[] {
    return [...this.#taken.values()];
  }

  result(): CorrectionResult {
    return {
      ...{ taken: this.#taken.size, ...this.#counts },
      ...{ refused: this.#refused, conflicts: this.#conflicts, edited: this.#edited },
    };
  }

  judge(sent: Sent, known: KnownText | undefined): void {
    const reason = sent.fault ?? (known === undefined ? this.#unknown(sent) : this.#known(sent, known));
    if (reason !== undefined) this.#refused.push({ index: sent.index, reason });
  }

  /** In a file such a unit is a separator, or a paragraph that nobody has translated. */
  #unknown(sent: Sent): RefusalReason | undefined {
    if (!this.#options.isFile || sent.target !== sent.source) return faultOf(sent) ?? 'UNKNOWN_SOURCE';
    this.#counts.unchanged++;
    return undefined;
  }

  /** The reason why it is refused. */
  #known(sent: Sent, known: KnownText): RefusalReason | undefined {
    const { source, target, text, unit } = sent;
    const { isFile, replaces } = this.#options;
    const place = known.placeOf(sent.context);
    const { now, machines } = known.deliveredAt(place);
    // A list may well give all lines the words that one of them has; in a file they are that line's.
    const isMachines = (each: string) => machines.has(each) && (isFile || machines.size === 1);
    const isSame = isFile ? now.includes(target) : now.every((each) => each === target);
    if (isSame || isUnedited(sent, isMachines)) {
      this.#counts.unchanged++;
      return undefined;
    }
    if (isTooLong(target, source)) throw tooLong(unit, source);
    const fault = faultOf(sent);
    if (fault !== undefined) return fault;
    const isChanged = (each: string) => isChangedSince(each, sent, (one) => machines.has(one), isFile);
    if (!replaces && now.length > 0 && now.every(isChanged)) {
      this.#counts.conflicting++;
      if (this.#conflicts.length < listedUnits) this.#conflicts.push(conflictOf(unit, now[0] ?? '', target));
      return undefined;
    }
    const key = `${text} ${place}`;
    const taken = this.#taken.get(key);
    if (taken === undefined) {
      this.#taken.set(key, correctedMemory(source, target, place));
      this.#edited.push({ source, before: now, after: target });
    } else if (taken.target === target) this.#counts.unchanged++;
    else return 'CORRECTED_TWICE';
    return undefined;
  }
}

function faultOf({ source, target }: Correction): RefusalReason | undefined {
  if (stripInlineTags(target).trim() === '') return 'EMPTY_TARGET';
  const isText = (text: string): boolean => text.isWellFormed() && !/[\0-\u0008\u000b\u000c\u000e-\u001f]/.test(text);
  if (!isText(source) || !isText(target)) return 'BAD_TEXT';
  return keepsInlineTags(target, source) ? undefined : 'DAMAGED_TAGS';
}
