/**
 * Where a run begins, its first paragraph was translated before anybody knew the one in front of it. Once the book is done, the
 * two are laid side by side. Where the form of address or the tense changes for a moment, against the sheet's decision, the
 * engine is asked to mend it. A run that keeps to a form of its own is left alone. It may be a letter, or a chapter that the
 * author tells otherwise.
 */
import { EngineError } from '../engines/engine-error.ts';
import { stripInlineTags } from '../inline-tags.ts';
import { withoutControls } from '../language/control-characters.ts';
import { addressIn, tenseIn } from '../language/voice-forms.ts';
import { projectTags } from '../project-tags.ts';
import type { BookUnit } from './assemble-book.ts';
import { type BookInput, checksOf, type SegmentTask } from './book.ts';
import { type CheckpointRecord, revisionsIn, seamKey } from './checkpoint.ts';
import { isSoundEdit, weightAlone } from './checks/check.ts';
import { translatedEndOf } from './plan/segment.ts';
import { isInOrder } from './plan-book.ts';
import { runPool } from './pool.ts';
import { segmentRequest } from './segment-request.ts';
import type { Sheet } from './sheet.ts';

export interface BookOfRuns {
  tasks: readonly SegmentTask[];
  runs: readonly (readonly SegmentTask[])[];
  /** In the order of the tasks; their texts are changed. */
  units: readonly BookUnit[][];
}

interface Seam {
  task: SegmentTask;
  first: BookUnit;
  /** The end of what stands before it, as it was translated. */
  before: string[];
  fault: string;
}

/** How many paragraphs were changed. */
export async function mendSeams(
  book: BookOfRuns,
  sheet: Pick<Sheet, 'address' | 'tense'> | undefined,
  input: BookInput,
  saved: readonly CheckpointRecord[],
): Promise<number> {
  if (sheet === undefined || !isInOrder(input)) return 0;
  const done = revisionsIn(saved);
  let mended = 0;
  await runPool(seamsOf(book, sheet, input.targetLang), input, async (seam, signal) => {
    const key = seamKey(seam.task.key);
    let texts = done.get(key);
    if (texts === undefined) {
      const text = await mend(seam, input, signal);
      if (text === undefined) return;
      texts = { '0': text };
      await input.checkpoint.save({ kind: 'revision', key, texts });
    }
    const text = texts['0'] ?? seam.first.text;
    if (text !== seam.first.text) mended++;
    seam.first.text = text;
  });
  return mended;
}

function seamsOf(
  { tasks, runs, units }: BookOfRuns,
  sheet: Pick<Sheet, 'address' | 'tense'>,
  targetLang: string,
): Seam[] {
  const places = new Map(tasks.map((task, i) => [task, i]));
  return runs.flatMap(([task]) => {
    const place = task === undefined ? 0 : (places.get(task) ?? 0);
    const first = units[place]?.[0];
    const earlier = (units[place - 1] ?? []).filter(({ failed }) => !failed).map(({ text }) => stripInlineTags(text));
    if (task === undefined || first === undefined || first.failed || earlier.length === 0) return [];
    const before = translatedEndOf(earlier);
    const later = (units[place] ?? []).slice(1).map(({ text }) => stripInlineTags(text));
    const changes = changesAt([before.join('\n'), stripInlineTags(first.text), later.join('\n')], sheet, targetLang);
    return changes.length === 0 ? [] : [{ task, first, before, fault: faultOf(changes, first) }];
  });
}

/** What is otherwise in the middle one of three texts, and the same in those around it. */
function changesAt(
  texts: readonly [string, string, string],
  { address, tense }: Pick<Sheet, 'address' | 'tense'>,
  targetLang: string,
): string[] {
  const isOther = (look: (text: string, language: string) => string | undefined): boolean => {
    const [before, own, later] = texts.map((text) => look(text, targetLang));
    return before !== undefined && own !== undefined && own !== before && later === before;
  };
  return [
    ...((address?.length ?? 0) > 0 && isOther(addressIn) ? ['the form of address'] : []),
    ...(tense !== undefined && isOther(tenseIn) ? ['the tense'] : []),
  ];
}

function faultOf(changes: readonly string[], { text }: BookUnit): string {
  return (
    `Line 1 was translated before the text in front of it was known, and ${changes.join(' and ')} changes there. ` +
    'Decide by the text and by what is decided for this book. If the change is right, repeat the present translation word for word; ' +
    `otherwise change that and nothing else. Present translation: ${text}`
  );
}

/** The text that stands from now on; undefined when the engine could not be reached. */
async function mend(seam: Seam, input: BookInput, signal: AbortSignal): Promise<string | undefined> {
  const { task, first, before, fault } = seam;
  const checks = checksOf(input);
  const keepsInlineTags = input.engines.capabilities[0]?.keepsInlineTags === true;
  const request = segmentRequest({ ...task.work, translatedBefore: before }, [first.unit], {
    sourceLang: input.sourceLang,
    targetLang: input.targetLang,
    keepsInlineTags,
    fault,
  });
  try {
    const { translations } = await input.engines.translate(request, { engineIndex: 0, signal });
    const raw = withoutControls(translations.get(first.unit.id) ?? '').trim();
    const text = projectTags(first.unit.text, raw, input.targetLang).text;
    return isAsGood(text) ? text : first.text;
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof EngineError)) throw error;
    return error.isAboutText ? first.text : undefined;
  }

  /** An edit is about as long as what it edits, and breaks nothing. */
  function isAsGood(text: string): boolean {
    const weight = (translation: string): number => weightAlone(first.unit, translation, checks);
    const edited = { source: first.unit.text, was: first.text, is: text, expected: first.expected };
    return isSoundEdit(edited, input.targetLang) && weight(text) <= weight(first.text);
  }
}
