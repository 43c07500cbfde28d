/**
 * Inline markup inside a block travels as numbered tags: `<1>…</1>` around a run, `<2/>` for a thing without text (an
 * image, a footnote anchor). They are ASCII, because models keep it and it costs few tokens. A literal `<1>` in a
 * manuscript is itself carried as a standalone tag, so nothing needs escaping.
 */
export type InlineToken =
  | { kind: 'text'; text: string }
  | { kind: 'open' | 'close' | 'standalone'; number: number; raw: string };

const tagPattern = /<(\/?)(\d{1,6})(\/?)>/g;
const anyTag = /<(?:\/\d{1,6}|\d{1,6}\/?)>/g;

export function tokenizeInline(text: string): InlineToken[] {
  const tokens: InlineToken[] = [];
  let end = 0;
  for (const match of text.matchAll(tagPattern)) {
    const [raw, slashBefore, digits, slashAfter] = match;
    if (slashBefore && slashAfter) continue;
    if (match.index > end) tokens.push({ kind: 'text', text: text.slice(end, match.index) });
    const kind = slashBefore ? 'close' : slashAfter ? 'standalone' : 'open';
    tokens.push({ kind, number: Number(digits), raw });
    end = match.index + raw.length;
  }
  if (end < text.length) tokens.push({ kind: 'text', text: text.slice(end) });
  return tokens;
}

export function stripInlineTags(text: string): string {
  // Most paragraphs have none, and every one is asked many times.
  return text.includes('<') ? text.replace(anyTag, '') : text;
}

/** The tags of a text in sorted order: two texts carry the same markup when these are equal. */
export function inlineTagsOf(text: string): string[] {
  if (!text.includes('<')) return [];
  return tokenizeInline(text)
    .flatMap((token) => (token.kind === 'text' ? [] : [token.raw]))
    .sort();
}

/** True when every `<n>` is closed by its `</n>` and pairs nest properly. */
export function inlineTagsNest(text: string): boolean {
  const open: number[] = [];
  for (const token of tokenizeInline(text)) {
    if (token.kind === 'open') open.push(token.number);
    else if (token.kind === 'close' && open.pop() !== token.number) return false;
  }
  return open.length === 0;
}

/** The tags of a paragraph may move in its translation, but none may be lost, added or torn apart. */
export function keepsInlineTags(target: string, source: string): boolean {
  return (
    inlineTagsOf(target).join() === inlineTagsOf(source).join() && inlineTagsNest(target) === inlineTagsNest(source)
  );
}
