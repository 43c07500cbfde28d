/**
 * Translates one segment until every unit is good, or the ladder is used up. The ladder: ask again for the failing units with the
 * fault named → halves → single paragraphs → sentences → the next engine → keep the source. `segment-answers.ts` keeps the best
 * answer for each unit. What a provider refuses is asked for without any context: flagged text beside a harmless line makes the
 * line fail. Then it goes to another provider.
 */
import type { EngineCapabilities, TranslateRequest, TranslateResult } from '../engines/engine.ts';
import { EngineError } from '../engines/engine-error.ts';
import { stripInlineTags } from '../inline-tags.ts';
import { withoutControls } from '../language/control-characters.ts';
import { splitSentences, splitText } from '../language/sentences.ts';
import type { CallBudget, CallVerdict } from './call-budget.ts';
import { type CheckContext, isRejected } from './checks/fault.ts';
import { translatedEndOf } from './plan/segment.ts';
import { spaceAfter, type Unit } from './plan/units.ts';
import { SegmentAnswers } from './segment-answers.ts';
import { addCounts, noRepairs, noUsage, type SegmentOutcome } from './segment-outcome.ts';
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

type Answer = 'answered' | 'unreadable' | 'refused';

/** The answers without what no book may hold. */
function cleaned(translations: ReadonlyMap<string, string>): Map<string, string> {
  return new Map([...translations].map(([id, text]) => [id, withoutControls(text)]));
}

class Ladder {
  readonly repairs = noRepairs();
  readonly usage = noUsage();
  unavailable: EngineError | undefined;
  quality: EngineCapabilities['quality'];
  readonly #work: SegmentWork;
  readonly #tools: SegmentTools;
  readonly #answers: SegmentAnswers;
  #accepted = 0;
  #callsOfClimb = 0;
  #budget = 0;
  #callsForNothing = 0;

  constructor(work: SegmentWork, tools: SegmentTools) {
    this.#work = work;
    this.#tools = tools;
    this.#answers = new SegmentAnswers(work, tools.checks, tools.declaredWrongly === true, this.repairs);
  }

  /** What another engine may do better: a refusal is the provider's, not the model's. */
  worthAsking(engineIndex: number): Unit[] {
    const provider = engineIndex === 0 ? undefined : this.#engine(engineIndex).provider;
    return this.#answers.open().filter((unit) => provider === undefined || !this.#answers.wasRefusedBy(unit, provider));
  }

  async climb(units: readonly Unit[], engineIndex: number): Promise<void> {
    // Splitting down to single paragraphs and trying each a few times needs six calls a unit; more would be a loop.
    this.#budget = 6 + 6 * units.length;
    this.#callsOfClimb = 0;
    this.#callsForNothing = Math.max(callsForNothing, 2 * units.length);
    let first = await this.#ask(units, engineIndex);
    // The second time without any context: see `#request`.
    if (first === 'refused') first = await this.#ask(this.#answers.open(units), engineIndex);
    let open = this.#answers.open(units);
    if (open.length === 0) return;
    this.#tools.onRepair?.(this.#work.units.map((unit) => this.#answers.usable(unit)));
    // What was left out is asked for; the same again only helps an engine that reads what was wrong.
    const { followsInstructions } = this.#engine(engineIndex);
    if (open.length < units.length || (first === 'answered' && followsInstructions)) {
      this.repairs.retried++;
      await this.#ask(open, engineIndex, this.#answers.describeFaults(open));
      open = this.#answers.open(open);
    }
    this.#answers.settleSoft(open);
    await this.#divide(this.#answers.open(open), engineIndex);
  }

  async #divide(open: readonly Unit[], engineIndex: number): Promise<void> {
    if (open.length === 0) return;
    if (open.length === 1 && open[0] !== undefined) return this.#alone(open[0], engineIndex);
    this.repairs.split++;
    const middle = Math.ceil(open.length / 2);
    // Side by side: at the end of a book, slots are idle while its last segments are repaired.
    const halves = await Promise.allSettled(
      [open.slice(0, middle), open.slice(middle)].map(async (half) => {
        if (half.length > 1) await this.#ask(half, engineIndex, this.#answers.describeFaults(half));
        await this.#divide(this.#answers.open(half), engineIndex);
      }),
    );
    for (const half of halves) if (half.status === 'rejected') throw half.reason;
  }

  /** An engine that errs differently each time is worth more tries than one that insists. */
  async #alone(unit: Unit, engineIndex: number): Promise<void> {
    this.repairs.single++;
    this.#answers.forgetHistory(unit);
    for (let tries = 1; tries <= maxTriesAlone; tries++) {
      await this.#ask([unit], engineIndex, this.#answers.describeFaults([unit]));
      this.#answers.settleSoft([unit]);
      if (this.#answers.open([unit]).length === 0) return;
      const refusals = this.#answers.historyOf(unit).filter((what) => what === 'refused').length;
      if (refusals >= maxRefusalsAlone) return;
      if (!this.#engine(engineIndex).followsInstructions) break;
      const last = this.#answers.historyOf(unit).slice(-3);
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
    const answers = blocks.map(({ id, text: source }) => {
      const translation = result.translations.get(id)?.trim() ?? '';
      return { id, kind: unit.kind, source, translation, terms: [] };
    });
    // A bad sentence would hide in the whole, whose length and script it hardly changes.
    const faults = [...this.#answers.check(answers, result).values()].flat();
    if (isRejected(faults)) return this.#tell([unit], 'unusable');
    const joined = answers
      .map(({ translation }, i) => translation + spaceAfter(pieces[i] ?? '', sourceLang, targetLang))
      .join('');
    this.#answers.judge([unit], { ...result, translations: new Map([[unit.id, joined.trim()]]) }, { project: 'all' });
    this.#answers.settleSoft([unit]);
    this.#tell([unit], 'unusable');
  }

  async #ask(units: readonly Unit[], engineIndex: number, fault?: string): Promise<Answer> {
    const { keepsInlineTags, followsInstructions } = this.#engine(engineIndex);
    // Asking again for lost tags helps only an engine that reads what was wrong.
    const mend = followsInstructions ? 'none' : 'wrong';
    const result = await this.#call(this.#request(units, engineIndex, fault), engineIndex);
    if (result === undefined) {
      for (const unit of units) this.#answers.note(unit.id, 'unreadable');
      return 'unreadable';
    }
    const { translations, finish, provider = '' } = result;
    if (finish === 'refused')
      for (const unit of units) if (!translations.has(unit.id)) this.#answers.noteRefusal(unit.id, provider);
    const cutOff = finish === 'truncated' ? units.findLast((unit) => translations.has(unit.id))?.id : undefined;
    const project = keepsInlineTags && !result.tagsLeftOut ? mend : 'all';
    this.#answers.judge(units, result, { project, provider, cutOff });
    this.#tell(units, finish === 'refused' ? 'refused' : 'unusable');
    if (translations.size > 0) return finish === 'truncated' ? 'unreadable' : 'answered';
    return finish === 'complete' ? 'answered' : finish === 'refused' ? 'refused' : 'unreadable';
  }

  /** What became of a call for these units, which were all open before it. */
  #tell(units: readonly Unit[], otherwise: CallVerdict): void {
    const accepted = units.length - this.#answers.open(units).length;
    this.#accepted += accepted;
    this.#tools.budget?.ended(accepted > 0 ? 'accepted' : otherwise);
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
      addCounts(this.usage, result.usage);
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
      .flatMap((unit) => this.#answers.usable(unit) ?? []);
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
      withContext: !units.some((unit) => this.#answers.wasRefused(unit)),
      ...(fault === undefined ? {} : { fault, standing: this.#answers.standing(units) }),
    });
  }

  outcome(): SegmentOutcome {
    const units = this.#answers.outcomes(this.unavailable !== undefined);
    const outcome: SegmentOutcome = { units, repairs: this.repairs, usage: this.usage };
    if (this.quality !== undefined) outcome.quality = this.quality;
    if (this.unavailable !== undefined && units.some(({ failure }) => failure === 'engine_unavailable'))
      outcome.unavailable = this.unavailable;
    return outcome;
  }
}
