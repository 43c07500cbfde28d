/**
 * The commonest words of a language: articles, pronouns, prepositions. They say which language a short text is in, and
 * which capitalised words are certainly no names.
 */
import lists from 'stopword';
import { baseCode } from './languages.ts';
import { pairsIn } from './pairs.ts';

/** Lower-case, in Unicode form C; empty for a language the library does not know. */
export function stopWordsOf(language: string): ReadonlySet<string> {
  return cache.getOrInsertComputed(baseCode(language), (code) => {
    const words = new Set<string>();
    for (const [own, name] of listNames) {
      const list = own === code ? lists[name] : undefined;
      if (Array.isArray(list)) for (const word of list as readonly string[]) addForms(words, word);
    }
    for (const word of missing[code]?.split(' ') ?? []) words.add(word);
    return words;
  });
}

/** Languages with a list, in our codes. */
export function languagesWithStopWords(): string[] {
  return [...new Set(listNames.map(([code]) => code))];
}

const cache = new Map<string, ReadonlySet<string>>();

/** Some lists write `aint` or `l'` and some entries are phrases; whatever is not one word never matches one. */
function addForms(words: Set<string>, entry: string): void {
  const word = entry.normalize('NFC').toLowerCase().trim();
  if (!/^[\p{L}\p{M}][\p{L}\p{M}'’-]*$/u.test(word)) return;
  words.add(word);
}

/** The names of the library's lists; Portuguese has two. */
const listNames = pairsIn(
  'af=afr ar=ara bg=bul bn=ben ca=cat cs=ces da=dan de=deu el=ell en=eng eo=epo es=spa et=est eu=eus fa=fas ' +
    'fi=fin fil=tgl fr=fra ga=gle gl=glg gu=guj he=heb hi=hin hr=hrv hu=hun hy=hye id=ind it=ita ja=jpn ko=kor ' +
    'la=lat lt=lit lv=lav mr=mar ms=msa my=mya nb=nob nl=nld pa=panGu pl=pol pt=por pt=porBr ro=ron ru=rus sk=slk ' +
    'sl=slv so=som sv=swe sw=swa th=tha tr=tur uk=ukr ur=urd vi=vie zh=zho',
);

/** Everyday words of the commonest source languages that the library's shorter lists leave out. */
const missing: Readonly<Record<string, string>> = {
  en: 'hello goodbye yes no please thank thanks world what who where when why how here there he she it we they his her hers their our my your yours him them us me i you am is are was were be been being has had have do does did not nor so if then than too very can could will would shall should may might must let oh ah well never ever said',
  fr: 'bonjour bonsoir salut merci oui non monde je tu il elle on nous vous ils elles ce cet cette ces que qui quoi dont où quand comment pourquoi alors ainsi aussi plus moins bien mal très tout tous toute toutes rien mais car donc or si comme sans sous chez vers voici voilà ah eh oh hé mon ton son notre votre leur dit répondit',
  es: 'hola adiós gracias sí no mundo yo tú él ella usted ustedes nosotros ellos ellas qué quién cuál cómo cuándo dónde porque pues así aquí allí ahora muy mucho muchos nada nadie todo todos también pero sino si como cuando donde este esta esto ese esa eso aquel aquella lo los la las un una unos unas de del en con sin por para sobre entre hasta desde su sus mi mis tu tus ser era fue es son está estaba había ha he hay dijo oh ay',
  it: 'ciao buongiorno grazie sì no mondo io tu egli ella lui lei noi voi loro che chi cosa come quando dove perché così qui qua là ora adesso molto poco niente nulla nessuno tutto tutti anche ma però se non più già mai ancora ecco disse è oh ah eh',
  pt: 'olá obrigado obrigada sim não mundo eu tu ele ela nós vós vocês eles elas você que quem qual como quando onde porque pois assim aqui ali lá agora muito nada ninguém tudo todos também mas se já ainda nunca disse é oh ah ai',
  de: 'hallo danke ja nein bitte welt ich du er sie es wir ihr was wer wie wann wo warum nun doch noch nur auch aber denn wenn dann dort hier sehr nicht nichts oh ach ei sagte',
  ru: 'привет здравствуйте спасибо да нет мир это эта этот эти тот та те свой своя своё свои который которая которые ещё уже очень все всё весь вся если чтобы потому тогда теперь здесь тут там вот где когда как кто что зачем почему сказал сказала о ах ну',
};
