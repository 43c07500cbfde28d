/** POST /tasks: the form, the file and the key that makes a retry safe. */
import { randomUUID } from 'node:crypto';
import { openSource, type Source } from './source.ts';
import type { CallOptions, Transport } from './transport.ts';
import type { Task, TaskForm } from './wire-types.ts';

/** The fields of the API under their own names; numbers and objects as such. */
export interface CreateTaskParameters
  extends Pick<
    TaskForm,
    | ('action' | 'target_lang' | 'source_lang' | 'glossary_strategy' | 'style' | 'context' | 'outputs' | 'text')
    | ('source_task_id' | 'series_id')
  > {
  /** Exactly one of `file`, `text` and `source_task_id`. */
  file?: Source;
  /** Names the bytes or the text; a path brings its own name. */
  file_name?: string;
  /** Process only this many opening characters. */
  char_limit?: number;
  /** With `char_limit`: begin at the first chapter of prose, behind imprint, contents and preface. */
  skip_front_matter?: boolean;
  /** For files without `char_limit`: credits to reserve. */
  estimated_chars?: number;
  glossary?: Glossary;
  /** False: rather no translation than one by the draft engine. */
  accept_draft?: boolean;
  /** Up to 16 strings that you choose, returned as `partner_metadata`. */
  metadata?: Record<string, string>;
}

/** Source term to translation. `terms` of a glossary_extraction become one with `glossaryOf`. */
export type Glossary = Record<string, string | GlossaryEntry>;

export interface GlossaryEntry {
  target: string;
  type?: string;
  gender?: string;
  aliases?: string[];
  case_sensitive?: boolean;
  note?: string;
}

export interface CreateTaskOptions extends CallOptions {
  /** One per logical request: 1 to 255 printable ASCII characters. Default: a random one for this call. */
  idempotencyKey?: string | undefined;
}

export async function createTask(
  transport: Transport,
  { file, ...parameters }: CreateTaskParameters,
  { idempotencyKey = randomUUID(), signal }: CreateTaskOptions,
): Promise<Task> {
  const call = { method: 'POST', path: '/tasks', signal } as const;
  const headers = { 'idempotency-key': idempotencyKey };
  if (file === undefined) {
    const { type, body } = bodyOf(parameters);
    return (await transport.call<Task>({ ...call, headers: { ...headers, 'content-type': type }, body })).data;
  }
  const { file_name: fileName, ...fields } = parameters;
  const source = await openSource(file, fileName);
  try {
    const body = new FormData();
    for (const [name, value] of Object.entries(fields)) {
      if (value !== undefined) body.append(name, typeof value === 'object' ? JSON.stringify(value) : String(value));
    }
    body.append('file', source.blob, source.fileName);
    return (await transport.call<Task>({ ...call, headers, body })).data;
  } finally {
    await source.close();
  }
}

/** The service takes JSON of this size at most; a longer text goes as a form. */
const maxJsonBytes = 2 * 1024 * 1024;

/** A form written by hand: `FormData` rewrites the line ends of a text. */
function bodyOf(parameters: object): { type: string; body: string } {
  const json = JSON.stringify(parameters);
  if (new Blob([json]).size <= maxJsonBytes) return { type: 'application/json', body: json };
  const boundary = `toledo-${randomUUID()}`;
  const parts = Object.entries(parameters)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => {
      const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
      return `--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${text}\r\n`;
    });
  return { type: `multipart/form-data; boundary=${boundary}`, body: `${parts.join('')}--${boundary}--\r\n` };
}

/** The terms of a finished glossary_extraction as the `glossary` of a translation. */
export function glossaryOf(task: Pick<Task, 'terms'>): Glossary {
  return Object.fromEntries(
    (task.terms ?? []).map(({ source, target, type, gender, aliases }) => [
      source,
      {
        target,
        ...(type === undefined ? {} : { type }),
        ...(gender === undefined ? {} : { gender }),
        ...(aliases === undefined ? {} : { aliases }),
      },
    ]),
  );
}
