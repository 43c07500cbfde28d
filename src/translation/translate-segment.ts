/**
 * Translates one segment until every unit is good, or the ladder is used up: ask again for the failing units with the
 * fault named → halves → single paragraphs → sentences → the next engine → keep the source. The best answer for each
 * unit is kept; one that fixes nothing never replaces an older one. What a provider refuses is asked for without any context, because
 * flagged text beside a harmless line makes the line fail, and goes to another provider.
 */
import {
  type EngineCapabilities,
  EngineError,
  type TranslateRequest,
  type TranslateResult,
} from '../engines/engine.ts';
import { inlineTagsOf, stripInlineTags } from '../inline-tags.ts';
import { withoutControls } from '../language/control-characters.ts';
import { splitSentences, splitText } from '../language/sentences.ts';
import { projectTags } from '../project-tags.ts';
import type { CallBudget, CallVerdict } from './call-budget.ts';
import { checkUnit, checkUnits } from './checks/check.ts';
import type { CheckContext, CheckedUnit } from './checks/checked-unit.ts';
import { type Fault, faultOf, isRejected, refusingFault, weightOf } from './checks/fault.ts';
import { translatedEndOf } from './plan/context.ts';
import { spaceAfter, type Unit } from './plan/units.ts';
import type { RepairCounts, SegmentOutcome, UnitOutcome } from './segment-outcome.ts';
import { type SegmentWork, segmentRequest } from './segment-request.ts';

/** Rejects with EngineError only after the catalog's own retries: content faults are this file's only business. */
export type Translate = (
  request: TranslateRequest,
  options: { engineIndex: number; signal: AbortSignal },
) => Promise<TranslateResult>;

export interface SegmentTools {
  translate: Translate;
  /** In order of preference; the index is what `translate` gets. */
  engines: readonly EngineCapabilities[];
  checks: CheckContext;
  /** Shared by all segments of a book. */
  budget?: CallBudget;
  /** True when the text is certainly not in the language it is declared as: what comes back untranslated is not climbed for. */
  declaredWrongly?: boolean;
  /** The best texts so far, in the order of the units, when the first answer is not good enough; undefined where there is none. */
  onRepair?: (texts: readonly (string | undefined)[]) => void;
  signal: AbortSignal;
}

export async function translateSegment(work: SegmentWork, tools: SegmentTools): Promise<SegmentOutcome> {
  const ladder = new Ladder(work, tools);
  for (const engineIndex of tools.engines.keys()) {
    const open = ladder.worthAsking(engineIndex);
    if (open.length === 0) continue;
    if (engineIndex > 0) ladder.repairs.otherEngine++;
    try {
      await ladder.climb(open, engineIndex);
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      ladder.unavailable = error;
    }
  }
  return ladder.outcome();
}

const maxTriesAlone = 5;
/** What is refused by itself is refused for good; a filter that errs does so once. */
const maxRefusalsAlone = 2;
/** Of a segment of which so many calls have brought nothing, no paragraph is asked for by itself. Halving a long one takes two for each paragraph. */
const callsForNothing = 12;

interface Candidate {
  text: string;
  faults: Fault[];
}

type Answer = 'answered' | 'unreadable' | 'refused';

interface JudgeOptions {
  project: 'all' | 'wrong' | 'none';
  /** Who stands behind the engine that answered. */
  provider?: string;
  /** The unit that an answer was cut off in. */
  cutOff?: string | undefined;
}

export function noRepairs(): RepairCounts {
  return {
    calls: 0,
    retried: 0,
    split: 0,
    single: 0,
    sentences: 0,
    otherEngine: 0,
    tagsProjected: 0,
    tagsApproximated: 0,
  };
}

/** The answers without what no book may hold. */
function cleaned(translations: ReadonlyMap<string, string>): Map<string, string> {
  return new Map([...translations].map(([id, text]) => [id, withoutControls(text)]));
}

class Ladder {
  readonly repairs: RepairCounts = noRepairs();
  readonly usage = { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0 };
  unavailable: EngineError | undefined;
  quality: EngineCapabilities['quality'];
  readonly #work: SegmentWork;
  readonly #tools: SegmentTools;
  readonly #best = new Map<string, Candidate>();
  /** Units whose remaining faults the engine insists on. */
  readonly #settled = new Set<string>();
  /** Units that were refused, with the providers that did. */
  readonly #refused = new Map<string, Set<string>>();
  #accepted = 0;
  #callsOfClimb = 0;
  /** How often something came back for a unit. */
  readonly #answers = new Map<string, number>();
  /** What went wrong at each asking, in one word, to tell bad luck from insistence. */
  readonly #history = new Map<string, string[]>();
  #budget = 0;
  #callsForNothing = 0;

  constructor(work: SegmentWork, tools: SegmentTools) {
    this.#work = work;
    this.#tools = tools;
  }

  open(among: readonly Unit[] = this.#work.units): Unit[] {
    return among.filter((unit) => {
      const best = this.#best.get(unit.id);
      return best === undefined || (isRejected(best.faults) && !this.#settled.has(unit.id) && !this.#isHopeless(unit));
    });
  }

  /** What another engine may do better: a refusal is the provider's, not the model's. */
  worthAsking(engineIndex: number): Unit[] {
    const provider = engineIndex === 0 ? undefined : this.#engine(engineIndex).provider;
    return this.open().filter((unit) => provider === undefined || this.#refused.get(unit.id)?.has(provider) !== true);
  }

  /**
   * A text declared as another language comes back untranslated however it is asked for: one book of echoes took 1,600
   * calls. The second answer decides.
   */
  #isHopeless(unit: Unit): boolean {
    if (this.#tools.declaredWrongly !== true || (this.#answers.get(unit.id) ?? 0) < 2) return false;
    const faults = this.#best.get(unit.id)?.faults ?? [];
    return isOf(faults, 'echo') || isOf(faults, 'wrong-language');
  }

  async climb(units: readonly Unit[], engineIndex: number): Promise<void> {
    // Splitting down to single paragraphs and trying each a few times needs six calls a unit; more would be a loop.
    this.#budget = 6 + 6 * units.length;
    this.#callsOfClimb = 0;
    this.#callsForNothing = Math.max(callsForNothing, 2 * units.length);
    let first = await this.#ask(units, engineIndex);
    // The second time without any context: see `#request`.
    if (first === 'refused') first = await this.#ask(this.open(units), engineIndex);
    let open = this.open(units);
    if (open.length === 0) return;
    this.#tools.onRepair?.(this.#work.units.map((unit) => this.#usable(unit)));
    // What was left out is asked for; the same again only helps an engine that reads what was wrong.
    const { followsInstructions } = this.#engine(engineIndex);
    if (open.length < units.length || (first === 'answered' && followsInstructions)) {
      this.repairs.retried++;
      await this.#ask(open, engineIndex, describe(open, this.#best));
      open = this.open(open);
    }
    this.#settleSoft(open);
    await this.#divide(this.open(open), engineIndex);
  }

  async #divide(open: readonly Unit[], engineIndex: number): Promise<void> {
    if (open.length === 0) return;
    if (open.length === 1 && open[0] !== undefined) return this.#alone(open[0], engineIndex);
    this.repairs.split++;
    const middle = Math.ceil(open.length / 2);
    // Side by side: at the end of a book, slots are idle while its last segments are repaired.
    const halves = await Promise.allSettled(
      [open.slice(0, middle), open.slice(middle)].map(async (half) => {
        if (half.length > 1) await this.#ask(half, engineIndex, describe(half, this.#best));
        await this.#divide(this.open(half), engineIndex);
      }),
    );
    for (const half of halves) if (half.status === 'rejected') throw half.reason;
  }

  #usable({ id }: Unit): string | undefined {
    const best = this.#best.get(id);
    return best === undefined || refusingFault(best.faults) !== undefined ? undefined : best.text;
  }

  /** An engine that errs differently each time is worth more tries than one that insists. */
  async #alone(unit: Unit, engineIndex: number): Promise<void> {
    this.repairs.single++;
    this.#history.set(unit.id, []);
    for (let tries = 1; tries <= maxTriesAlone; tries++) {
      await this.#ask([unit], engineIndex, describe([unit], this.#best));
      this.#settleSoft([unit]);
      if (this.open([unit]).length === 0) return;
      const refusals = (this.#history.get(unit.id) ?? []).filter((what) => what === 'refused').length;
      if (refusals >= maxRefusalsAlone) return;
      if (!this.#engine(engineIndex).followsInstructions) break;
      const last = (this.#history.get(unit.id) ?? []).slice(-3);
      if (last.length === 3 && new Set(last).size === 1) break;
    }
    await this.#sentenceBySentence(unit, engineIndex);
  }

  /** The last rung on one engine: other input, so also for engines that read no instructions. */
  async #sentenceBySentence(unit: Unit, engineIndex: number): Promise<void> {
    const { sourceLang, targetLang } = this.#tools.checks;
    const text = stripInlineTags(unit.text);
    const sentences = splitSentences(text, sourceLang);
    const pieces = sentences.length > 1 ? sentences : splitText(text, sourceLang, Math.max(120, text.length / 2));
    if (pieces.length < 2) return;
    this.repairs.sentences++;
    const blocks = pieces.map((piece, i) => ({ id: `${unit.id}-${i + 1}`, text: piece.trim() }));
    const result = await this.#call({ ...this.#request([unit], engineIndex), blocks }, engineIndex);
    if (result === undefined) return;
    if (result.finish !== 'complete') return this.#tell([unit], 'unreadable');
    const answers = blocks.map(({ id, text: source }) => ({
      id,
      kind: unit.kind,
      source,
      translation: result.translations.get(id)?.trim() ?? '',
      terms: [],
    }));
    // A bad sentence would hide in the whole, whose length and script it hardly changes.
    const faults = [...this.#check(answers, result).values()].flat();
    if (isRejected(faults)) return this.#tell([unit], 'unusable');
    const joined = answers
      .map(({ translation }, i) => translation + spaceAfter(pieces[i] ?? '', sourceLang, targetLang))
      .join('');
    this.#judge([unit], { ...result, translations: new Map([[unit.id, joined.trim()]]) }, { project: 'all' });
    this.#settleSoft([unit]);
    this.#tell([unit], 'unusable');
  }

  async #ask(units: readonly Unit[], engineIndex: number, fault?: string): Promise<Answer> {
    const { keepsInlineTags, followsInstructions } = this.#engine(engineIndex);
    // Asking again for lost tags helps only an engine that reads what was wrong.
    const mend = followsInstructions ? 'none' : 'wrong';
    const result = await this.#call(this.#request(units, engineIndex, fault), engineIndex);
    if (result === undefined) {
      for (const unit of units) this.#note(unit.id, 'unreadable');
      return 'unreadable';
    }
    const { translations, finish, provider = '' } = result;
    if (finish === 'refused')
      for (const unit of units) if (!translations.has(unit.id)) this.#noteRefusal(unit.id, provider);
    const cutOff = finish === 'truncated' ? units.findLast((unit) => translations.has(unit.id))?.id : undefined;
    const project = keepsInlineTags && !result.tagsLeftOut ? mend : 'all';
    this.#judge(units, result, { project, provider, cutOff });
    this.#tell(units, finish === 'refused' ? 'refused' : 'unusable');
    if (translations.size > 0) return finish === 'truncated' ? 'unreadable' : 'answered';
    return finish === 'complete' ? 'answered' : finish === 'refused' ? 'refused' : 'unreadable';
  }

  /** What became of a call for these units, which were all open before it. */
  #tell(units: readonly Unit[], otherwise: CallVerdict): void {
    const accepted = units.length - this.open(units).length;
    this.#accepted += accepted;
    this.#tools.budget?.ended(accepted > 0 ? 'accepted' : otherwise);
  }

  #noteRefusal(unitId: string, provider: string): void {
    this.#refused.set(unitId, (this.#refused.get(unitId) ?? new Set()).add(provider));
  }

  async #call(request: TranslateRequest, engineIndex: number): Promise<TranslateResult | undefined> {
    const isHopeless = this.#accepted === 0 && this.#callsOfClimb >= this.#callsForNothing;
    if (this.#budget <= 0 || isHopeless) return undefined;
    this.#budget--;
    this.#callsOfClimb++;
    await this.#tools.budget?.admit(this.#tools.signal);
    this.repairs.calls++;
    try {
      const result = await this.#tools.translate(request, { engineIndex, signal: this.#tools.signal });
      this.#tools.budget?.tookMore((result.calls ?? 1) - 1);
      this.usage.inputTokens += result.usage.inputTokens;
      this.usage.outputTokens += result.usage.outputTokens;
      this.usage.cachedInputTokens += result.usage.cachedInputTokens;
      if (result.quality !== undefined) this.quality = result.quality;
      return { ...result, translations: cleaned(result.translations) };
    } catch (error) {
      this.#tools.signal.throwIfAborted();
      if (!(error instanceof EngineError) || !error.isAboutText) {
        this.#tools.budget?.withdrawn();
        throw error;
      }
      this.#tools.budget?.ended('unreadable');
      return undefined;
    }
  }

  /** Checks the answers and keeps each where it is better than what there was. */
  #judge(units: readonly Unit[], result: TranslateResult, { project, provider = '', cutOff }: JudgeOptions): void {
    const answered = units.flatMap((unit) => {
      const raw = result.translations.get(unit.id)?.trim() ?? '';
      if (raw === '') return [];
      const wanting = project === 'wrong' && inlineTagsOf(raw).join() !== inlineTagsOf(unit.text).join();
      const translation = project === 'all' || wanting ? this.#projected(unit, raw) : raw;
      return [
        {
          unit,
          id: unit.id,
          kind: unit.kind,
          source: unit.text,
          translation,
          terms: this.#work.expected.get(unit.id) ?? [],
        },
      ];
    });
    const faults = this.#check(answered, result);
    for (const unit of units) {
      this.#note(
        unit.id,
        faults
          .get(unit.id)
          ?.map(({ kind }) => kind)
          .join() ?? (this.#refused.has(unit.id) ? 'refused' : 'missing'),
      );
    }
    for (const { unit, translation } of answered) {
      this.#answers.set(unit.id, (this.#answers.get(unit.id) ?? 0) + 1);
      const own = faults.get(unit.id) ?? [];
      if (unit.id === cutOff) own.push(faultOf('truncated', unit.id, 'The answer was cut off here.'));
      if (own.some((fault) => fault.kind === 'refusal')) this.#noteRefusal(unit.id, provider);
      const best = this.#best.get(unit.id);
      if (best === undefined || weightOf(own) < weightOf(best.faults))
        this.#best.set(unit.id, { text: translation, faults: own });
      // The same words twice: the engine is sure, and so is a statistic that only wondered.
      // Not so for two lines in each other's place: those are asked for one by one.
      else if (best.text === translation && refusingFault(own) === undefined && !isOf(own, 'shifted'))
        this.#settle(unit);
    }
  }

  /** An engine that translates each block by itself is judged by each block: its neighbours must not change what becomes of it. */
  #check(units: readonly CheckedUnit[], { blockByBlock }: TranslateResult): Map<string, Fault[]> {
    const { checks } = this.#tools;
    return blockByBlock === true
      ? new Map(units.map((unit) => [unit.id, checkUnit(unit, checks)]))
      : checkUnits(units, checks);
  }

  #note(unitId: string, what: string): void {
    this.#history.set(unitId, [...(this.#history.get(unitId) ?? []), what]);
  }

  /** After a second answer, what only wonders is accepted; tags are put back by us. */
  #settleSoft(units: readonly Unit[]): void {
    for (const unit of units) {
      const best = this.#best.get(unit.id);
      if (best === undefined || (this.#answers.get(unit.id) ?? 0) < 2) continue;
      // A suspicion ends when it is cleared or the same words come back; lines in each other's place are asked for alone.
      if (isOf(best.faults, 'suspect') || isOf(best.faults, 'shifted')) continue;
      if (refusingFault(best.faults) === undefined) this.#settle(unit);
    }
  }

  #settle(unit: Unit): void {
    const best = this.#best.get(unit.id);
    if (best === undefined) return;
    if (best.faults.some((fault) => fault.kind === 'tags')) {
      this.#best.set(unit.id, {
        text: this.#projected(unit, best.text),
        faults: best.faults.filter((fault) => fault.kind !== 'tags'),
      });
    }
    this.#settled.add(unit.id);
  }

  #projected(unit: Unit, translation: string): string {
    const renderings = new Map((this.#work.hints.get(unit.id) ?? []).map((hint) => [hint.source, hint.target]));
    const { text, approximated } = projectTags(unit.text, translation, this.#tools.checks.targetLang, renderings);
    if (text !== stripInlineTags(translation)) this.repairs.tagsProjected++;
    this.repairs.tagsApproximated += approximated;
    return text;
  }

  #engine(engineIndex: number): EngineCapabilities {
    const engine = this.#tools.engines[engineIndex];
    if (engine === undefined) throw new RangeError(`no engine ${engineIndex}`);
    return engine;
  }

  /** The end of what stands before these units: of the segment as far as it is good by now, else of the text before it. */
  #translatedBefore([first]: readonly Unit[]): readonly string[] | undefined {
    const { units, translatedBefore = [] } = this.#work;
    const earlier = units
      .slice(0, first === undefined ? 0 : units.indexOf(first))
      .flatMap((unit) => this.#usable(unit) ?? []);
    const tail = translatedEndOf([...translatedBefore, ...earlier.map(stripInlineTags)]);
    return tail.length === 0 ? undefined : tail;
  }

  #request(units: readonly Unit[], engineIndex: number, fault?: string): TranslateRequest {
    const { sourceLang, targetLang } = this.#tools.checks;
    const { keepsInlineTags } = this.#engine(engineIndex);
    return segmentRequest({ ...this.#work, translatedBefore: this.#translatedBefore(units) }, units, {
      sourceLang,
      targetLang,
      keepsInlineTags,
      withContext: !units.some(({ id }) => this.#refused.has(id)),
      ...(fault === undefined ? {} : { fault, standing: this.#standing(units) }),
    });
  }

  /** What is a translation with a fault is shown to be mended; what is none would only mislead. */
  #standing(units: readonly Unit[]): Map<string, string> {
    return new Map(
      units.flatMap(({ id }) => {
        const best = this.#best.get(id);
        return best?.faults.every(({ kind }) => mendable.has(kind)) ? [[id, best.text]] : [];
      }),
    );
  }

  outcome(): SegmentOutcome {
    let needed = false;
    const units = this.#work.units.map((unit): UnitOutcome => {
      const best = this.#best.get(unit.id);
      if (best !== undefined && refusingFault(best.faults) === undefined) {
        this.#settle(unit);
        const final = this.#best.get(unit.id) ?? best;
        const answers = this.#answers.get(unit.id) ?? 1;
        return {
          text: final.text,
          faults: final.faults.map((fault) => fault.kind),
          ...(answers > 1 ? { answers } : {}),
          ...(this.#refused.has(unit.id) ? { refused: true } : {}),
        };
      }
      const failure = this.#refused.has(unit.id)
        ? 'policy_blocked'
        : this.unavailable !== undefined
          ? 'engine_unavailable'
          : 'failed_checks';
      if (failure === 'engine_unavailable') needed = true;
      return { text: unit.text, failure, faults: best?.faults.map((fault) => fault.kind) ?? ['missing'] };
    });
    const outcome: SegmentOutcome = { units, repairs: this.repairs, usage: this.usage };
    if (this.quality !== undefined) outcome.quality = this.quality;
    if (needed && this.unavailable !== undefined) outcome.unavailable = this.unavailable;
    return outcome;
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

function isOf(faults: readonly Fault[], kind: Fault['kind']): boolean {
  return faults.some((fault) => fault.kind === kind);
}

/**
 * The faults in words, once each, with the places they concern: units go by their position in the request, which is how
 * engines number them. Bounded, because it travels in every retry.
 */
function describe(units: readonly Unit[], best: ReadonlyMap<string, Candidate>): string {
  const placesByMessage = new Map<string, number[]>();
  for (const [i, unit] of units.entries()) {
    const faults = best.get(unit.id)?.faults ?? [faultOf('missing', unit.id, 'The translation is missing or empty.')];
    for (const { message } of faults) placesByMessage.set(message, [...(placesByMessage.get(message) ?? []), i + 1]);
  }
  const lines = [...placesByMessage].map(([message, places]) =>
    units.length === 1
      ? message
      : `Line ${places.slice(0, 10).join(', ')}${places.length > 10 ? ', …' : ''}: ${message}`,
  );
  return lines.join('\n').slice(0, 1_500);
}
