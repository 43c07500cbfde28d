/**
 * Which paragraphs an editor has changed: matched by unit id, else by source text. Nothing is lost silently. Each paragraph and each
 * unit is looked at once, however many of them have the same text. A source has one decision, which its paragraphs share.
 */
import {
  type Conflict,
  conflictOf,
  type EditedUnit,
  faultOf,
  isChangedSince,
  isTooLong,
  isUnedited,
  listedUnits,
  type ReturnedText,
  refusalReasons,
  tooLong,
} from '../correction.ts';
import { stripInlineTags } from '../inline-tags.ts';

export interface CorrectableBlock {
  id: string;
  source: string;
  /** What was translated. */
  machine: string;
  /** What is delivered now. */
  target: string;
}

/** One text for the paragraphs that have it from now on. */
export interface TakenText {
  source: string;
  target: string;
  /** What the paragraphs had until now. */
  before: string[];
  blockIds: string[];
  /** Said of the text, wherever it stands; otherwise of the one paragraph. */
  isOfText: boolean;
}

/** `UNKNOWN_UNIT`: no paragraph has this id or source. */
export const unitRefusals = [...refusalReasons, 'UNKNOWN_UNIT'] as const;
export type UnitRefusal = (typeof unitRefusals)[number];

/** What became of every unit. */
export interface MatchCounts {
  /** Paragraphs. */
  taken: number;
  unchanged: number;
  refused: number;
  /** The first of them. */
  refusals: { unit: string; reason: UnitRefusal }[];
  conflicting: number;
  conflicts: Conflict[];
  /** Paragraphs that came back finished, as they were translated. */
  approved: number;
}

export interface MatchOptions {
  /** The units are an export that came back, those that nobody edited among them. */
  isFile: boolean;
  /** A paragraph that somebody else has corrected is corrected all the same. */
  replaces: boolean;
}

export interface Matched {
  texts: TakenText[];
  /** Ids of paragraphs that came back finished, as they were translated. */
  approved: string[];
  counts: MatchCounts;
}

/** @throws BAD_REQUEST for a paragraph that is too long */
export function matchCorrections(
  units: readonly EditedUnit[],
  blocks: readonly CorrectableBlock[],
  options: MatchOptions,
): Matched {
  const matching = new Matching(blocks, options);
  for (const unit of units) matching.decide(unit);
  return matching.result();
}

interface Decision extends ReturnedText {
  unit: string;
  texts: Map<string, TakenText>;
  isSame: boolean;
  isConflict: boolean;
  fault: UnitRefusal | undefined;
}

/** Paragraphs that one unit may speak of. */
interface Paragraphs {
  machines: Set<string>;
  /** Undefined where the sources differ by their tags. */
  source: string | undefined;
  size: number;
  /** A unit of them came back as it was exported. */
  isUnedited: boolean;
  decision: Decision | undefined;
}

class Matching {
  readonly #blocks: readonly CorrectableBlock[];
  readonly #options: MatchOptions;
  readonly #byId = new Map<string, CorrectableBlock>();
  readonly #named = new Map<string, Paragraphs>();
  readonly #bySource = new Map<string, Paragraphs>();
  readonly #byWords = new Map<string, Paragraphs>();
  readonly #approved = new Set<string>();
  readonly #counts: MatchCounts = {
    taken: 0,
    unchanged: 0,
    refused: 0,
    refusals: [],
    conflicting: 0,
    conflicts: [],
    approved: 0,
  };

  constructor(blocks: readonly CorrectableBlock[], options: MatchOptions) {
    this.#blocks = blocks;
    this.#options = options;
    for (const block of blocks) {
      this.#byId.set(block.id, block);
      add(this.#bySource, folded(block.source), block, block.source);
      add(this.#byWords, wordsOf(block.source), block, undefined);
    }
  }

  decide(unit: EditedUnit): void {
    const reference = unit.id ?? stripInlineTags(unit.source).slice(0, 80);
    const paragraphs = unit.fault === undefined ? this.#paragraphsOf(unit) : undefined;
    if (paragraphs === undefined) this.#refuse(reference, unit.fault ?? 'UNKNOWN_UNIT');
    else this.#judge(unit, paragraphs, reference);
    const named = unit.isFinal ? this.#namedBy(unit) : undefined;
    // A paragraph that a person has changed needs no more.
    if (named !== undefined && named.target === unit.target && named.target === named.machine)
      this.#approved.add(named.id);
  }

  /** A unit that names a paragraph speaks of that one. An id alone is not enough: a file of another book has the same ids. */
  #namedBy(unit: EditedUnit): CorrectableBlock | undefined {
    const named = unit.id === undefined || unit.fault !== undefined ? undefined : this.#byId.get(unit.id);
    return named !== undefined && wordsOf(named.source) === wordsOf(unit.source) ? named : undefined;
  }

  #judge(unit: EditedUnit, paragraphs: Paragraphs, reference: string): void {
    const { machines, source, decision } = paragraphs;
    // A list may well give all lines the words that one of them has; in a file they are that line's.
    const isMachines = (text: string) => machines.has(text) && (this.#options.isFile || machines.size === 1);
    if (isUnedited(unit, isMachines)) {
      paragraphs.isUnedited = true;
      this.#counts.unchanged++;
      return;
    }
    const { target, exported } = unit;
    if (source !== undefined && isTooLong(target, source)) throw tooLong(reference, source);
    const fault = source === undefined ? undefined : faultOf(target, source);
    if (fault !== undefined) this.#refuse(reference, fault);
    else if (decision === undefined)
      paragraphs.decision = {
        ...{ unit: reference, target, exported, texts: new Map() },
        ...{ isSame: false, isConflict: false, fault: undefined },
      };
    else if (decision.target === target) this.#counts.unchanged++;
    else this.#refuse(reference, 'CORRECTED_TWICE');
  }

  result(): Matched {
    const decisions = new Set<Decision>();
    for (const block of this.#blocks) {
      const paragraphs = this.#deciding(block);
      if (paragraphs?.decision === undefined) continue;
      decisions.add(paragraphs.decision);
      this.#apply(paragraphs, paragraphs.decision, block);
    }
    const texts: TakenText[] = [];
    for (const { unit, fault, isSame, isConflict, texts: taken } of decisions) {
      if (taken.size === 0 && !isConflict && isSame) this.#counts.unchanged++;
      else if (taken.size === 0 && !isConflict && fault !== undefined) this.#refuse(unit, fault);
      for (const text of taken.values()) texts.push(text);
    }
    return { texts, approved: [...this.#approved], counts: { ...this.#counts, approved: this.#approved.size } };
  }

  #paragraphsOf(unit: EditedUnit): Paragraphs | undefined {
    const named = this.#namedBy(unit);
    if (named !== undefined) return add(this.#named, named.id, named, named.source, 1);
    return this.#bySource.get(folded(unit.source)) ?? this.#byWords.get(wordsOf(unit.source));
  }

  #deciding({ id, source }: CorrectableBlock): Paragraphs | undefined {
    const named = this.#named.get(id);
    if (named?.decision !== undefined || named?.isUnedited) return named;
    const bySource = this.#bySource.get(folded(source));
    return bySource?.decision === undefined ? this.#byWords.get(wordsOf(source)) : bySource;
  }

  #apply({ size }: Paragraphs, decision: Decision, block: CorrectableBlock): void {
    const { id, source, machine, target: current } = block;
    const { unit, target, texts } = decision;
    const { isFile, replaces } = this.#options;
    if (target === current) decision.isSame = true;
    else if (isTooLong(target, source)) throw tooLong(id, source);
    else if (faultOf(target, source) !== undefined) decision.fault = faultOf(target, source);
    else if (!replaces && isChangedSince(current, decision, (text) => text === machine, isFile)) {
      decision.isConflict = true;
      this.#counts.conflicting++;
      if (this.#counts.conflicts.length < listedUnits)
        this.#counts.conflicts.push(conflictOf(size === 1 ? unit : id, current, target));
    } else {
      this.#counts.taken++;
      const text = texts.get(source) ?? { source, target, before: [], blockIds: [], isOfText: size > 1 };
      texts.set(source, text);
      if (text.before.at(-1) !== current) text.before.push(current);
      text.blockIds.push(id);
    }
  }

  #refuse(unit: string, reason: UnitRefusal): void {
    this.#counts.refused++;
    if (this.#counts.refusals.length < listedUnits) this.#counts.refusals.push({ unit, reason });
  }
}

function add(
  among: Map<string, Paragraphs>,
  key: string,
  { machine }: CorrectableBlock,
  source: string | undefined,
  atMost = Number.POSITIVE_INFINITY,
): Paragraphs {
  const known = among.get(key);
  const paragraphs = known ?? { machines: new Set(), source, size: 0, isUnedited: false, decision: undefined };
  if (known === undefined) among.set(key, paragraphs);
  paragraphs.machines.add(machine);
  paragraphs.size = Math.min(paragraphs.size + 1, atMost);
  return paragraphs;
}

/** Tools fold white space and drop tags they do not know; neither makes another paragraph. */
function wordsOf(source: string): string {
  return folded(stripInlineTags(source));
}

function folded(text: string): string {
  return text.normalize('NFC').replace(/\s+/g, ' ').trim();
}
