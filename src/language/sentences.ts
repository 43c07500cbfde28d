/** Cuts a paragraph into sentences; the pieces concatenated are the paragraph, exactly. Linear. */
export function splitSentences(text: string, language: string): string[] {
  const sentences: string[] = [];
  let start = 0;
  for (const { index, segment } of segmenterOf(language).segment(text)) {
    if (index === 0 || continues(text, start, index, segment)) continue;
    sentences.push(text.slice(start, index));
    start = index;
  }
  if (start < text.length) sentences.push(text.slice(start));
  return sentences;
}

/** Pieces of at most `limit` UTF-16 units made of whole sentences; longer sentences are cut at clauses, then words. */
export function splitText(text: string, language: string, limit: number): string[] {
  const pieces: string[] = [];
  for (const sentence of splitSentences(text, language).flatMap((one) => cutClauses(one, limit))) {
    const before = pieces.at(-1);
    if (before !== undefined && before.length + sentence.length <= limit) pieces[pieces.length - 1] = before + sentence;
    else pieces.push(sentence);
  }
  return pieces.map((_, i) => withoutOrphanedTags(pieces, i));
}

const segmenters = new Map<string, Intl.Segmenter>();

function segmenterOf(language: string): Intl.Segmenter {
  return segmenters.getOrInsertComputed(language, () => new Intl.Segmenter(language, { granularity: 'sentence' }));
}

const abbreviation =
  /(?:^|[\s("“«])(?:\p{L}|Mr|Mrs|Ms|Dr|Prof|St|Sr|Jr|Mme|Mlle|Hr|Fr|Sra?|Srta|vs|etc|No|Nr|cf|bzw|z\.\s?B|т\. ?[едп]|г|ул)\.$/u;
/** Longer than any abbreviation with the mark before it. */
const abbreviationLength = 16;

/**
 * True when the boundary at `end` of the sentence from `start` is none: an abbreviation, or speech that runs on ("Stop!"
 * he said; 「行こう。」と言った). Looks at the last characters only: a sentence of a thousand initials is as long as it gets.
 */
function continues(text: string, start: number, end: number, next: string): boolean {
  let last = end;
  let breaksLine = false;
  while (last > start && /\s/.test(text[last - 1] ?? '')) {
    last--;
    if (text[last] === '\n' || text[last] === '\r') breaksLine = true;
  }
  const closing = text[last - 1] ?? '';
  if (closing === '.' && abbreviation.test(text.slice(Math.max(start, last - abbreviationLength), last))) return true;
  if (breaksLine) return false;
  const opening = /^(?:<\/?\d+\/?>|\s)*/u.exec(next)?.[0].length ?? 0;
  const following = next.slice(opening, opening + 4);
  if (/^[”"»’」』）)\]]/u.test(following)) return true;
  return (
    /^\p{Ll}/u.test(following) || (/[」』]/u.test(closing) && /^(?:と|って|など|に|の|は|が|を|も)/u.test(following))
  );
}

/** After clause marks, else after spaces, else anywhere but inside a tag or a grapheme. */
function cutClauses(sentence: string, limit: number): string[] {
  const pieces: string[] = [];
  let rest = sentence;
  while (rest.length > limit) {
    const head = rest.slice(0, limit);
    const clause = /^[\s\S]*[,;:，、；：—…][”"»’」』）)]*/u.exec(head)?.[0].length ?? 0;
    const space = head.lastIndexOf(' ') + 1;
    let cut = clause > limit / 3 ? clause : space > limit / 3 ? space : limit;
    const tag = /<\/?\d{0,6}\/?$/.exec(rest.slice(0, cut));
    if (tag !== null && tag.index > 0) cut = tag.index;
    if ((rest.charCodeAt(cut) & 0xfc00) === 0xdc00 || /^(?:\p{M}|\u200d)/u.test(rest.slice(cut, cut + 2))) cut--;
    pieces.push(rest.slice(0, cut));
    rest = rest.slice(cut);
  }
  if (rest !== '') pieces.push(rest);
  return pieces;
}

/** Closing tags at the start of a piece belong to the piece before it. */
function withoutOrphanedTags(pieces: readonly string[], i: number): string {
  const orphaned = /^(?:<\/\d{1,6}>)+/;
  const own = i === 0 ? (pieces[i] ?? '') : (pieces[i] ?? '').replace(orphaned, '');
  const adopted = orphaned.exec(pieces[i + 1] ?? '')?.[0] ?? '';
  return own + adopted;
}
