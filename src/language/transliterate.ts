/**
 * Cyrillic and Greek in Latin letters, the way English prose writes names. These are the BGN/PCGN tables, softened
 * where custom has settled on something simpler (Вронский is Vronsky, not Vronskiy; Мария is Maria; soft signs vanish).
 */
import { baseCode } from './languages.ts';
import { pairsIn } from './pairs.ts';

/**
 * Letters and groups of letters with their Latin form. `^` ties a group to the start of a word and `$` to its end; the
 * longest group that fits wins.
 */
type Alphabet = ReadonlyMap<string, string>;

function alphabet(letters: string, base: Alphabet = new Map()): Alphabet {
  return new Map([...base, ...pairsIn(letters)]);
}

/** Words of any other script, punctuation and digits stay as they are. An unknown language is guessed by its letters. */
export function transliterate(text: string, language?: string): string {
  return text
    .normalize('NFC')
    .replace(cyrillicWord, (word) => spell(word, cyrillicAlphabet(word, language)))
    .replace(greekWord, (word) => spell(word, greek));
}

// An apostrophe separates a hard consonant from a vowel in Ukrainian and Belarusian (Лук'ян), so it is part of the word.
const cyrillicWord = /\p{Script=Cyrillic}+(?:['’ʼ]\p{Script=Cyrillic}+)*/gu;
const greekWord = /\p{Script=Greek}+/gu;
const longestGroup = 12;

function spell(word: string, alphabet: Alphabet): string {
  const lower = word.toLowerCase();
  let spelled = '';
  let at = 0;
  while (at < word.length) {
    const { length, latin } = longestAt(lower, at, alphabet);
    spelled += withCase(latin, word, at);
    at += length;
  }
  return spelled;
}

function longestAt(word: string, at: number, alphabet: Alphabet): { length: number; latin: string } {
  for (let length = Math.min(longestGroup, word.length - at); length > 0; length--) {
    const group = word.slice(at, at + length);
    const atStart = at === 0;
    const atEnd = at + length === word.length;
    const latin =
      (atStart && atEnd ? alphabet.get(`^${group}$`) : undefined) ??
      (atStart ? alphabet.get(`^${group}`) : undefined) ??
      (atEnd ? alphabet.get(`${group}$`) : undefined) ??
      alphabet.get(group);
    if (latin !== undefined) return { length, latin };
  }
  return { length: 1, latin: word.charAt(at) };
}

/** Щ is `Shch` in Щедрин and `SHCH` in ЩЕДРИН; a letter alone, as in the initial Ю., is `Yu`. */
function withCase(latin: string, word: string, at: number): string {
  if (!isUpper(word.charAt(at))) return latin;
  const neighbour = word.charAt(at + 1) || word.charAt(at - 1);
  return isUpper(neighbour) ? latin.toUpperCase() : latin.charAt(0).toUpperCase() + latin.slice(1);
}

function isUpper(letter: string): boolean {
  return letter !== letter.toLowerCase();
}

function cyrillicAlphabet(word: string, language: string | undefined): Alphabet {
  const known = language === undefined ? undefined : alphabets[baseCode(language)];
  if (known !== undefined) return known;
  if (/[іїєґ]/iu.test(word)) return /[ўыэё]/iu.test(word) ? belarusian : ukrainian;
  if (/ў/iu.test(word)) return belarusian;
  if (/[ѓќѕ]/iu.test(word)) return macedonian;
  return /[ђјљњћџ]/iu.test(word) ? serbian : russian;
}

// What most Cyrillic alphabets agree on.
const shared = alphabet(
  'а=a б=b в=v г=g д=d е=e ж=zh з=z и=i й=y к=k л=l м=m н=n о=o п=p р=r с=s т=t у=u ф=f х=kh ц=ts ч=ch ш=sh ' +
    'щ=shch ъ= ы=y ь= э=e ю=yu я=ya ' +
    // Letters of the spelling before 1918.
    "і=i ѣ=e ѳ=f ѵ=i '= ’= ʼ=",
);

const russian = alphabet(
  'ё=yo жё=zhe чё=che шё=she щё=shche ^е=ye ' +
    // Names whose English form has long been without the y.
    '^елен=elen ^елизавет=elizavet ^екатерин=ekaterin ^евген=evgen ^ева$=eva ^юрий$=yuri ^александр$=alexander ' +
    '^алекс=alex ^макс=max ье=ye ьё=yo ьи=yi ьо=yo ъе=ye ъё=yo ай=ai ей=ei эй=ei айя=aya ейя=eya ойя=oya ийя=iya ' +
    'йо=yo ий$=y ый$=y ия$=ia',
  shared,
);

const ukrainian = alphabet(
  "г=h ґ=g зг=zgh и=y є=ie ^є=ye ї=i ^ї=yi й=i ^й=y ю=iu ^ю=yu я=ia ^я=ya ьо=io йо=yo 'я=ya ’я=ya ʼя=ya 'ю=yu " +
    "’ю=yu ʼю=yu 'є=ye ’є=ye ʼє=ye ий$=y ій$=iy ія$=ia",
  shared,
);

const belarusian = alphabet('г=h ё=io ^ё=yo ^е=ye ў=u ^ю=yu ю=iu ^я=ya я=ia ый$=y ій$=y ія$=ia', shared);

const bulgarian = alphabet('х=h щ=sht ъ=a ь=y ия$=ia', shared);

const macedonian = alphabet('х=h ц=c ѓ=gj ѕ=dz ј=j љ=lj њ=nj ќ=kj џ=dzh', shared);

// Serbian has a Latin alphabet of its own, which English prose keeps.
const serbian = alphabet('ђ=đ ж=ž ј=j љ=lj њ=nj ћ=ć х=h ц=c ч=č џ=dž ш=š', shared);

const alphabets: Readonly<Record<string, Alphabet>> = {
  ru: russian,
  uk: ukrainian,
  be: belarusian,
  bg: bulgarian,
  mk: macedonian,
  sr: serbian,
  bs: serbian,
};

/** Accents do not change a Greek letter's Latin form, except that they can part the two vowels of a pair. */
const greekLetters = alphabet(
  'α=a β=v γ=g δ=d ε=e ζ=z η=i θ=th ι=i κ=k λ=l μ=m ν=n ξ=x ο=o π=p ρ=r σ=s ς=s τ=t υ=y φ=f χ=ch ψ=ps ω=o ου=ou ' +
    'γγ=ng γξ=nx γχ=nch ^γκ=g ^μπ=b ^ντ=d μπ$=b μπ=mb',
);

const greek = alphabet(
  'ά=a έ=e ή=i ί=i ϊ=i ΐ=i ό=o ύ=y ϋ=y ΰ=y ώ=o ού=ou',
  new Map([...greekLetters, ...vowelPairs()]),
);

/** αυ, ευ and ηυ end in v before a voiced sound and in f before a voiceless one. */
function* vowelPairs(): Generator<[string, string]> {
  for (const [first, latin] of pairsIn('α=a ε=e η=i')) {
    for (const second of ['υ', 'ύ']) {
      yield [`${first}${second}`, `${latin}v`];
      yield [`${first}${second}$`, `${latin}f`];
      for (const voiceless of 'θκξπσςτφχψ')
        yield [`${first}${second}${voiceless}`, `${latin}f${greekLetters.get(voiceless) ?? ''}`];
    }
  }
}
