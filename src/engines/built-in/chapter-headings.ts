/** "Chapitre cinq. La roue": the model makes nonsense of the number, so it is read here and only the title is translated. */
const headingWords: Readonly<Record<string, readonly [RegExp, string]>> = {
  fr: [/^chapitre/iu, 'un premier deux trois quatre cinq six sept huit neuf dix onze douze'],
  es: [/^cap[ií]tulo/iu, 'uno primero dos tres cuatro cinco seis siete ocho nueve diez once doce'],
  pt: [/^cap[ií]tulo/iu, 'um primeiro dois três quatro cinco seis sete oito nove dez onze doze'],
  it: [/^capitolo/iu, 'uno primo due tre quattro cinque sei sette otto nove dieci undici dodici'],
  de: [/^kapitel/iu, 'eins erstes zwei drei vier fünf sechs sieben acht neun zehn elf zwölf'],
  ru: [/^глава/iu, 'один первая два три четыре пять шесть семь восемь девять десять одиннадцать двенадцать'],
};
const ordinals: Readonly<Record<string, string>> = {
  fr: 'premier deuxième troisième quatrième cinquième sixième septième huitième neuvième dixième onzième douzième',
  es: 'primero segundo tercero cuarto quinto sexto séptimo octavo noveno décimo undécimo duodécimo',
  pt: 'primeiro segundo terceiro quarto quinto sexto sétimo oitavo nono décimo undécimo duodécimo',
  it: 'primo secondo terzo quarto quinto sesto settimo ottavo nono decimo undicesimo dodicesimo',
  de: 'erstes zweites drittes viertes fünftes sechstes siebtes achtes neuntes zehntes elftes zwölftes',
  ru: 'первая вторая третья четвёртая пятая шестая седьмая восьмая девятая десятая одиннадцатая двенадцатая',
};

const numbers = 'One Two Three Four Five Six Seven Eight Nine Ten Eleven Twelve'.split(' ');

/** What English has in its place, and where the title begins; undefined for any other text. */
export function readHeading(text: string, language: string): { english: string; rest: string } | undefined {
  const [word, cardinals = ''] = headingWords[language] ?? [];
  const start = word?.exec(text)?.[0];
  if (start === undefined || text.length > 200) return undefined;
  const found = /^\s+([\p{L}\d]+)(\s*[.:–—-]\s*|\s*$)/u.exec(text.slice(start.length));
  const [whole = '', number = '', gap = ''] = found ?? [];
  const shown = numberOf(number.toLowerCase(), cardinals, ordinals[language] ?? '');
  if (shown === undefined) return undefined;
  const rest = text.slice(start.length + whole.length);
  return { english: `Chapter ${shown}${rest === '' ? gap.trim() : gap}`, rest };
}

function numberOf(word: string, cardinals: string, ordinalWords: string): string | undefined {
  if (/^\d+$/.test(word)) return word;
  if (/^[ivxlc]+$/.test(word)) return word.toUpperCase();
  // The list of cardinals has the first ordinal beside "one".
  const cardinal = cardinals.split(' ').indexOf(word);
  if (cardinal >= 0) return numbers[Math.max(0, cardinal - 1)];
  return numbers[ordinalWords.split(' ').indexOf(word)];
}
