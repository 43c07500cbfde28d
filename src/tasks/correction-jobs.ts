/**
 * Corrections as they were sent, read inside the sandbox: an XLIFF of a novel takes a third of a second, and its paragraphs
 * go back in parts, because as one answer they would hold up whoever takes them.
 */
import { AppError, badRequest } from '../errors.ts';
import type { EditedUnit } from '../interchange/edited-unit.ts';
import type { InterchangeLanguages } from '../interchange/interchange-languages.ts';
import { readCorrections } from '../interchange/read-corrections.ts';
import { parsedJson } from './sent-json.ts';

export interface SentCorrections {
  /** What they are corrections of decides what JSON looks like. */
  of: 'task' | 'series';
  form: 'json' | 'file';
  body: Uint8Array;
  languages: InterchangeLanguages;
}

export interface CorrectionHost {
  take(units: readonly EditedUnit[]): Promise<void>;
}

const unitsPerPart = 250;
/** A file holds the paragraphs that nobody edited too: a novel of 3 million characters has about 30,000. */
const maxUnits = 50_000;
/** Of a list of a series. */
export const maxCorrections = 20_000;

/** @throws BAD_REQUEST, PAYLOAD_TOO_LARGE */
export async function readSentCorrections(sent: SentCorrections, host: CorrectionHost): Promise<void> {
  const units = await unitsOf(sent);
  for (let at = 0; at < units.length; at += unitsPerPart) await host.take(units.slice(at, at + unitsPerPart));
}

async function unitsOf({ of, form, body, languages }: SentCorrections): Promise<EditedUnit[]> {
  if (form === 'json') return of === 'series' ? listOfSeries(parsedJson(body)) : listOfTask(parsedJson(body));
  const units = await readCorrections(body, languages);
  if (of === 'task' || units.length <= maxUnits) return units;
  throw tooMany('file', `The file has more than ${maxUnits} units; send it in parts.`, maxUnits);
}

function listOfSeries(body: unknown): EditedUnit[] {
  if (!Array.isArray(body) || body.length === 0)
    throw fault('Send [{"source": "…", "target": "…"}], or an XLIFF or TMX file.');
  if (body.length > maxCorrections) {
    const message = `There are more than ${maxCorrections} corrections; send them in parts.`;
    throw tooMany('corrections', message, maxCorrections);
  }
  return body.map((entry: unknown, index) => {
    const { source, target, ...others } = (entry ?? {}) as Record<string, unknown>;
    if (typeof source !== 'string' || source === '' || typeof target !== 'string' || Object.keys(others).length > 0)
      throw fault('A correction has a source and a target, both text, and nothing else.', index);
    return { id: undefined, source, target };
  });
}

function listOfTask(body: unknown): EditedUnit[] {
  const list = (body as { corrections?: unknown } | null)?.corrections;
  if (!Array.isArray(list)) throw fault('Send {"corrections": [{"source", "target"}]}, or an XLIFF or TMX file.');
  return list.map((entry: unknown) => {
    const { block_id, source, target } = (entry ?? {}) as Record<string, unknown>;
    if (typeof source !== 'string' || typeof target !== 'string')
      throw fault('A correction has a source and a target, both text.');
    if (!`${source}${target}`.isWellFormed() || `${source}${target}`.includes('\0'))
      throw fault('A correction is well-formed Unicode without U+0000.');
    return { id: typeof block_id === 'string' ? block_id : undefined, source, target };
  });
}

function fault(message: string, index?: number): AppError {
  const place = index === undefined ? {} : { index };
  return badRequest(message, { field: 'corrections', reason: 'BAD_CORRECTIONS', ...place });
}

function tooMany(field: string, message: string, limit: number): AppError {
  return new AppError('PAYLOAD_TOO_LARGE', message, { details: { field, reason: 'TOO_MANY_CORRECTIONS', limit } });
}
