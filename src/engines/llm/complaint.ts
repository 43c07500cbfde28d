import { jsonOf } from '../json-value.ts';

/** What a server said instead of an answer: the parts of its body that are its own words, and none that may quote ours. */
export interface Complaint {
  status: number | undefined;
  /** Codes, types, names of parameters and sentences, joined. */
  words: string;
  /** The field of the request that it names. */
  parameter: string | undefined;
  /** An answer that the server made and then found invalid itself, as Groq does. */
  answer: string | undefined;
}

export function readComplaint(status: number | undefined, body: string): Complaint {
  const value = jsonOf(body);
  if (value === undefined || typeof value === 'string')
    return { status, words: body.slice(0, maxCharacters), parameter: undefined, answer: undefined };
  const words: string[] = [];
  let parameter: string | undefined;
  let answer: string | undefined;
  const read = (inner: unknown, name: string, depth: number): void => {
    if (depth > 6) return;
    if (typeof inner === 'string' || typeof inner === 'number') {
      if (name === 'failed_generation') answer = String(inner);
      else if (ownWords.has(name))
        words.push(name === 'message' || name === 'msg' ? String(inner) : `${name}=${inner}`);
      if (name === 'param' && typeof inner === 'string') parameter ??= inner;
    } else if (Array.isArray(inner)) {
      // As validators in Python say it: ["body", "stream_options"].
      if (name === 'loc') parameter ??= inner.filter((part) => part !== 'body').join('.');
      for (const one of inner.slice(0, 20)) read(one, name, depth + 1);
    } else if (typeof inner === 'object' && inner !== null) {
      for (const [key, own] of Object.entries(inner)) if (!quotes.has(key)) read(own, key, depth + 1);
    }
  };
  read(value, '', 0);
  return { status, words: words.join('\n').slice(0, maxCharacters), parameter: parameter || undefined, answer };
}

const maxCharacters = 4_000;
const ownWords = new Set(
  'code type status message msg detail error reason reasons param loc title finish_reason stop_reason quotaId error_code blockReason limit_source n_ctx n_prompt_tokens retryDelay next_flush_time request_id_type raw'.split(
    ' ',
  ),
);
/** What holds the request, or a part of it. */
const quotes = new Set(['input', 'ctx', 'prompt', 'messages', 'flagged_input', 'requestBodyValues']);
