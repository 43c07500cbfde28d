/**
 * The editing pass: once a book is translated, a second engine reads it run by run, source beside translation, and offers changed lines. Each
 * is checked like a translation and taken or dropped. Whatever the editor does, the book stands: an editor that fails leaves it as it is.
 */
import type { EditResult, TranslateRequest } from '../engines/engine.ts';
import { EngineError } from '../engines/engine-error.ts';
import { stripInlineTags } from '../inline-tags.ts';
import { withoutControls } from '../language/control-characters.ts';
import { projectTags } from '../project-tags.ts';
import { type BookUnit, putTexts } from './assemble-book.ts';
import { type BookInput, checksOf, type SegmentTask } from './book.ts';
import { BookTranslationError } from './book-translation-error.ts';
import { CallBudget } from './call-budget.ts';
import { type CheckpointRecord, type EditCounts, editKey } from './checkpoint.ts';
import { checkUnits, isSoundEdit, unitToCheck } from './checks/check.ts';
import { weightOf } from './checks/fault.ts';
import type { BookEditor, Editing } from './editing.ts';
import { translatedEndOf } from './plan/segment.ts';
import { runPool } from './pool.ts';
import type { BookOfRuns } from './seams.ts';
import { segmentRequest } from './segment-request.ts';

/** Undefined where there is no editor. Changes the texts in `book.units`. */
export async function editBook(
  book: BookOfRuns,
  input: BookInput,
  saved: readonly CheckpointRecord[],
): Promise<Editing | undefined> {
  const { editor } = input.engines;
  if (editor === undefined) return undefined;
  const pass = new EditingPass(book, input, editor);
  for (const record of saved) if (record.kind === 'revision' && record.edits) pass.settle(record.key, record);
  await runPool(book.runs, input, (run, signal) => pass.edit(run, signal));
  return pass.result();
}

/** A line that the editor is shown. */
interface EditedLine extends BookUnit {
  task: SegmentTask;
  place: number;
}

interface Verdicts {
  taken: Map<EditedLine, string>;
  dropped: EditedLine[];
}

type Revision = Extract<CheckpointRecord, { kind: 'revision' }>;

/** One that talks instead of editing may do better when it is asked again. */
const attempts = 2;

class EditingPass {
  readonly #book: BookOfRuns;
  readonly #input: BookInput;
  readonly #editor: BookEditor;
  /** Segments by the key of their edits; identical ones share it. */
  readonly #places: ReadonlyMap<string, readonly number[]>;
  readonly #budget = new CallBudget();
  /** By the key of their record. */
  readonly #settled = new Map<string, EditCounts>();
  #isOver = false;

  constructor(book: BookOfRuns, input: BookInput, editor: BookEditor) {
    this.#book = book;
    this.#input = input;
    this.#editor = editor;
    this.#places = Map.groupBy(book.tasks.keys(), (at) => editKey(book.tasks[at]?.key ?? ''));
  }

  /** In order: what stands before a passage is as it was edited. */
  async edit(run: readonly SegmentTask[], signal: AbortSignal): Promise<void> {
    for (const passage of this.#passagesOf(run)) {
      // Identical segments have identical translations; the first one's edits serve all of them.
      const open = passage.filter(({ key }) => !this.#settled.has(editKey(key)));
      const lines = open.flatMap((task) => this.#linesOf(task));
      if (lines.length === 0) continue;
      const verdicts = await this.#judged(lines, signal);
      if (verdicts === undefined) continue;
      for (const task of open) await this.#save(task, verdicts);
    }
  }

  /** Texts from a record, in every place that has them. */
  settle(key: string, { texts, edits }: Pick<Revision, 'texts' | 'edits'>): void {
    if (edits === undefined) return;
    this.#settled.set(key, edits);
    for (const at of this.#places.get(key) ?? []) putTexts(this.#book.units[at] ?? [], texts);
  }

  result(): Editing {
    const sum = { taken: 0, dropped: 0, readCharacters: 0, unreadCharacters: 0 };
    const droppedIn = new Set<string>();
    for (const [at, task] of this.#book.tasks.entries()) {
      const units = this.#book.units[at] ?? [];
      const characters = units.reduce((all, { unit, failed }) => all + (failed ? 0 : unit.characters), 0);
      const edits = this.#settled.get(editKey(task.key));
      sum[edits === undefined ? 'unreadCharacters' : 'readCharacters'] += characters;
      const { taken = 0, dropped = [] } = edits ?? {};
      sum.taken += taken;
      sum.dropped += dropped.length;
      for (const blockId of dropped.flatMap((place) => units[place]?.unit.blockId ?? [])) droppedIn.add(blockId);
    }
    return { ...sum, offered: sum.taken + sum.dropped, droppedIn: [...droppedIn] };
  }

  /** As much of a run at once as the editor reads. */
  #passagesOf(run: readonly SegmentTask[]): SegmentTask[][] {
    const { maxInputCharacters } = this.#editor.capabilities;
    const passages: SegmentTask[][] = [];
    let left = 0;
    for (const task of run) {
      const { characters } = task.segment;
      if (characters > left) {
        passages.push([]);
        left = maxInputCharacters;
      }
      passages.at(-1)?.push(task);
      left -= characters;
    }
    return passages;
  }

  #linesOf(task: SegmentTask): EditedLine[] {
    const at = this.#book.tasks.indexOf(task);
    return (this.#book.units[at] ?? []).flatMap((unit, place) => (unit.failed ? [] : [{ ...unit, task, place }]));
  }

  async #save(task: SegmentTask, { taken, dropped }: Verdicts): Promise<void> {
    // Its like in another run may have been read meanwhile.
    if (this.#settled.has(editKey(task.key))) return;
    const taskLines = [...taken].filter(([line]) => line.task === task);
    const record: Revision = {
      kind: 'revision',
      key: editKey(task.key),
      texts: Object.fromEntries(taskLines.map(([{ place }, text]) => [String(place), text])),
      edits: {
        taken: taskLines.length,
        dropped: dropped.filter((line) => line.task === task).map(({ place }) => place),
      },
    };
    // First: another run must not save its like while this one is being saved.
    this.settle(record.key, record);
    await this.#input.checkpoint.save(record);
  }

  /** Undefined: the editor has not read the lines. */
  async #judged(lines: readonly EditedLine[], signal: AbortSignal): Promise<Verdicts | undefined> {
    for (let attempt = 1; attempt <= attempts && !this.#isOver; attempt++) {
      const answer = await this.#ask(lines, signal);
      if (answer === 'too long') return await this.#inHalves(lines, signal);
      if (answer === undefined || answer.finish === 'refused') return undefined;
      if (answer.changes !== undefined) return this.#verdictsOn(lines, answer.changes);
    }
    return undefined;
  }

  async #inHalves(lines: readonly EditedLine[], signal: AbortSignal): Promise<Verdicts | undefined> {
    if (lines.length < 2) return undefined;
    const middle = Math.ceil(lines.length / 2);
    const first = await this.#judged(lines.slice(0, middle), signal);
    const second = await this.#judged(lines.slice(middle), signal);
    if (first === undefined || second === undefined) return undefined;
    return {
      taken: new Map([...first.taken, ...second.taken]),
      dropped: [...first.dropped, ...second.dropped],
    };
  }

  /** An editor that cannot be reached, or of which nothing can be used, is not asked again for this book. */
  async #ask(lines: readonly EditedLine[], signal: AbortSignal): Promise<EditResult | 'too long' | undefined> {
    try {
      await this.#budget.admit(signal);
      const answer = await this.#answerOf(lines, signal);
      if (answer === 'too long') this.#budget.withdrawn();
      else if (answer?.finish === 'refused') this.#budget.ended('refused');
      else this.#budget.ended(answer?.changes === undefined ? 'unreadable' : 'accepted');
      return answer;
    } catch (error) {
      if (!(error instanceof BookTranslationError)) throw error;
      this.#isOver = true;
      return undefined;
    }
  }

  async #answerOf(lines: readonly EditedLine[], signal: AbortSignal): Promise<EditResult | 'too long' | undefined> {
    try {
      return await this.#editor.edit(this.#request(lines), { signal });
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof EngineError)) throw error;
      if (error.kind === 'too-long') return 'too long';
      this.#isOver ||= !error.isAboutText;
      return undefined;
    }
  }

  #request(lines: readonly EditedLine[]): TranslateRequest {
    const { sourceLang, targetLang } = this.#input;
    const { keepsInlineTags } = this.#editor.capabilities;
    const parts = [...Map.groupBy(lines, ({ task }) => task)].map(([{ work }, own]) => {
      const units = own.map(({ unit }) => unit);
      const standing = new Map(own.map(({ unit, text }) => [unit.id, text]));
      return segmentRequest(work, units, { sourceLang, targetLang, keepsInlineTags, standing });
    });
    const terms = new Map(parts.flatMap((part) => part.terms).map((term) => [term.source, term]));
    const people = new Map(parts.flatMap((part) => part.roster).map((term) => [term.source, term]));
    const { chapterDigest } = parts[0]?.context ?? {};
    const translatedBefore = this.#textBefore(lines[0]);
    return {
      sourceLang,
      targetLang,
      blocks: parts.flatMap((part) => part.blocks),
      ...(parts[0]?.brief === undefined ? {} : { brief: parts[0].brief }),
      terms: [...terms.values()],
      roster: [...people.values()].filter(({ source }) => !terms.has(source)),
      context: {
        before: [],
        after: [],
        ...(chapterDigest === undefined ? {} : { chapterDigest }),
        ...(translatedBefore.length === 0 ? {} : { translatedBefore }),
      },
    };
  }

  /** The end of what stands before a line, as it is by now. */
  #textBefore(line: EditedLine | undefined): string[] {
    if (line === undefined) return [];
    const at = this.#book.tasks.indexOf(line.task);
    const earlierUnits = (this.#book.units[at] ?? []).slice(0, line.place);
    const before = [...(this.#book.units[at - 1] ?? []), ...earlierUnits].filter(({ failed }) => !failed);
    return translatedEndOf(before.map(({ text }) => stripInlineTags(text)));
  }

  #verdictsOn(lines: readonly EditedLine[], changes: ReadonlyMap<string, string>): Verdicts {
    const { targetLang } = this.#input;
    const { keepsInlineTags } = this.#editor.capabilities;
    const offered = new Map<EditedLine, string>();
    for (const line of lines) {
      const raw = withoutControls(changes.get(line.unit.id) ?? '').trim();
      const text = keepsInlineTags ? raw : projectTags(line.unit.text, raw, targetLang).text;
      if (raw !== '' && text !== line.text) offered.set(line, text);
    }
    // One line in another's place, and none of the numbers can be believed.
    const standing = lines.map(({ text }) => text);
    if (!areInTheirPlaces(standing, new Map([...offered].map(([line, text]) => [lines.indexOf(line), text]))))
      return { taken: new Map(), dropped: [...offered.keys()] };
    const [before, after] = [this.#weights(lines, new Map()), this.#weights(lines, offered)];
    const verdicts: Verdicts = { taken: new Map(), dropped: [] };
    for (const [line, text] of offered) {
      const { unit, text: was, expected } = line;
      const isNoWorse = (after.get(unit.id) ?? 0) <= (before.get(unit.id) ?? 0);
      const isTaken = isNoWorse && isSoundEdit({ source: unit.text, was, is: text, expected }, targetLang);
      if (isTaken) verdicts.taken.set(line, text);
      else verdicts.dropped.push(line);
    }
    return verdicts;
  }

  /** How bad each line is by all checks, with its neighbours as they would be. */
  #weights(lines: readonly EditedLine[], changed: ReadonlyMap<EditedLine, string>): Map<string, number> {
    const checked = lines.map((line) => unitToCheck(line.unit, changed.get(line) ?? line.text));
    const faults = checkUnits(checked, checksOf(this.#input));
    return new Map([...faults].map(([id, own]) => [id, weightOf(own)]));
  }
}

/** As like another line as this, and so much more than its own: it is the other's. Lines of one book are a little like each other anyway. */
const leastLikeness = 0.5;
const leastDifference = 0.1;

/**
 * True where every changed line is like the line that it changes.
 * @param lines as they stand
 * @param changed new texts by index
 */
function areInTheirPlaces(lines: readonly string[], changed: ReadonlyMap<number, string>): boolean {
  if (changed.size === 0) return true;
  const standing = lines.map(pairsOf);
  return [...changed].every(([at, text]) => {
    const pairs = pairsOf(text);
    const most = Math.max(leastLikeness, likeness(pairs, standing[at]) + leastDifference);
    return most >= 1 || standing.every((other) => likeness(pairs, other) <= most);
  });
}

/** The share of pairs of letters that two texts have in common, 0 to 1. */
function likeness(own: ReadonlySet<string>, other: ReadonlySet<string> = new Set()): number {
  return (2 * own.intersection(other).size) / Math.max(1, own.size + other.size);
}

function pairsOf(text: string): Set<string> {
  const letters = [...stripInlineTags(text).toLowerCase()];
  return new Set(letters.slice(1).map((letter, i) => `${letters[i]}${letter}`));
}
