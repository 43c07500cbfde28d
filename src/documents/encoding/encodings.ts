/**
 * The legacy encodings a manuscript may arrive in and what text in them looks like. `profiles` are the letters beyond
 * ASCII of the languages written in an encoding, most frequent first, lower case: a decoding is believed when its letters
 * follow one of them.
 */
export interface LegacyEncoding {
  /** WHATWG label. */
  label: string;
  script: 'han' | 'japanese' | 'hangul' | 'alphabet';
  /** Bits against the encoding before any byte is seen: commoner encodings win a tie. */
  priorBits: number;
  profiles: readonly string[];
}

const cyrillic = {
  ru: 'оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфъё',
  uk: 'оаниівтерслкдмупязьбгйчхцїжшюєщфґ',
  bg: 'аоиетнрсвлкдпмзябугчъжщйхцшфюь',
  sr: 'аоиенрстувдкјмплзбгчшцхћжљњђфџ',
  be: 'анісеріяоктулмдвыўпзьгбцчйжхшюэфё',
  mk: 'аоеитнрсвкдлпмузбјгчшцжњфхќџѓљѕ',
};

const french = 'éàèêçôîâûùïœëüæÿ';
const german = 'üäöß';
const spanish = 'óáíéñúü';
const portuguese = 'ãçáéóêíõâúàô';
const italian = 'èàùòìé';
const swedish = 'äåöé';
const danish = 'øåæé';
const icelandic = 'áíðóéúýöþæ';
const catalan = 'àéóèíçòúïü';
const western = [french, german, spanish, portuguese, italian, swedish, danish, icelandic, catalan];
const polish = 'łęóżąśćńź';
const czech = 'íáéýěřčžšůúťňóď';
const slovak = 'áíéýčžšúľťôňóäďĺŕ';
const hungarian = 'áéőöíóüúű';
const romanianCedilla = 'ăîâşţ';
const romanianComma = 'ăîâșț';
const croatian = 'čšžćđ';
const central = [polish, czech, slovak, hungarian, romanianCedilla, croatian];
const turkish = 'ıüşğöçâî';
const baltic = ['ėšųžįčąūę', 'āīēūšņļķģžč', 'äõüöšž'];
const greek = ['αοιετσνηυρπκμλςωάίήγόέδύώχβθφξζψϊϋ'];
const hebrew = ['יוהלאתמרבשנדעחקפםכסטגזןץךצף'];
const arabic = ['املنيورتبةعدسفهكقحجشطصىخأءذضزثغظإآئؤپچگیک'];
const thai = ['านรอกเงมยลวดทสตะปบคหแจพชขใไโผซธศถณฟษฉญฎฐฆฌฏฑฒฝฬฮี่้ิัาุูืึ็์ำ'];
const vietnamese = ['đạảầậướờợộốồổỗễệềếểòóọỏõùúủũụừứửữựàáãăắằẳẵặâấẩẫèéẻẽẹêìíỉĩịơôưyýỳỷỹỵ'];

export const legacyEncodings: readonly LegacyEncoding[] = [
  { label: 'gb18030', script: 'han', priorBits: 0, profiles: [] },
  { label: 'big5', script: 'han', priorBits: 0, profiles: [] },
  { label: 'shift_jis', script: 'japanese', priorBits: 0, profiles: [] },
  { label: 'euc-jp', script: 'japanese', priorBits: 1, profiles: [] },
  { label: 'euc-kr', script: 'hangul', priorBits: 0, profiles: [] },
  { label: 'windows-1252', script: 'alphabet', priorBits: 0, profiles: western },
  { label: 'windows-1251', script: 'alphabet', priorBits: 1, profiles: Object.values(cyrillic) },
  { label: 'windows-1250', script: 'alphabet', priorBits: 2, profiles: central },
  { label: 'windows-1254', script: 'alphabet', priorBits: 3, profiles: [turkish] },
  { label: 'windows-1257', script: 'alphabet', priorBits: 3, profiles: baltic },
  { label: 'windows-1253', script: 'alphabet', priorBits: 2, profiles: greek },
  { label: 'windows-1255', script: 'alphabet', priorBits: 2, profiles: hebrew },
  { label: 'windows-1256', script: 'alphabet', priorBits: 2, profiles: arabic },
  { label: 'windows-1258', script: 'alphabet', priorBits: 4, profiles: vietnamese },
  { label: 'windows-874', script: 'alphabet', priorBits: 2, profiles: thai },
  { label: 'koi8-r', script: 'alphabet', priorBits: 2, profiles: [cyrillic.ru] },
  { label: 'koi8-u', script: 'alphabet', priorBits: 3, profiles: [cyrillic.uk] },
  { label: 'ibm866', script: 'alphabet', priorBits: 4, profiles: [cyrillic.ru] },
  { label: 'iso-8859-2', script: 'alphabet', priorBits: 4, profiles: central },
  { label: 'iso-8859-3', script: 'alphabet', priorBits: 6, profiles: ['ĉŝĝŭĵĥ', 'ħżġċ'] },
  { label: 'iso-8859-4', script: 'alphabet', priorBits: 6, profiles: baltic },
  { label: 'iso-8859-5', script: 'alphabet', priorBits: 4, profiles: Object.values(cyrillic) },
  { label: 'iso-8859-6', script: 'alphabet', priorBits: 4, profiles: arabic },
  { label: 'iso-8859-7', script: 'alphabet', priorBits: 4, profiles: greek },
  { label: 'iso-8859-8', script: 'alphabet', priorBits: 4, profiles: hebrew },
  { label: 'iso-8859-13', script: 'alphabet', priorBits: 5, profiles: baltic },
  { label: 'iso-8859-15', script: 'alphabet', priorBits: 4, profiles: western },
  { label: 'iso-8859-16', script: 'alphabet', priorBits: 6, profiles: [romanianComma, polish, hungarian] },
];
