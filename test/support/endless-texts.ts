/** Texts of any length, each the worst that some part of the service can be given. */
export const endlessTexts: Record<string, (length: number) => string> = {
  initials: (length) => repeated('A. ', length),
  words: (length) => repeated('The lamp on the quay was out. ', length),
  oneWord: (length) => repeated('a', length),
  spaces: (length) => `a${' '.repeat(length)}b`,
  blanksAndStops: (length) => repeated('. \t ', length),
  lines: (length) => repeated('\n', length),
  shortLines: (length) => repeated('A.\n', length),
  quotes: (length) => repeated('「あ。」', length),
  openQuotes: (length) => repeated('"(“', length),
  han: (length) => repeated('的', length),
  katakana: (length) => repeated('アリス・', length),
  hangul: (length) => repeated('민수에게 ', length),
  cyrillic: (length) => repeated('Серебряного Шипа ', length),
  capitals: (length) => repeated('Aa Bb Cc Dd ', length),
  digits: (length) => repeated('1,000 ', length),
  tags: (length) => repeated('<1>a</1><2/>', length),
  openTags: (length) => repeated('<1>', length),
  angles: (length) => repeated('<', length),
  backticks: (length) => repeated('```\n', length),
  links: (length) => repeated('[a](', length),
  stars: (length) => repeated('*a **b ', length),
  html: (length) => `<html><body>${repeated('<p>a<i>b', length)}</body></html>`,
  comments: (length) => `<html><body>${repeated('<!-- a', length)}</body></html>`,
  entities: (length) => `<html><body><p>${repeated('&amp;', length)}</p></body></html>`,
  marks: (length) => repeated('e\u0301\u0301', length),
  zwj: (length) => repeated('👩‍', length),
};

export function repeated(unit: string, length: number): string {
  return unit.repeat(Math.ceil(length / unit.length)).slice(0, length);
}

/** One word in thousands of letter cases. */
export function letterCases(number: number): string {
  return Array.from('abcdefghijklmnop', (letter, bit) => (number & (1 << bit) ? letter.toUpperCase() : letter)).join(
    '',
  );
}
