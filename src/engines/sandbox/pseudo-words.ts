/**
 * Invented words in any supported script: the same source word always gives the same word. So a sandbox translation is
 * deterministic and passes the checks of a real one: script, length, no echo of the source.
 */
export type PseudoScript = ReturnType<typeof scriptOf>;

export function pseudoScript(script: string, language: string): PseudoScript {
  const han = hanInventories[script];
  if (han !== undefined) {
    const characters = [...han];
    return scriptOf((hash) => pick(characters, hash), { spaced: false, lettersEach: 2.6, most: 4 });
  }
  if (script === 'Kore') return scriptOf(hangulSyllable, { spaced: true, lettersEach: 2.2, most: 4 });
  const { onsets, vowels, codas } = syllables[script] ?? latin;
  return scriptOf((hash) => pick(onsets, hash) + pick(vowels, hash >>> 5) + pick(codas, hash >>> 9), {
    spaced: !unspacedScripts.has(script),
    lettersEach: 2.6,
    most: 5,
    words: functionWords[language] ?? [],
  });
}

/** FNV-1a: 32 bits are plenty to choose syllables, and the same on every machine. */
export function hashText(text: string, seed = 0): number {
  let hash = (0x811c9dc5 ^ seed) >>> 0;
  for (let i = 0; i < text.length; i++) {
    hash ^= text.charCodeAt(i);
    hash = Math.imul(hash, 0x01000193) >>> 0;
  }
  // The last rounds of FNV barely touch the high bits; one more mix spreads neighbours such as 李 and 杏.
  hash ^= hash >>> 15;
  hash = Math.imul(hash, 0x2c1b3c6d) >>> 0;
  return (hash ^ (hash >>> 12)) >>> 0;
}

interface ScriptShape {
  /** Words are separated by spaces. */
  spaced: boolean;
  /** Of the source, for one syllable. */
  lettersEach: number;
  /** Syllables of a word. */
  most: number;
  words?: readonly string[];
}

function scriptOf(syllable: (hash: number) => string, shape: ScriptShape) {
  const { spaced, lettersEach, most, words = [] } = shape;
  return {
    spaced,
    /** One invented word for a source word of about `letters` letters. */
    word(source: string, letters: number): string {
      const hash = hashText(source);
      // Every third word is a real function word, so that a language detector recognises the target language.
      if (words.length > 0 && letters <= 5 && hash % 3 === 0) return pick(words, hash >>> 3);
      const length = Math.max(1, Math.min(most, Math.round(letters / lettersEach)));
      return Array.from({ length }, (_, i) => syllable(hashText(source, i + 1))).join('');
    },
    /** One syllable for one character of a name, so that short and long forms of a name stay visibly related. */
    syllable: (character: string) => syllable(hashText(character, 7)),
  };
}

function hangulSyllable(hash: number): string {
  const onset = pick([0, 2, 3, 5, 6, 7, 9, 11, 12, 18], hash);
  const vowel = pick([0, 4, 8, 13, 18, 20], hash >>> 5);
  const coda = pick([0, 0, 0, 4, 8, 16, 21], hash >>> 9);
  return String.fromCharCode(0xac00 + (onset * 21 + vowel) * 28 + coda);
}

function pick<T>(list: readonly T[], hash: number): T {
  const value = list[hash % list.length];
  if (value === undefined) throw new Error('cannot choose from an empty list');
  return value;
}

function parts(onsets: string, vowels: string, codas: string) {
  return { onsets: [...onsets], vowels: [...vowels], codas: ['', ...codas] };
}

const latin = parts('bdfgklmnprstvz', 'aeiou', 'lnrs');

const unspacedScripts = new Set(['Thai', 'Laoo', 'Khmr', 'Mymr']);

const syllables: Readonly<Record<string, typeof latin>> = {
  Cyrl: parts('бвгдзклмнпрст', 'аеиоу', 'лнрс'),
  Grek: parts('βγδζκλμνπρστ', 'αειου', 'νρς'),
  Arab: parts('بتدرسفكلمن', 'اوي', 'نرل'),
  Hebr: parts('בגדזטלנקרש', 'אוי', 'לר'),
  Deva: parts('कगचजटतदनपबमरलसह', 'ािीुेो', 'नरल'),
  Beng: parts('কগচজটতদনপবমরলসহ', 'ািীুেো', 'নরল'),
  Guru: parts('ਕਗਚਜਟਤਦਨਪਬਮਰਲਸਹ', 'ਾਿੀੁੇੋ', 'ਨਰਲ'),
  Gujr: parts('કગચજટતદનપબમરલસહ', 'ાિીુેો', 'નરલ'),
  Taml: parts('கசடதநபமயரலவன', 'ாிீுேோ', 'னரல'),
  Telu: parts('కగచజటతదనపబమరలసహ', 'ాిీుేో', 'నరల'),
  Knda: parts('ಕಗಚಜಟತದನಪಬಮರಲಸಹ', 'ಾಿೀುೇೋ', 'ನರಲ'),
  Mlym: parts('കഗചജടതദനപബമരലസഹ', 'ാിീുേോ', 'നരല'),
  Sinh: parts('කගචජටතදනපබමරලසහ', 'ාිීුේෝ', 'නරල'),
  Thai: parts('กคงจดตนบปมรลสห', 'าีุ', 'นมง'),
  Laoo: parts('ກຄງຈດຕນບປມລສຫ', 'າີຸ', 'ນມງ'),
  Khmr: parts('កគងចដតនបមរលស', 'ាិុ', 'នមង'),
  Mymr: parts('ကဂစဇတဒနပဗမရလသ', 'ာို', ''),
  Geor: parts('ბგდვზკლმნპრსტ', 'აეიოუ', 'ლნრს'),
  Armn: parts('բգդզկլմնպրստ', 'աեիոու', 'լնրս'),
  Ethi: parts('ሀለመሰረበተነከወደገ', 'ሉሚራቦኒዳ', 'ንርል'),
};

const hanInventories: Readonly<Record<string, string>> = {
  Hans: '山水云风雨花月星石木林江河天地光春秋青白金玉明和平安宁长远高深清静新古东西南北门田野路桥舟船马牛羊鸟鱼书画琴棋茶酒米麦衣布红绿黄蓝早晚今昔来去行走坐立看听说问答笑语心意情思',
  Hant: '山水雲風雨花月星石木林江河天地光春秋青白金玉明和平安寧長遠高深清靜新古東西南北門田野路橋舟船馬牛羊鳥魚書畫琴棋茶酒米麥衣布紅綠黃藍早晚今昔來去行走坐立看聽說問答笑語心意情思',
  // Mostly kana: text without kana would not look like Japanese to any detector.
  Jpan: 'あいうえおかきくけこさしすせそたちつてとなにぬねのはひふへほまみむめもやゆよらりるれろわをんがぎぐげごだでどばびぶべぼのはがをにとも山川空海花月',
};

/** The commonest short words of a language, which is what language detectors look for first. */
const functionWords: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.entries({
    en: 'the and of to in was that it his her with had for not but',
    fr: 'le la les de des et un une dans que qui elle il pas pour',
    de: 'der die das und in den ein eine nicht mit sich auf war er sie',
    es: 'el la los de y en que un una se con por para no su',
    pt: 'o a os de e em que um uma se com por para não seu',
    it: 'il la di e che un una in non per con si le gli era',
    nl: 'de het een en van in dat niet met zijn voor was op haar',
    pl: 'i w nie na się że do to z jak był jest po',
    cs: 'a v se na že je to z do jak byl ale by',
    sk: 'a v sa na že je to z do ako bol ale by',
    ro: 'și de la în cu pe nu un o că din se era',
    hu: 'a az és egy hogy nem is volt meg de mint már',
    sv: 'och att det i en som på är av för med den inte var',
    da: 'og at det i en som på er af for med den ikke var',
    nb: 'og at det i en som på er av for med den ikke var',
    fi: 'ja on ei se että oli hän kun mutta niin myös sen',
    tr: 've bir bu da de için ile çok ama gibi daha olan',
    id: 'dan yang di itu dengan untuk tidak ini dari dalam dia ke',
    ms: 'dan yang di itu dengan untuk tidak ini dari dalam dia ke',
    vi: 'và của là một không cho có người với trong đã này được',
    ca: 'el la els de i en que un una es amb per no seva',
    ru: 'и в не на что он она с как это но был по',
    uk: 'і в не на що він вона з як це але був по',
    bg: 'и в не на че той тя с как това но беше по',
    sr: 'и у не на да он она са како то али био по',
    el: 'και το να του η της με που για στο δεν από',
    ar: 'في من على أن إلى هذا كان عن مع لم ما هو',
    fa: 'و در به از که این را با است آن برای بود',
    he: 'של את על לא הוא היא עם זה כי היה גם אבל',
    hi: 'और का की के में से है को पर यह था नहीं',
  }).map(([code, words]) => [code, words.split(' ')]),
);
