/** Lines that are the same in every language: addresses of the web, formulas, and the addresses of houses. */

/** False for what goes into a translation as it is: digits, ornaments, web and mail addresses, formulas. */
export function hasWords(text: string): boolean {
  if (!letter.test(text)) return false;
  // Most paragraphs are prose, and prose is longer or has none of these marks.
  if (text.length > maxLength || !hint.test(text)) return true;
  const rest = text.normalize('NFKC').replace(address, ' ').replace(texFormula, ' ');
  return letter.test(rest) && !isFormula(rest);
}

const letter = /\p{L}/u;
const maxLength = 2_000;
const hint = /[:@=+＝＋×÷·≤≥≈≠^√∑∫\\$]|www\.|\.\p{L}{2,}\//u;

/** `https://…`, `www.…`, `mail@example.org`, `example.org/path`, `doi:10.…`. */
const address = new RegExp(
  [
    String.raw`(?<!\p{L})(?:https?|ftp|file|mailto|tel|doi|urn|isbn):\S+`,
    String.raw`(?<!\p{L})www\.\S+`,
    String.raw`[\w.+-]+@[\w-]+(?:\.[\w-]+)+`,
    String.raw`(?<![\p{L}\d.])(?:[a-z0-9-]+\.)+[a-z]{2,10}\/\S*`,
  ].join('|'),
  'giu',
);

const texFormula =
  /\$\$[^$]+\$\$|\$[^$\n]+\$|\\\([\s\S]*?\\\)|\\\[[\s\S]*?\\\]|\\begin\{(\w+\*?)\}[\s\S]*?\\end\{\1\}/g;

const operator = /[=≤≥≈≠^√∑∫+×÷·]/;
const functions = new Set('sin cos tan log ln exp max min lim mod div'.split(' '));

/** Single letters and names of functions around an operator: `E = mc²`, `sin x + cos y`. */
function isFormula(text: string): boolean {
  if (!operator.test(text)) return false;
  const words = text.match(/\p{L}+/gu) ?? [];
  return words.every((word) => word.length === 1 || functions.has(word) || /^[a-z]{2}$/.test(word));
}

const particles = new Set(
  'de del della di da do dos du des la le les el los las van von der den zu zum zur am an auf of the und et y e'.split(
    ' ',
  ),
);
const streets = new Set(
  'rue avenue boulevard place quai impasse chemin calle plaza avenida paseo via viale piazza corso vicolo rua travessa largo street road lane square ulica ul ulice utca улица ул проспект пр переулок пер'.split(
    ' ',
  ),
);
const streetEnding = /\p{L}{3}(?:stra(?:ß|ss)e|str|gasse|weg|platz|allee|ufer|straat|laan|gracht|gatan|vej)$/iu;
const houseParts = new Set('дом д кв г no nr n'.split(' '));

/** `12, rue de la Paix, 75002 Paris`: a street, a number, names, and no word that would be translated. */
export function isHouseAddress(text: string): boolean {
  const words = text.match(/[\p{L}\p{M}]+/gu) ?? [];
  if (words.length > 14 || !/\p{N}/u.test(text) || /[!?]\s*$/.test(text)) return false;
  const isStreet = (word: string) => streets.has(word.toLowerCase()) || streetEnding.test(word);
  const isSame = (word: string) => particles.has(word.toLowerCase()) || houseParts.has(word.toLowerCase());
  return words.some(isStreet) && words.every((word) => /^\p{Lu}/u.test(word) || isStreet(word) || isSame(word));
}
