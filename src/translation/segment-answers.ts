/**
 * What is known of the units of a segment while it is being translated. It is the best answer for each, its faults, who refused it, and
 * whether it is settled. An answer that fixes nothing never replaces an older one.
 */
import type { TranslateResult } from '../engines/engine.ts';
import { inlineTagsOf, stripInlineTags } from '../inline-tags.ts';
import { projectTags } from '../project-tags.ts';
import { checkUnit, checkUnits, unitToCheck } from './checks/check.ts';
import {
  type CheckContext,
  type CheckedUnit,
  type Fault,
  faultOf,
  isRejected,
  missing,
  refusingFault,
  weightOf,
} from './checks/fault.ts';
import type { Unit } from './plan/units.ts';
import type { RepairCounts, UnitOutcome } from './segment-outcome.ts';
import type { SegmentWork } from './segment-request.ts';

interface UnitState {
  best: { text: string; faults: Fault[] } | undefined;
  /** The engine insists on the faults that remain. */
  isSettled: boolean;
  /** The providers that refused it. */
  refusedBy: Set<string>;
  /** How often something came back for it. */
  answers: number;
  /** What went wrong at each asking, in one word, to tell bad luck from insistence. */
  history: string[];
}

export interface JudgeOptions {
  project: 'all' | 'wrong' | 'none';
  /** Who stands behind the engine that answered. */
  provider?: string;
  /** The unit that an answer was cut off in. */
  cutOff?: string | undefined;
}

export class SegmentAnswers {
  readonly #work: SegmentWork;
  readonly #checks: CheckContext;
  readonly #declaredWrongly: boolean;
  readonly #repairs: RepairCounts;
  readonly #states = new Map<string, UnitState>();

  /** @param declaredWrongly the text is certainly not in the language it is declared as */
  constructor(work: SegmentWork, checks: CheckContext, declaredWrongly: boolean, repairs: RepairCounts) {
    this.#work = work;
    this.#checks = checks;
    this.#declaredWrongly = declaredWrongly;
    this.#repairs = repairs;
  }

  #of(unitId: string): UnitState {
    const none = { best: undefined, isSettled: false, refusedBy: new Set<string>(), answers: 0, history: [] };
    return this.#states.getOrInsert(unitId, none);
  }

  /** Units that another answer may do better. */
  open(among: readonly Unit[] = this.#work.units): Unit[] {
    return among.filter(({ id }) => {
      const { best, isSettled, answers } = this.#of(id);
      if (best === undefined) return true;
      // A text declared as another language comes back untranslated however it is asked for: one book of echoes took
      // 1,600 calls. The second answer decides.
      const isHopeless = this.#declaredWrongly && answers >= 2 && isOf(best.faults, 'echo', 'wrong-language');
      return isRejected(best.faults) && !isSettled && !isHopeless;
    });
  }

  wasRefused({ id }: Unit): boolean {
    return this.#of(id).refusedBy.size > 0;
  }

  wasRefusedBy({ id }: Unit, provider: string): boolean {
    return this.#of(id).refusedBy.has(provider);
  }

  /** Begins anew what `historyOf` tells. */
  forgetHistory({ id }: Unit): void {
    this.#of(id).history = [];
  }

  historyOf({ id }: Unit): readonly string[] {
    return this.#of(id).history;
  }

  /** The text of a unit as far as it may stand in the book. */
  usable({ id }: Unit): string | undefined {
    const { best } = this.#of(id);
    return best === undefined || refusingFault(best.faults) !== undefined ? undefined : best.text;
  }

  noteRefusal(unitId: string, provider: string): void {
    this.#of(unitId).refusedBy.add(provider);
  }

  /** Checks the answers and keeps each where it is better than what there was. */
  judge(units: readonly Unit[], result: TranslateResult, { project, provider = '', cutOff }: JudgeOptions): void {
    const answered = units.flatMap((unit) => {
      const raw = result.translations.get(unit.id)?.trim() ?? '';
      if (raw === '') return [];
      const wanting = project === 'wrong' && inlineTagsOf(raw).join() !== inlineTagsOf(unit.text).join();
      const translation = project === 'all' || wanting ? this.#projected(unit, raw) : raw;
      return [{ unit, ...unitToCheck(unit, translation, this.#work.expected.get(unit.id)) }];
    });
    const faults = this.check(answered, result);
    for (const unit of units) {
      const kinds = faults.get(unit.id)?.map(({ kind }) => kind);
      this.note(unit.id, kinds?.join() ?? (this.wasRefused(unit) ? 'refused' : 'missing'));
    }
    for (const { unit, translation } of answered) {
      const state = this.#of(unit.id);
      state.answers++;
      const unitFaults = faults.get(unit.id) ?? [];
      if (unit.id === cutOff) unitFaults.push(faultOf('truncated', 'The answer was cut off here.'));
      if (isOf(unitFaults, 'refusal')) this.noteRefusal(unit.id, provider);
      const { best } = state;
      if (best === undefined || weightOf(unitFaults) < weightOf(best.faults))
        state.best = { text: translation, faults: unitFaults };
      // The same words twice: the engine is sure, and so is a statistic that only wondered.
      // Not so for two lines in each other's place: those are asked for one by one.
      else if (best.text === translation && refusingFault(unitFaults) === undefined && !isOf(unitFaults, 'shifted'))
        this.#settle(unit);
    }
  }

  /** An engine that translates each block by itself is judged by each block: its neighbours must not change what becomes of it. */
  check(units: readonly CheckedUnit[], { blockByBlock }: TranslateResult): Map<string, Fault[]> {
    const checks = this.#checks;
    return blockByBlock === true
      ? new Map(units.map((unit) => [unit.id, checkUnit(unit, checks)]))
      : checkUnits(units, checks);
  }

  note(unitId: string, what: string): void {
    this.#of(unitId).history.push(what);
  }

  /** After a second answer, what only wonders is accepted; tags are put back by us. */
  settleSoft(units: readonly Unit[]): void {
    for (const unit of units) {
      const { best, answers } = this.#of(unit.id);
      if (best === undefined || answers < 2) continue;
      // A suspicion ends when it is cleared or the same words come back; lines in each other's place are asked for alone.
      if (isOf(best.faults, 'suspect', 'shifted')) continue;
      if (refusingFault(best.faults) === undefined) this.#settle(unit);
    }
  }

  #settle(unit: Unit): void {
    const state = this.#of(unit.id);
    if (state.best !== undefined && isOf(state.best.faults, 'tags')) {
      const faults = state.best.faults.filter(({ kind }) => kind !== 'tags');
      state.best = { text: this.#projected(unit, state.best.text), faults };
    }
    state.isSettled = true;
  }

  #projected(unit: Unit, translation: string): string {
    const renderings = new Map((this.#work.hints.get(unit.id) ?? []).map((hint) => [hint.source, hint.target]));
    const { text, approximated } = projectTags(unit.text, translation, this.#checks.targetLang, renderings);
    if (text !== stripInlineTags(translation)) this.#repairs.tagsProjected++;
    this.#repairs.tagsApproximated += approximated;
    return text;
  }

  /** What is a translation with a fault is shown to be mended; what is none would only mislead. */
  standing(units: readonly Unit[]): Map<string, string> {
    return new Map(
      units.flatMap(({ id }) => {
        const { best } = this.#of(id);
        return best?.faults.every(({ kind }) => mendable.has(kind)) ? [[id, best.text]] : [];
      }),
    );
  }

  /**
   * The faults in words, once each, with the places they concern: units go by their position in the request, which is how
   * engines number them. Bounded, because it travels in every retry.
   */
  describeFaults(units: readonly Unit[]): string {
    const placesByMessage = new Map<string, number[]>();
    for (const [i, unit] of units.entries()) {
      const faults = this.#of(unit.id).best?.faults ?? [missing];
      for (const { message } of faults) placesByMessage.set(message, [...(placesByMessage.get(message) ?? []), i + 1]);
    }
    const lines = [...placesByMessage].map(([message, places]) =>
      units.length === 1
        ? message
        : `Line ${places.slice(0, 10).join(', ')}${places.length > 10 ? ', …' : ''}: ${message}`,
    );
    return lines.join('\n').slice(0, 1_500);
  }

  /** @param unavailable an engine that was needed could not be asked */
  outcomes(unavailable: boolean): UnitOutcome[] {
    return this.#work.units.map((unit): UnitOutcome => {
      const isRefused = this.wasRefused(unit);
      if (this.usable(unit) !== undefined) this.#settle(unit);
      const { best, answers } = this.#of(unit.id);
      const faults = best?.faults.map(({ kind }) => kind) ?? ['missing' as const];
      const text = this.usable(unit);
      if (text !== undefined)
        return { text, faults, ...(answers > 1 ? { answers } : {}), ...(isRefused ? { refused: true } : {}) };
      const failure = isRefused ? 'policy_blocked' : unavailable ? 'engine_unavailable' : 'failed_checks';
      return { text: unit.text, failure, faults };
    });
  }
}

/** Faults of a translation that is right but for them. */
const mendable: ReadonlySet<Fault['kind']> = new Set([
  'residue',
  'tags',
  'term-missed',
  'minor-residue',
  'numbers',
  'line-breaks',
  'quotes',
]);

function isOf(faults: readonly Fault[], ...kinds: Fault['kind'][]): boolean {
  return faults.some(({ kind }) => kinds.includes(kind));
}
