/**
 * Whether a word of a text is a form of a dictionary word: endings by language family, without dictionaries. Wrong
 * answers cost little (one more hint to the engine, one more accepted rendering), so the rules are few.
 * Both words lower-case.
 */
export function isFormOf(word: string, base: string, language: string): boolean {
  if (word === base) return true;
  const family = families[language] ?? 'suffixing';
  if (family === 'fusional') return sharesStem(word, base);
  if (family === 'agglutinative') {
    // Anna → Annalla, Ali → Ali'nin (the apostrophe is a word boundary anyway), Mehmet → Mehmedin: last letter may change.
    const stem = base.length >= 5 ? base.slice(0, -1) : base;
    return stem.length >= 3 && word.startsWith(stem) && word.length - base.length <= 6;
  }
  return word.startsWith(base) && (suffixes[language] ?? plainSuffixes).has(word.slice(base.length));
}

/** Languages whose words change inside, so that a plain search for the dictionary form misses occurrences. */
export function inflects(language: string): boolean {
  return families[language] !== undefined;
}

const families: Record<string, 'fusional' | 'agglutinative'> = Object.fromEntries([
  ...'ru uk be bg sr hr bs sl cs sk pl mk lv lt la el ro is sq hy ga cy'.split(' ').map((code) => [code, 'fusional']),
  ...'fi et hu tr az kk ky uz mn eu ka'.split(' ').map((code) => [code, 'agglutinative']),
]);

const plainSuffixes = new Set(['s', 'es']);
const suffixes: Record<string, ReadonlySet<string>> = {
  de: new Set(['s', 'es', 'e', 'n', 'en', 'er', 'ern', 'ens']),
  nl: new Set(['s', 'en', 'n', 'je', 'e']),
  sv: new Set(['s', 'n', 'en', 'et', 'ns', 'ens', 'ar', 'er', 'or']),
  da: new Set(['s', 'n', 'en', 'et', 'ens', 'er']),
  nb: new Set(['s', 'n', 'en', 'et', 'er']),
  nn: new Set(['s', 'n', 'en', 'et', 'ar']),
  no: new Set(['s', 'n', 'en', 'et', 'er']),
};

// Endings of fusional languages start with a vowel (or й, ь) and have at most three letters: -ой, -ami, -ych; few have four.
const ending =
  /^(?:[aeiouyąęáéíóúýěůōāēīūųæøåаеёиоуыэюяіїєйьαεηιουωάέήίόύώ]\p{L}{0,2}|iego|iemu|ovej|ovou|иями|ьями)?$/u;

function sharesStem(word: string, base: string): boolean {
  let shared = 0;
  while (shared < word.length && shared < base.length && word[shared] === base[shared]) shared++;
  // The stem may also end before shared vowels: Мария / Мариям share "мария", Анна / Анна-ми.
  for (let stem = shared; stem >= shortestStem(base); stem--) {
    if (ending.test(word.slice(stem)) && ending.test(base.slice(stem))) return true;
  }
  return false;
}

function shortestStem(base: string): number {
  const shortest = base.length <= 3 ? base.length - 1 : Math.max(3, base.length - 2);
  return shortest < 2 ? Number.POSITIVE_INFINITY : shortest;
}

const longestEnding = 4;
const longestGrowth = 6;

/**
 * The stems under which a dictionary word is filed, so that its forms are found without trying every word. A word of a
 * text is a form of it when the two share a stem (and `isFormOf` agrees on the length). There are at most three stems.
 */
export function stemsOfBase(base: string, language: string): string[] {
  if (families[language] === 'agglutinative') {
    const stem = base.length >= 5 ? base.slice(0, -1) : base;
    return stem.length >= 3 ? [stem] : [];
  }
  const stems: string[] = [];
  for (let length = base.length; length >= shortestStem(base); length--) {
    if (ending.test(base.slice(length))) stems.push(base.slice(0, length));
  }
  return stems;
}

/** The stems that a word of a text may have, longest first. At most eight. */
export function stemsOfWord(word: string, language: string): string[] {
  const isFusional = families[language] === 'fusional';
  const shortest = Math.max(2, word.length - (isFusional ? longestEnding : longestGrowth + 1));
  const stems: string[] = [];
  for (let length = word.length; length >= shortest; length--) {
    if (!isFusional || ending.test(word.slice(length))) stems.push(word.slice(0, length));
  }
  return stems;
}
