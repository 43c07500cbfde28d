import { type Source } from './source.js';
import type { CallOptions, Transport } from './transport.js';
import type { Task, TaskForm } from './wire-types.js';
/** The fields of the API under their own names; numbers and objects as such. */
export interface CreateTaskParameters extends Pick<TaskForm, ('action' | 'target_lang' | 'source_lang' | 'glossary_strategy' | 'style' | 'context' | 'outputs' | 'text') | ('source_task_id' | 'series_id')> {
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
export declare function createTask(transport: Transport, { file, ...parameters }: CreateTaskParameters, { idempotencyKey, signal }: CreateTaskOptions): Promise<Task>;
/** The terms of a finished glossary_extraction as the `glossary` of a translation. */
export declare function glossaryOf(task: Pick<Task, 'terms'>): Glossary;
