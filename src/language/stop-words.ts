/**
 * The commonest words of a language: articles, pronouns, prepositions. They say which language a short text is in, and
 * which capitalised words are certainly no names.
 */
import lists from 'stopword';
import everydayWords from './everyday-words.json' with { type: 'json' };
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

/** Those of the commonest source languages that the library's shorter lists leave out. */
const missing: Readonly<Record<string, string>> = everydayWords;
