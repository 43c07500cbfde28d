/**
 * What a chapter heading looks like on a line of its own, in the conventions of Chinese, Japanese, Korean and Western
 * novels. Only the shape of one line is judged here; `chapters.ts` decides with the whole book in view.
 */
export type HeadingShape =
  /** A volume or part, above the chapters. */
  | { level: 'part' }
  | { level: 'chapter' }
  /** A bare number, or a number and a title: a chapter only when the numbers of the book run on. */
  | { level: 'numeral'; value: number; bare: boolean };

/** Longest heading in columns' worth of characters; titles of classical Chinese novels reach 30 characters. */
const maxHeadingLength = 80;

export function headingShape(line: string): HeadingShape | undefined {
  if (line.length > maxHeadingLength || line.length === 0) return undefined;
  const bare = line.replace(ornament, '');
  if (bare === '') return undefined;
  const asian = bare.length <= 50 ? asianShape(bare) : undefined;
  return asian ?? westernShape(bare) ?? numeralShape(bare);
}

/** 【第一章】, ■ 第一章, ＊プロローグ＊, --- Chapter 1 ---, # 1. */
const ornament =
  /^[\s【〖「『〈《[(（=＝\-—―*＊#＃■□◆◇●○★☆▼▽§~〜～]+|[\s】〗」』〉》\])）=＝\-—―*＊#＃■□◆◇●○★☆▼▽§~〜～]+$/gu;

const hanNumber = '[0-9０-９〇零○一二三四五六七八九十百千万萬两兩廿卅壹贰貳叁參肆伍陆陸柒捌玖拾佰仟]{1,12}';
const asianTitle = '(?:[\\s:：、.．·・\\-—―~〜～「『【（(《].*|$)';

const asianChapter = new RegExp(
  `^(?:正文\\s*|最终|最終)?第\\s*${hanNumber}\\s*[章回节節话話幕夜折集篇][^，,。！？!?；;]*[！？!?]?$`,
  'u',
);
const asianPart = new RegExp(
  `^(?:正文\\s*)?(?:第\\s*${hanNumber}\\s*[卷部编編巻册冊季辑輯]|[卷巻]\\s*(?:之)?\\s*${hanNumber}|[上中下]\\s*[卷巻篇编編部])${asianTitle}`,
  'u',
);
const asianNumbered = new RegExp(`^(?:其|その|章|話)\\s*${hanNumber}${asianTitle}`, 'u');
const asianNamed = new RegExp(
  `^(?:序章|序幕|序言|序文|序曲|自序|代序|序|楔子|引子|引言|前言|导言|導言|开篇|開篇|终章|終章|尾声|尾聲|后记|後記|后序|跋|结语|結語|完本感言|番外(?:篇|编|編)?(?:\\s*${hanNumber})?|外传|外傳|外伝|幕间|幕間|间章|間章|特典|プロローグ|エピローグ|はじめに|おわりに|あとがき|まえがき|閑話|余談|프롤로그|에필로그|서장|서문|서론|종장|머리말|맺음말|후기|작가의 말|막간|외전(?:\\s*\\d+)?)${asianTitle}`,
  'u',
);
const koreanChapter =
  /^(?:제\s*[0-9일이삼사오육칠팔구십백천]+\s*(?:장|화|회|절|막)|[0-9]{1,4}\s*(?:장|화|회)|챕터\s*[0-9]+)(?:[\s:：.\-—~(「『].*)?$/u;
const koreanPart =
  /^(?:제\s*[0-9일이삼사오육칠팔구십]+\s*(?:부|권|편)|[0-9]{1,3}\s*(?:부|권))(?:[\s:：.\-—~(「『].*)?$/u;

function asianShape(line: string): HeadingShape | undefined {
  if (asianPart.test(line) || koreanPart.test(line)) return { level: 'part' };
  const matches = [asianChapter, asianNumbered, asianNamed, koreanChapter].some((pattern) => pattern.test(line));
  // A heading does not stop with a full stop or go on after a comma; a sentence that begins like one does.
  return matches && !/[。，,；;…]$/u.test(line) ? { level: 'chapter' } : undefined;
}

const ordinals =
  'first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth|last|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:[- ](?:one|two|three|four|five|six|seven|eight|nine))?|premier|première|deuxième|troisième|quatrième|cinquième|sixième|septième|huitième|neuvième|dixième|dernier|primero|primera|segundo|segunda|tercero|tercera|cuarto|quinto|sexto|séptimo|octavo|noveno|décimo|último|primeiro|primeira|terceiro|quarto|sétimo|oitavo|nono|primo|secondo|terzo|settimo|ottavo|erste[rs]?|zweite[rs]?|dritte[rs]?|vierte[rs]?|fünfte[rs]?|eins|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|перв(?:ая|ый)|втор(?:ая|ой)|треть?[яий]+|четв[её]рт(?:ая|ый)|пят(?:ая|ый)|шест(?:ая|ой)|седьм(?:ая|ой)|восьм(?:ая|ой)|девят(?:ая|ый)|десят(?:ая|ый)|последн(?:яя|ий)';
const number = `(?:\\d{1,4}|[ivxlcdm]{1,9}|${ordinals})`;
const chapterWords =
  'chapter|chap\\.|chapitre|capítulo|capitulo|capitolo|capitol|capitolul|kapitel|kapitola|kapittel|hoofdstuk|rozdział|rozdzial|fejezet|bölüm|luku|глава|розділ|раздел|поглавље|poglavlje|poglavje|κεφάλαιο|chương|bab|الفصل|فصل|פרק|अध्याय|บทที่|canto|act|acte|scene|scène|letter|lettre|stave|episode|épisode';
const partWords =
  'part|partie|parte|teil|book|livre|libro|livro|buch|volume|tome|tomo|band|часть|том|книга|частина|część|tom|část|deel|del|rész|kısım|الجزء|חלק|phần|quyển';
const named =
  "prologue|prolog|prólogo|prologo|пролог|epilogue|épilogue|epilog|epílogo|epilogo|эпилог|епілог|foreword|preface|préface|prefacio|prefácio|prefazione|vorwort|nachwort|предисловие|послесловие|introduction|einleitung|introducción|introdução|введение|вступление|afterword|postface|interlude|intermezzo|interludio|интерлюдия|acknowledge?ments|author[’']s note|mở đầu|المقدمة|مقدمة|الخاتمة|خاتمة|הקדמה|אפילוג";

const westernChapter = new RegExp(
  `^(?:the\\s+)?(?:${chapterWords})\\s*(?:the\\s+)?(?:${number}|[\\p{L}]{2,12})(?<rest>[\\s.:,\\-–—].*|$)`,
  'iu',
);
const westernOrdinalFirst = new RegExp(
  `^(?:(?:the\\s+)?(?:${ordinals}|\\d{1,4}\\.?)\\s+(?:${chapterWords}))(?<rest>[\\s.:\\-–—].*|$)`,
  'iu',
);
const westernPart = new RegExp(
  `^(?:(?:${partWords})\\s+(?:the\\s+)?${number}|(?:the\\s+)?(?:${ordinals}|\\d{1,2}\\.?)\\s+(?:${partWords}))(?<rest>[\\s.:,\\-–—].*|$)`,
  'iu',
);
const westernNamed = new RegExp(`^(?:${named})(?<rest>[\\s.:\\-–—].*|$)`, 'iu');
/** Only these words may be followed by a spelled-out number that the list above does not know. */
const knownNumber = new RegExp(`^(?:the\\s+)?(?:${chapterWords})\\s*(?:the\\s+)?${number}(?![\\p{L}\\d])`, 'iu');
const rightToLeftWord = /^(?:الفصل|פרק|अध्याय|บทที่)/u;

function westernShape(line: string): HeadingShape | undefined {
  const part = westernPart.exec(line);
  if (part && looksLikeTitle(part.groups?.rest ?? '')) return { level: 'part' };
  const numbered = westernChapter.exec(line);
  if (
    numbered &&
    (knownNumber.test(line) || rightToLeftWord.test(line)) &&
    looksLikeTitle(numbered.groups?.rest ?? '')
  ) {
    return { level: 'chapter' };
  }
  const other = westernOrdinalFirst.exec(line) ?? westernNamed.exec(line);
  return other && looksLikeTitle(other.groups?.rest ?? '') ? { level: 'chapter' } : undefined;
}

/** "Chapter 3 was the hardest" goes on in lower case without a mark between; "Chapter 3 The Storm" does not. */
function looksLikeTitle(rest: string): boolean {
  const title = rest.trim();
  if (title === '' || /^[.:,\-–—]/u.test(title)) return !/[,;]$/u.test(title);
  return !/^\p{Ll}/u.test(title) && !/[,;]$/u.test(title);
}

const numeral = '\\d{1,4}|[０-９]{1,4}|[IVXLCDM]{1,9}|[ivxl]{1,6}';
/** "Chapter IX", "Erstes Buch", "第九回", "9." at the beginning of a heading. */
const headingNumber = new RegExp(
  [
    `(?:the\\s+)?(?:${chapterWords}|${partWords})\\s*(?:the\\s+)?${number}(?![\\p{L}\\d])`,
    `(?:the\\s+)?(?:${ordinals}|\\d{1,4}\\.?)\\s+(?:${chapterWords}|${partWords})(?![\\p{L}])`,
    `(?:正文\\s*)?第\\s*${hanNumber}\\s*[章回节節话話幕夜折集篇卷部编編巻册冊季辑輯]`,
    '제\\s*[0-9일이삼사오육칠팔구십백천]+\\s*[장화회절막부권편]',
    `(?:${numeral})(?=[\\s.．、:：)）\\-–—]|$)`,
  ].join('|'),
  'iuy',
);
const spelledNumber = new RegExp(`^(?:${chapterWords}|${partWords})\\s+\\p{L}[\\p{L}\\s-]{0,40}$`, 'iu');

/**
 * What a heading says besides its number: "Le soir" of "IX — Le soir", nothing of "Chapter IX.". Undefined where a number may be
 * spelled out in a way that is not known here, as in "Chapitre vingt et un".
 */
export function headingTitle(line: string): string | undefined {
  let rest = line.replace(ornament, '');
  for (let count = 0; count < 3; count++) {
    headingNumber.lastIndex = 0;
    const [found = ''] = headingNumber.exec(rest) ?? [];
    if (found === '') break;
    rest = rest.slice(found.length).replace(/^[\s\p{P}]+/u, '');
  }
  return spelledNumber.test(rest) ? undefined : rest.replace(/^[\s\p{P}]+|[\s\p{P}]+$/gu, '');
}

const romanNumber = /^(M{0,3})(CM|CD|D?C{0,3})(XC|XL|L?X{0,3})(IX|IV|V?I{0,3})$/;
const numeralLine =
  /^(?<number>\d{1,4}|[０-９]{1,4}|[IVXLCDM]{1,9}|[ivxl]{1,6}|[一二三四五六七八九十百〇零]{1,5})(?:(?<mark>\s*[.．、:：)）]|\s{2,}|\u3000)\s*(?<title>\S.*)?)?$/u;

function numeralShape(line: string): HeadingShape | undefined {
  const match = numeralLine.exec(line);
  if (!match?.groups) return undefined;
  const title = match.groups.title;
  if (title !== undefined && (title.length > 60 || /[,;，；]$/u.test(title))) return undefined;
  const value = numberValue(match.groups.number as string);
  return value === undefined ? undefined : { level: 'numeral', value, bare: title === undefined };
}

function numberValue(digits: string): number | undefined {
  const ascii = digits.normalize('NFKC');
  if (/^\d+$/.test(ascii)) return Number(ascii);
  const upper = ascii.toUpperCase();
  if (/^[IVXLCDM]+$/.test(upper)) return romanNumber.test(upper) ? romanValue(upper) : undefined;
  return hanValue(ascii);
}

function romanValue(roman: string): number {
  const values: Record<string, number> = { I: 1, V: 5, X: 10, L: 50, C: 100, D: 500, M: 1000 };
  let total = 0;
  for (let i = 0; i < roman.length; i++) {
    const value = values[roman[i] as string] ?? 0;
    total += value < (values[roman[i + 1] ?? ''] ?? 0) ? -value : value;
  }
  return total;
}

function hanValue(han: string): number | undefined {
  const digits = '〇一二三四五六七八九';
  let total = 0;
  let digit = 0;
  for (const char of han.replaceAll('零', '〇')) {
    const value = digits.indexOf(char);
    if (value >= 0) {
      // 一〇 and 二三 write a number digit by digit.
      digit = digit * 10 + value;
      continue;
    }
    const unit = char === '十' ? 10 : char === '百' ? 100 : undefined;
    if (unit === undefined) return undefined;
    total += (digit || 1) * unit;
    digit = 0;
  }
  return total + digit;
}
