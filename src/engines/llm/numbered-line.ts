/**
 * The number that a model puts before a line: `1 x`, `1. x`, `1: x`, `1) x`, `[1] x`, `(1) x`, `#1: x`, `**1.** x`, `Line 1: x`, `1、x`,
 * with the digits of any width. Undefined where the line has none: "1.5 miles" and "1,000 men" begin with a figure of the story.
 */
export function numberAndText(line: string): { number: number; text: string } | undefined {
  for (const form of forms) {
    const [, digits, text] = form.exec(line) ?? [];
    if (digits !== undefined && text !== undefined) return { number: Number(digits.normalize('NFKC')), text };
  }
  return undefined;
}

/** Whether a text of a book begins with a figure, which then is no number of ours. */
export function startsWithNumber(text: string): boolean {
  return /^[\s\p{P}]*\p{Nd}/u.test(text);
}

const digit = String.raw`([\d０-９]{1,4})`;

const forms = [
  // Right before a letter only in scripts without capitals, which need no space: "1st" is no number.
  String.raw`#?${digit}(?:[.:)]\s|\s|[、：．]\s?|(?=[\p{Lo}<“"‘「『«‹„（【…]))`,
  String.raw`(?:[[(（【]\s?${digit}\s?[\])）】])[:：]?\s?`,
  String.raw`(?:line|第)\s?${digit}\s?(?:行)?[.:)：]\s?`,
  String.raw`\*\*#?${digit}[.:)]?\*\*[.:)]?\s`,
].map((head) => new RegExp(String.raw`^\s{0,20}${head}([\s\S]*)$`, 'iu'));
