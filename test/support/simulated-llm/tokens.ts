/**
 * A tokenizer good enough to compare prompts and answers: a word with its leading space is one token per seven
 * letters, a digit group, a run of marks or a break is one, a CJK character is one. Not calibrated:
 * all figures that use it are ratios of two counts of the same kind.
 */
export function countTokens(text: string): number {
  let tokens = 0;
  for (const { 0: piece, groups } of text.matchAll(tokenPattern)) {
    tokens += groups?.word === undefined ? 1 : Math.ceil(piece.length / 7);
  }
  return tokens;
}

const tokenPattern =
  /(?<cjk>[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}])|(?<word> ?[\p{L}\p{M}]+)|(?<digits> ?\p{N}{1,3})|(?<marks> ?[^\p{L}\p{M}\p{N}\s]+\n*)|(?<space>\s)/gu;
