import { pairsIn } from './pairs.ts';

/** The spelling of today where a text has that of the nineteenth century. */
const words = new Map(
  pairsIn(
    'á=a é=e ó=o ú=u fué=fue fuí=fui vió=vio ví=vi dió=dio dí=di fé=fe pié=pie oir=oír reir=reír ' +
      'sonreir=sonreír setiembre=septiembre obscuro=oscuro obscura=oscura obscuridad=oscuridad ' +
      'substancia=sustancia',
  ),
);
const word = /(?<![\p{L}\p{M}'’-])\p{L}+(?![\p{L}\p{M}'’])/gu;

/** Also "y" and "o" as they sound before their own vowel, and the articles that are written together with "a" and "de". */
export function modernSpanish(text: string): string {
  return text
    .replace(word, (found) => {
      const modern = words.get(found.toLowerCase());
      if (modern === undefined) return found;
      return /^\p{Lu}/u.test(found) ? modern.charAt(0).toUpperCase() + modern.slice(1) : modern;
    })
    .replace(/(?<![\p{L}\p{M}.])(?:Vds|Uds|VV)\.(?!\p{L})/gu, 'ustedes')
    .replace(/(?<=\p{Ll} )(?:Vd|Ud|V)\.(?!\p{L}| \p{Lu})/gu, 'usted')
    .replace(/(?<![\p{L}\p{M}])([ad]e?) el (?=\p{L})/gu, (found, before: string) =>
      before === 'a' ? 'al ' : before === 'de' ? 'del ' : found,
    )
    .replace(/(?<=\p{L}[,;]? )y (?=h?i(?![aeo]))/gu, 'e ')
    .replace(/(?<=\p{L}[,;]? )o (?=h?o)/gu, 'u ');
}
