import { fieldOf, jsonOf } from './json-value.ts';

/**
 * What a provider said about a refusal, fit for an operator's log: one line, short, without keys, and without anything
 * that was sent to it. Servers quote the caller's key and text back at him.
 */
export function providerMessage(
  body: string | undefined,
  sent: { keys: readonly string[]; texts: readonly string[] },
): string {
  let message = messageIn(body ?? '').slice(0, 1_000);
  for (const key of sent.keys) if (key !== '') message = message.replaceAll(key, '[key]');
  return withoutQuotations(message, sent.texts)
    .replace(/\b(?:Bearer|Basic|DeepL-Auth-Key)\s+\S+/giu, '[key]')
    .replace(keyLike, '[key]')
    .replace(/[\p{C}\s]+/gu, ' ')
    .trim()
    .slice(0, 200);
}

/** Long runs of letters and digits with both in them: keys, also half masked ones such as `sk-ab***yz`. */
const keyLike = /(?=[\w*-]*\d)(?=[\w*-]*[A-Za-z])[\w*-]{20,}|\b(?:sk|tol|key)[-_][\w*-]{4,}/gu;

/** The sentence inside the shapes that services answer with: {"error": {"message"}}, {"error"}, {"message"}. */
function messageIn(body: string): string {
  const value = jsonOf(body);
  // A page of HTML says nothing to anybody.
  if (value === undefined) return /<\w/u.test(body) ? '' : body;
  const inner = fieldOf(value, 'error') ?? value;
  if (typeof inner === 'string') return inner;
  const message = fieldOf(inner, 'message') ?? fieldOf(value, 'message') ?? fieldOf(value, 'detail');
  return typeof message === 'string' ? message : '';
}

/** Beyond chance: no sentence of a service shares so many characters in a row with a novel. */
const quotationLength = 16;

function withoutQuotations(message: string, texts: readonly string[]): string {
  let clean = '';
  for (let at = 0; at < message.length; ) {
    const probe = message.slice(at, at + quotationLength);
    if (probe.length < quotationLength || !texts.some((text) => text.includes(probe))) {
      clean += message[at++];
      continue;
    }
    let end = at + quotationLength;
    while (end < message.length && texts.some((text) => text.includes(message.slice(at, end + 1)))) end++;
    clean += '…';
    at = end;
  }
  return clean;
}
