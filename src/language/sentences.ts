/** Cuts a paragraph into sentences; the pieces concatenated are the paragraph, exactly. */
export function splitSentences(text: string, language: string): string[] {
  const sentences: string[] = [];
  for (const { segment } of segmenterOf(language).segment(text)) {
    const before = sentences.at(-1);
    if (before !== undefined && continues(before, segment)) sentences[sentences.length - 1] = before + segment;
    else sentences.push(segment);
  }
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
  const there = segmenters.get(language);
  if (there !== undefined) return there;
  const made = new Intl.Segmenter(language, { granularity: 'sentence' });
  segmenters.set(language, made);
  return made;
}

const abbreviation =
  /(?:^|[\s("“«])(?:\p{L}|Mr|Mrs|Ms|Dr|Prof|St|Sr|Jr|Mme|Mlle|Hr|Fr|Sra?|Srta|vs|etc|No|Nr|cf|bzw|z\.\s?B|т\. ?[едп]|г|ул)\.\s*$/u;

/** True when the boundary is none: an abbreviation, or speech that runs on ("Stop!" he said; 「行こう。」と言った). */
function continues(before: string, next: string): boolean {
  if (abbreviation.test(before)) return true;
  if (/[\n\r]\s*$/.test(before)) return false;
  const start = next.replace(/^(?:<\/?\d+\/?>|\s)+/u, '');
  if (/^[”"»’」』）)\]]/u.test(start)) return true;
  return /^\p{Ll}/u.test(start) || (/[」』]\s*$/u.test(before) && /^(?:と|って|など|に|の|は|が|を|も)/u.test(start));
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
