/** Countries, continents and a few famous places that have a name of their own in each language: Italie is Italy. */
import { baseCode } from './languages.ts';
import { pairsIn } from './pairs.ts';

/** The name in the target language; undefined when nothing is known of the place. */
export function placeNameIn(name: string, sourceLang: string, targetLang: string): string | undefined {
  const [source, target] = [baseCode(sourceLang), baseCode(targetLang)];
  const famous =
    target === 'en'
      ? famousIn(source).find(([own]) => own === name)?.[1]
      : source === 'en'
        ? famousIn(target).findLast(([, english]) => english === name)?.[0]
        : undefined;
  if (famous !== undefined) return famous;
  const code = countriesOf(source).get(name);
  return code === undefined ? undefined : new Intl.DisplayNames(target, { type: 'region' }).of(code);
}

function famousIn(language: string): [own: string, english: string][] {
  return pairsIn(famousPlaces[language] ?? '');
}

const cache = new Map<string, ReadonlyMap<string, string>>();

/** Codes by name, as the runtime's own tables have them. */
function countriesOf(language: string): ReadonlyMap<string, string> {
  return cache.getOrInsertComputed(language, () => {
    const names = new Intl.DisplayNames(language, { type: 'region', fallback: 'none' });
    const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
    const countries = new Map<string, string>();
    for (const code of letters.flatMap((first) => letters.map((second) => first + second))) {
      const name = names.of(code);
      // Codes that were replaced (DD, SU) name the same country again.
      if (name !== undefined) countries.getOrInsert(name, code);
    }
    return countries;
  });
}

/** With their English names. */
const famousPlaces: Readonly<Record<string, string>> = {
  fr: 'Angleterre=England Écosse=Scotland Europe=Europe Afrique=Africa Amérique=America Asie=Asia Londres=London Corse=Corsica Sicile=Sicily Sardaigne=Sardinia Toscane=Tuscany Bretagne=Brittany Normandie=Normandy Bourgogne=Burgundy Savoie=Savoy Prusse=Prussia Hollande=Holland Vienne=Vienna Venise=Venice Gênes=Genoa Florence=Florence Livourne=Leghorn Lisbonne=Lisbon Genève=Geneva Moscou=Moscow Varsovie=Warsaw Bruxelles=Brussels Constantinople=Constantinople Athènes=Athens Méditerranée=Mediterranean Alpes=Alps Pyrénées=Pyrenees Orient=Orient Algérie=Algeria Elbe=Elba',
  es: 'América=America Europa=Europe África=Africa Asia=Asia Inglaterra=England Escocia=Scotland Londres=London París=Paris Roma=Rome Lisboa=Lisbon Moscú=Moscow Viena=Vienna Venecia=Venice Génova=Genoa Nápoles=Naples Florencia=Florence Ginebra=Geneva Bruselas=Brussels Atenas=Athens Sevilla=Seville Andalucía=Andalusia Cataluña=Catalonia Castilla=Castile Córcega=Corsica Sicilia=Sicily Mediterráneo=Mediterranean Pirineos=Pyrenees',
  pt: 'América=America Europa=Europe África=Africa Ásia=Asia Inglaterra=England Londres=London Roma=Rome Lisboa=Lisbon Viena=Vienna Veneza=Venice Nápoles=Naples Genebra=Geneva Sevilha=Seville',
  it: 'America=America Europa=Europe Africa=Africa Asia=Asia Inghilterra=England Scozia=Scotland Londra=London Parigi=Paris Roma=Rome Milano=Milan Torino=Turin Venezia=Venice Genova=Genoa Napoli=Naples Firenze=Florence Sicilia=Sicily Sardegna=Sardinia Toscana=Tuscany Vienna=Vienna Ginevra=Geneva Lisbona=Lisbon Mosca=Moscow',
  de: 'Amerika=America Europa=Europe Afrika=Africa Asien=Asia England=England Schottland=Scotland Wien=Vienna München=Munich Köln=Cologne Preußen=Prussia Bayern=Bavaria Sachsen=Saxony Böhmen=Bohemia Rom=Rome Venedig=Venice Mailand=Milan Neapel=Naples Florenz=Florence Genf=Geneva Moskau=Moscow Warschau=Warsaw Brüssel=Brussels Athen=Athens Alpen=Alps Rhein=Rhine Donau=Danube',
  ru: 'Москва=Moscow Петербург=Petersburg Европа=Europe Америка=America Азия=Asia Африка=Africa Англия=England Лондон=London Париж=Paris Рим=Rome Вена=Vienna Варшава=Warsaw Киев=Kiev Кавказ=Caucasus Крым=Crimea Волга=Volga Сибирь=Siberia',
};
