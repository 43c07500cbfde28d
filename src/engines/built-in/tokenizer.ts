/** Text to the numbers the model reads and back: SentencePiece's unigram model with byte fallback, from its vocabulary. */
export type Tokenizer = ReturnType<typeof createTokenizer>;

const byteToken = /^<0x([0-9A-F]{2})>$/;
/** Tokens that are written in the text as they are: glossary marks and inline tags. */
const symbolToken = /^(?:[⟦⟧]|<\/?[1-9]>|<x[1-9]\/>)$/;
const symbols = /<\/?[1-9]>|<x[1-9]\/>|[⟦⟧]/g;
const controlToken = /^<[^>]+>$/;
/** SentencePiece's own rule: a character outside the vocabulary costs this much more than its rarest piece. */
const unknownPenalty = 10;

/** `vocabulary`: one piece and its log probability a line, in the order of the token numbers. */
export function createTokenizer(vocabulary: string) {
  const pieces: string[] = [];
  const scores: number[] = [];
  const tokens = new Map<string, number>();
  const symbolTokens = new Map<string, number>();
  const tokenOfByte = new Map<number, number>();
  const byteOfToken = new Map<number, Buffer>();
  let rarest = 0;
  let longest = 1;
  for (const [token, line] of vocabulary.split('\n').entries()) {
    if (line === '') continue;
    const tab = line.lastIndexOf('\t');
    const piece = line.slice(0, tab);
    const score = Number(line.slice(tab + 1));
    pieces[token] = piece;
    scores[token] = score;
    const byte = byteToken.exec(piece)?.[1];
    if (byte !== undefined) {
      tokenOfByte.set(Number.parseInt(byte, 16), token);
      byteOfToken.set(token, Buffer.from(byte, 'hex'));
    } else if (symbolToken.test(piece)) symbolTokens.set(piece, token);
    else {
      rarest = Math.min(rarest, score);
      if (controlToken.test(piece)) continue;
      tokens.set(piece, token);
      longest = Math.max(longest, piece.length);
    }
  }
  const unknownScore = rarest - unknownPenalty;

  /** Viterbi: the cut into pieces with the highest sum of log probabilities. */
  const segment = (text: string): number[] => {
    const { length } = text;
    const best = new Float64Array(length + 1).fill(Number.NEGATIVE_INFINITY);
    const token = new Int32Array(length + 1);
    const size = new Int32Array(length + 1);
    best[0] = 0;
    const offer = (end: number, score: number, id: number, length: number): void => {
      if (score <= (best[end] ?? 0)) return;
      best[end] = score;
      token[end] = id;
      size[end] = length;
    };
    for (let start = 0; start < length; start++) {
      const before = best[start] ?? Number.NEGATIVE_INFINITY;
      if (before === Number.NEGATIVE_INFINITY) continue;
      const character = (text.codePointAt(start) ?? 0) > 0xffff ? 2 : 1;
      let known = false;
      for (let n = 1; n <= longest && start + n <= length; n++) {
        const id = tokens.get(text.slice(start, start + n));
        if (id === undefined) continue;
        if (n === character) known = true;
        offer(start + n, before + (scores[id] ?? 0), id, n);
      }
      if (!known) offer(start + character, before + unknownScore, -1, character);
    }
    const reversed: number[] = [];
    for (let end = length; end > 0; end -= size[end] ?? 1) {
      const id = token[end] ?? -1;
      if (id >= 0) reversed.push(id);
      else {
        const bytes = Buffer.from(text.slice(end - (size[end] ?? 1), end));
        reversed.push(...Array.from(bytes, (byte) => tokenOfByte.get(byte) ?? 1).reverse());
      }
    }
    return reversed.reverse();
  };

  return {
    encode(text: string): number[] {
      const marked = `▁${text.replaceAll(' ', '▁')}`;
      const out: number[] = [];
      let end = 0;
      for (const match of marked.matchAll(symbols)) {
        out.push(...segment(marked.slice(end, match.index)), symbolTokens.get(match[0]) ?? 1);
        end = match.index + match[0].length;
      }
      return [...out, ...segment(marked.slice(end))];
    },
    decode(ids: readonly number[]): string {
      const bytes = ids.map((id) => byteOfToken.get(id) ?? Buffer.from(pieces[id] ?? ''));
      return Buffer.concat(bytes).toString('utf8').replaceAll('▁', ' ').trim();
    },
  };
}
