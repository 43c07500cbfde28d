/** Which paragraphs of a series an editor has changed. A text is looked up once, however many units speak of it. */
import {
  type Conflict,
  conflictOf,
  type EditedUnit,
  faultOf,
  isChangedSince,
  isTooLong,
  isUnedited,
  listedUnits,
  refusalReasons,
  tooLong,
} from '../correction.ts';
import { anyContext, contextAgreement, contextAt, textKey } from '../translation/memory/block-keys.ts';
import type { NewMemory } from '../translation/memory/remember.ts';

/** `UNKNOWN_SOURCE`: the series has no such paragraph; `BAD_TEXT`: control characters or broken Unicode. */
export const seriesRefusals = [...refusalReasons, 'UNKNOWN_SOURCE', 'BAD_TEXT'] as const;
export type SeriesRefusal = (typeof seriesRefusals)[number];

/** What a series has for a text at one place; `text` is the key of the text. */
export type KnownPlace = Pick<NewMemory, 'text' | 'context' | 'grade' | 'target'>;

/** A paragraph that is delivered otherwise from now on. */
export interface TakenParagraph {
  source: string;
  target: string;
  /** The place that it is said of. */
  place: number;
  /** What was delivered until now. */
  before: readonly string[];
}

export interface SeriesCounts {
  taken: number;
  unchanged: number;
  refused: number;
  /** The first of them, by their place in what was sent, from 0. */
  refusals: { index: number; reason: SeriesRefusal; unit?: string }[];
  conflicting: number;
  /** The first of them. */
  conflicts: Conflict[];
}

export interface SeriesMatchOptions {
  /** The paragraphs stand as they do in the book, those that nobody edited among them. */
  isFile: boolean;
  /** A paragraph that somebody else has corrected is corrected all the same. */
  replaces: boolean;
}

const unitsPerQuestion = 100;

/**
 * What is wrong with one unit does not concern the others.
 * @param find everything that the series has for some texts
 * @throws BAD_REQUEST for a paragraph that is too long
 */
export async function matchSeries(
  units: readonly EditedUnit[],
  find: (texts: readonly string[]) => Promise<readonly KnownPlace[]>,
  options: SeriesMatchOptions,
): Promise<{ taken: TakenParagraph[]; counts: SeriesCounts }> {
  const sources = units.map(({ source }) => source);
  const matching = new Matching(options);
  for (let at = 0; at < units.length; at += unitsPerQuestion) {
    const part = units.slice(at, at + unitsPerQuestion).map((unit, i): Sent => {
      const context = options.isFile ? contextAt(sources, at + i) : undefined;
      return { ...unit, index: at + i, context, text: textKey(unit.source) };
    });
    const places = Map.groupBy(await find([...new Set(part.map(({ text }) => text))]), ({ text }) => text);
    const known = new Map([...places].map(([text, ofText]) => [text, new KnownText(ofText)]));
    for (const sent of part) matching.judge(sent, known.get(sent.text));
  }
  return matching.result();
}

interface Sent extends EditedUnit {
  index: number;
  /** The key of its source. */
  text: string;
  /** Its place in the file; undefined where it says nothing about its place. */
  context: number | undefined;
}

/** What a series may deliver for a text. Looked up once for each place, however many units speak of it. */
class KnownText {
  readonly #known: readonly KnownPlace[];
  readonly #places = new Map<number, number>();
  readonly #delivered = new Map<number, Delivered>();

  constructor(known: readonly KnownPlace[]) {
    this.#known = known;
  }

  /** The remembered place with the same neighbours, or with one of them; everywhere when the file has the paragraph elsewhere. */
  placeOf(context: number | undefined): number {
    if (context === undefined) return anyContext;
    return this.#places.getOrInsertComputed(context, () => {
      let best = { place: anyContext, agreement: 1 };
      for (const { context: place } of this.#known) {
        const agreement = place === anyContext ? 1 : contextAgreement(context, place);
        if (agreement > best.agreement) best = { place, agreement };
      }
      return best.place;
    });
  }

  deliveredAt(place: number): Delivered {
    return this.#delivered.getOrInsertComputed(place, () => {
      const isCorrected = ({ grade }: KnownPlace): boolean => grade === 'corrected';
      const corrected = this.#known.filter(isCorrected);
      const correction =
        corrected.find((row) => row.context === place) ?? corrected.find((row) => row.context === anyContext);
      const translated = this.#known.filter((row) => !isCorrected(row));
      const here = translated.filter((row) => row.context === place);
      const machines = new Set((here.length > 0 ? here : translated).map(({ target }) => target));
      return { now: correction ? [correction.target] : [...machines], machines };
    });
  }
}

interface Delivered {
  /** A correction, else what was translated there. Several where terms have changed. */
  now: readonly string[];
  /** What was translated there. */
  machines: ReadonlySet<string>;
}

/** What becomes of the units of one request. */
class Matching {
  readonly #options: SeriesMatchOptions;
  readonly #counts: SeriesCounts = {
    taken: 0,
    unchanged: 0,
    refused: 0,
    refusals: [],
    conflicting: 0,
    conflicts: [],
  };
  /** By text and place. */
  readonly #taken = new Map<string, TakenParagraph>();

  constructor(options: SeriesMatchOptions) {
    this.#options = options;
  }

  result(): { taken: TakenParagraph[]; counts: SeriesCounts } {
    return { taken: [...this.#taken.values()], counts: { ...this.#counts, taken: this.#taken.size } };
  }

  judge(sent: Sent, known: KnownText | undefined): void {
    const reason = sent.fault ?? (known === undefined ? this.#unknown(sent) : this.#known(sent, known));
    if (reason !== undefined) this.#refuse(sent, reason);
  }

  #refuse({ id, index }: Sent, reason: SeriesRefusal): void {
    const { refusals } = this.#counts;
    this.#counts.refused++;
    if (refusals.length < listedUnits) refusals.push({ index, reason, ...(id === undefined ? {} : { unit: id }) });
  }

  /** In a file such a unit is a separator, or a paragraph that nobody has translated. */
  #unknown(sent: Sent): SeriesRefusal | undefined {
    if (!this.#options.isFile || sent.target !== sent.source) return textFaultOf(sent) ?? 'UNKNOWN_SOURCE';
    this.#counts.unchanged++;
    return undefined;
  }

  /** The reason why it is refused. */
  #known(sent: Sent, known: KnownText): SeriesRefusal | undefined {
    const { source, target, text, id, index } = sent;
    const unit = id ?? `number ${index + 1}`;
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
    const fault = textFaultOf(sent);
    if (fault !== undefined) return fault;
    const isChanged = (each: string) => isChangedSince(each, sent, (one) => machines.has(one), isFile);
    if (!replaces && now.length > 0 && now.every(isChanged)) {
      this.#counts.conflicting++;
      if (this.#counts.conflicts.length < listedUnits)
        this.#counts.conflicts.push(conflictOf(unit, now[0] ?? '', target));
      return undefined;
    }
    const key = `${text} ${place}`;
    const taken = this.#taken.get(key);
    if (taken === undefined) this.#taken.set(key, { source, target, place, before: now });
    else if (taken.target === target) this.#counts.unchanged++;
    else return 'CORRECTED_TWICE';
    return undefined;
  }
}

function textFaultOf({ source, target }: EditedUnit): SeriesRefusal | undefined {
  const isText = (text: string): boolean => text.isWellFormed() && !/[\0-\u0008\u000b\u000c\u000e-\u001f]/.test(text);
  return isText(source) && isText(target) ? faultOf(target, source) : 'BAD_TEXT';
}
